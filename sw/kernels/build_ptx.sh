#!/bin/sh
# Regenerates every .ptx of this folder and its folders from its .cu or .cl with Debian's clang-19 and libclc-19; no CUDA toolkit.
#   build_ptx.sh            rewrite all
#   build_ptx.sh NAME...    rewrite some (vector_add, micro/memory, ...)
#   build_ptx.sh --check    compare with the checked-in files; exit 1 and name those that differ
# CLANG and CLC name another compiler or libclc folder.
set -eu
cd "$(dirname "$0")"
clang=${CLANG:-clang-19}
clc=${CLC:-/usr/lib/clc}
check=0
if [ "${1:-}" = --check ]; then
  check=1
  shift
fi
command -v "$clang" >/dev/null || { echo "build_ptx.sh: $clang not found; install clang-19 and libclc-19" >&2; exit 2; }
[ -r "$clc/nvptx64--.bc" ] || { echo "build_ptx.sh: $clc/nvptx64--.bc not found; install libclc-19" >&2; exit 2; }

# Contraction is off: a kernel says fmaf where it wants one, so that the host can compute the same bits.
common="-O2 -S -ffp-contract=off -Wall -Wextra -Werror -Xclang -target-feature -Xclang +ptx75"

compile() {  # source output
  # Matrix instructions need a later target: a line "// Target: sm_80" of the source.
  target=$(sed -n 's|^// Target: \(sm_[0-9]*\)$|\1|p' "$1")
  target=${target:-sm_70}
  case $1 in
    *.cu)
      "$clang" -x cuda --cuda-device-only -nocudainc -nocudalib --cuda-gpu-arch="$target" -std=c++17 $common \
        -Wno-linker-warnings -Wno-unknown-cuda-version -I. -include warpvp_cuda.h \
        -Xclang -mlink-builtin-bitcode -Xclang "$clc/nvptx64--.bc" "$1" -o "$2"
      ;;
    *.cl)
      "$clang" -x cl -cl-std=CL1.2 -target nvptx64-unknown-nvidiacl -march="$target" $common -Wno-linker-warnings \
        -Xclang -mlink-builtin-bitcode -Xclang "$clc/nvptx64--nvidiacl.bc" "$1" -o "$2"
      ;;
  esac
}

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
differ=0
for source in *.cu *.cl */*.cu; do
  name=${source%.*}
  mkdir -p "$work/$(dirname "$name")"
  if [ $# -gt 0 ]; then
    case " $* " in *" $name "*) ;; *) continue ;; esac
  fi
  compile "$source" "$work/$name.ptx"
  # Trailing white space goes, so that the files pass ordinary text checks; in micro/, which is assembly mostly, the
  # comments about it too.
  case $name in micro/*) inline='/^[[:space:]]*\/\/ \(begin\|end\) inline asm$/d' ;; *) inline= ;; esac
  sed -e "$inline" -e 's/[[:space:]]*$//' "$work/$name.ptx" | cat -s >"$work/$name.clean"
  if [ $check -eq 1 ]; then
    cmp -s "$work/$name.clean" "$name.ptx" || { echo "$name.ptx differs from what $source gives"; differ=1; }
  else
    cp "$work/$name.clean" "$name.ptx"
    echo "$name.ptx"
  fi
done
exit $differ
