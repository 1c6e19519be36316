#!/bin/sh
# Builds the command processor's firmware.
#   build.sh                      every policy of policies/ into prebuilt/NAME.elf
#   build.sh my_policy.c [more.c more.cpp ...] [-o my.elf]
#                                 one policy, from anywhere, of one or more files in C or C++, into my.elf (default:
#                                 my_policy.elf beside the first)
#   build.sh --check              builds every policy and compares with prebuilt/: 1 if one differs, 77 if this compiler
#                                 is not the one that made them
# Of the environment: FIRMWARE_CC, the compiler (and FIRMWARE_CXX, FIRMWARE_AR); FIRMWARE_FLAGS, further options (-O2,
# -Wl,--defsym=__local_bytes=N).
set -eu

CC=${FIRMWARE_CC:-riscv64-unknown-elf-gcc}
CXX=${FIRMWARE_CXX:-$(echo "$CC" | sed 's/gcc\(-[0-9]*\)\{0,1\}$/g++\1/')}
AR=${FIRMWARE_AR:-$(dirname "$(command -v "$CC" || echo .)")/riscv64-unknown-elf-ar}
root=$(cd "$(dirname "$0")/../.." && pwd)
firmware=sw/firmware
prebuilt=$firmware/prebuilt

fail() {
  echo "build.sh: $*" >&2
  exit 1
}

toolchain() { "$CC" --version | head -n 1; }

# Paths in the program are relative to the root of the repository: it is the same wherever it was built, and GDB started
# there finds the sources. Without save and restore calls functions show whole in traces and are faster.
options="-specs=picolibc.specs -mabi=ilp32 -mno-save-restore -fno-tree-loop-distribute-patterns -Os -g -Wall -Wextra
  -Werror -ffunction-sections -fdata-sections -fno-common -I$firmware/include -I$firmware/hal -I$firmware ${FIRMWARE_FLAGS:-}"
c=-std=c11
# Without what needs an operating system, a heap or the C++ library.
cxx="-std=c++20 -fno-exceptions -fno-rtti -fno-threadsafe-statics -fno-use-cxa-atexit -Wno-missing-field-initializers"
map=-ffile-prefix-map=$root=.
assembler_map=-fdebug-prefix-map=$root=.

# What every program runs comes first, and then what only some call: so how long a policy takes does not depend on
# what else the library has.
core="hal/console.c crt0.S fw_set.c hal/hal.c heads.c main.c peek.c hal/riscv.c scheduler.c"
library="assist.c clock.c gates.c head.c main_assisted.c ranks.c tick.c hal/burst.c hal/construct.c hal/library.c
  jobs/job_tables.c jobs/jobs.c jobs/look_ahead.c bandwidth/allocation.c bandwidth/detection.c bandwidth/mix.c
  bandwidth/model.c bandwidth/monitors.c bandwidth/phases.c bandwidth/report.c bandwidth/terms.c"

# Into $work/core and, as an archive of which each program takes what it needs, $work/library.a.
compile_common() {
  for source in $core $library; do
    "$CC" $options $c "$map" "$assembler_map" -march=rv32imac_zicsr_zifencei -c "$firmware/$source" \
      -o "$work/$(basename "$source").o"
  done
  objects=
  for source in $core; do objects="$objects $work/$(basename "$source").o"; done
  for source in $library; do "$AR" rcD "$work/library.a" "$work/$(basename "$source").o"; done
}

# The compiler finds its libraries by the plain name of the architecture.
build() { # output sources...
  out=$1
  shift
  policies=
  wrap=
  for source in "$@"; do
    object=$work/policy$(echo "$policies" | wc -w)
    case $source in
      *.c) "$CC" $options $c "$map" -march=rv32imac_zicsr_zifencei -c "$source" -o "$object" ;;
      *)
        wrap=-Wl,--wrap=main,--wrap=main_assisted
        "$CXX" $options $cxx "$map" -march=rv32imac_zicsr_zifencei -c "$source" -o "$object"
        ;;
    esac
    policies="$policies $object"
  done
  "$CC" $options $c "$map" -march=rv32imac -DPICOLIBC_INTEGER_PRINTF_SCANF -nostartfiles -T$firmware/linker.ld \
    -Wl,--build-id=none $wrap -Wl,--fatal-warnings $objects $policies "$work/library.a" -o "$out"
}

build_all() { # folder
  for policy in $firmware/policies/*.c; do
    build "$1/$(basename "$policy" .c).elf" "$policy"
  done
}

check() {
  made_with=$(cat $prebuilt/toolchain.txt)
  if [ "$(toolchain)" != "$made_with" ]; then
    echo "build.sh: skipped: $prebuilt was made with $made_with, here is $(toolchain)"
    exit 77
  fi
  folder=$work/programs
  mkdir "$folder"
  build_all "$folder"
  different=0
  for program in "$folder"/*.elf $prebuilt/*.elf; do
    name=$(basename "$program")
    cmp -s "$folder/$name" "$prebuilt/$name" && continue
    different=1
    echo "build.sh: $prebuilt/$name does not come from the sources in $firmware; run $firmware/build.sh" >&2
  done
  exit $different
}

sources= output= check=no
while [ $# -gt 0 ]; do
  case $1 in
    --check) check=yes ;;
    -o)
      [ $# -gt 1 ] || fail "-o needs a file"
      output=$2
      shift
      ;;
    -*) fail "unknown option $1; usage: build.sh [POLICY.c [MORE.c MORE.cpp ...] [-o FILE]] | --check" ;;
    *.c | *.cpp | *.cc)
      [ -f "$1" ] || fail "$1: no such file"
      [ -n "$sources" ] || first=$1
      path=$(realpath "$1")
      case $path in "$root"/*) path=${path#"$root"/} ;; esac
      case $path in *[[:space:]]*) fail "$path: a path with white space" ;; esac
      sources="$sources $path"
      ;;
    *) fail "$1: neither C (.c) nor C++ (.cpp, .cc)" ;;
  esac
  shift
done

if ! command -v "$CC" > /dev/null; then
  echo "build.sh: skipped: no $CC here; install gcc-riscv64-unknown-elf and picolibc-riscv64-unknown-elf, or set" \
    "FIRMWARE_CC" >&2
  [ $check = yes ] && exit 77
  exit 1
fi

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

if [ -n "$sources" ]; then
  [ -n "$output" ] || output=${first%.*}.elf
  output=$(realpath -m "$output")
  cd "$root"
  compile_common
  build "$output" $sources
  exit
fi
[ -z "$output" ] || fail "-o needs a policy to build"
cd "$root"
compile_common
[ $check = no ] || check
toolchain > $prebuilt/toolchain.txt
build_all $prebuilt
