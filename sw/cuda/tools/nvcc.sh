#!/bin/sh
# The next nvcc in PATH, which makes PTX where it is asked for machine code (-cubin): for programs that have their kernels
# compiled while they run, as PyCUDA does. What is to be loaded is what the file holds, whatever its name.
own=$(cd "$(dirname "$0")" && pwd)
rest=
IFS=:
for folder in $PATH; do
  [ "$folder" -ef "$own" ] || rest=$rest:$folder
done
unset IFS
PATH=${rest#:}
export PATH
machine_code=no output=no source=
for word in "$@"; do
  shift
  case $word in
    -cubin | --cubin) machine_code=yes word=-ptx ;;
    -o | --output-file | -o* | --output-file=*) output=yes ;;
    *.cu) source=$word ;;
  esac
  set -- "$@" "$word"
done
if [ $machine_code = yes ] && [ $output = no ] && [ -n "$source" ]; then
  name=${source##*/}
  set -- "$@" -o "${name%.cu}.cubin"
fi
exec nvcc "$@"
