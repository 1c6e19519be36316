#!/usr/bin/env python3
"""A Debian package of the build runs from where it is unpacked: package_test.py BUILD PLACE.

It has its own data, depends on what the program is linked with, and brings completion and a manual page that know every
command and option of the help.
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys

SKIPPED = 77
build, place = (pathlib.Path(word) for word in sys.argv[1:])


def run(*words, **more):
    finished = subprocess.run([str(word) for word in words], text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              **more)
    assert finished.returncode == 0, f"{words}: {finished.returncode}\n{finished.stdout}{finished.stderr}"
    return finished.stdout


for tool in ["cpack", "dpkg-deb", "dpkg-shlibdeps"]:
    if shutil.which(tool) is None:
        print(f"SKIPPED: no {tool} (packages.txt, group package: make test installs it)")
        sys.exit(SKIPPED)
if not (build / "CPackConfig.cmake").exists():
    print("SKIPPED: no package is made with another SystemC than Debian's")
    sys.exit(SKIPPED)

shutil.rmtree(place, ignore_errors=True)
# As `make deb`, compressed less.
run("cpack", "--config", build / "CPackConfig.cmake", "-G", "DEB", "-B", place, "-D", "CPACK_DEBIAN_COMPRESSION_TYPE=gzip")
(package,) = place.glob("*.deb")


def field(name):
    return run("dpkg-deb", "-f", package, name).strip()


root = place / "root"
run("dpkg-deb", "-x", package, root)
program = root / "usr/bin/warpvp"

# The fields.
version = run(program, "--version").split()[1]
assert field("Package") == "warpvp" and field("Version") == version, field("Version")
depends = re.findall(r"(?:^|, )([a-z0-9.+-]+)", field("Depends"))
for library in ["libsystemc", "libyaml-cpp", "libsqlite3", "libelf", "libc6", "libstdc++6", "libboost-program-options",
                "liblz4-1", "libzstd1"]:
    assert any(name.startswith(library) for name in depends), f"{library} is not in {depends}"
assert "libjs-chart.js" in depends, depends

# It runs with what it brought, whatever else is there.
shutil.copy(root / "usr/share/warpvp/configs/platforms/small.yaml",
            root / "usr/share/warpvp/configs/platforms/only_here.yaml")
assert "only_here" in run(program, "list", "platforms")
work = place / "work"
work.mkdir()
run(program, "run", "hello", "--quiet", cwd=work)
assert (work / "runs/hello/result.json").exists()

# CUDA programs get the libraries that came with it.
libraries = root / "usr/lib/warpvp/cuda"
shown = run(program, "cuda", "--platform", "small", "--", "sh", "-c", "echo $LD_LIBRARY_PATH:$LD_PRELOAD", cwd=work).strip()
assert shown.split(":")[0] == str(libraries) and str(libraries / "libwarpvp-static-cudart.so") in shown, shown
for name in ["libcudart.so.11.0", "libcudart.so.12", "libcudart.so.13", "libcuda.so.1", "libwarpvp-cuda.so"]:
    assert (libraries / name).exists(), name

# Programs in C get the runtime's library, its header, and where they lie.
for name in ["lib/libwarpvp-runtime.so.1", "lib/libwarpvp-runtime.so", "include/warpvp_runtime.h"]:
    assert (root / "usr" / name).exists(), name
assert "-lwarpvp-runtime" in (root / "usr/lib/pkgconfig/warpvp-runtime.pc").read_text()
for name in ["warpvp_pci.c", "Makefile"]:
    assert (root / "usr/share/warpvp/examples/driver" / name).exists(), name

# Its completion in bash.
script = root / "usr/share/bash-completion/completions/warpvp"


def complete(*words):
    code = ('source "$1"; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _warpvp "$1"; '
            'printf "%s\\n" "${COMPREPLY[@]}"; complete -p warpvp')
    *candidates, declaration = run("bash", "-c", code, "bash", script, program, *words).splitlines()
    assert declaration == "complete -o bashdefault -o default -F _warpvp warpvp", declaration
    return [word for word in candidates if word]


def names(*kinds):
    return sorted({file.stem for kind in kinds for file in (root / "usr/share/warpvp/configs" / kind).glob("*.yaml")})


commands = re.findall(r"^  (\w+) ", run(program, "--help"), re.M)
assert "experiment" in commands, commands
assert complete("") == sorted(commands + ["--help", "--version"]), complete("")
assert complete("exp") == ["experiment"]
assert complete("run", "--platform", "") == names("platforms")
titans = [name for name in names("platforms") if name.startswith("tit")]
assert len(titans) > 1 and complete("run", "--platform", "=", "tit") == titans
assert complete("run", "--platform=titan_v") == ["--platform=titan_v"]
assert complete("config", "-p", "qv") == ["qv100"]
assert complete("run", "--set", "a=b", "") == names("workloads", "experiments")
assert complete("run", "matmul", "") == [] and complete("run", "/tmp/") == []
assert complete("predict", "swas_sg") == ["swas_sgemm"]
assert complete("list", "warp_s") == ["warp_scheduler"]
assert complete("describe", "qaw")[0] == "qaws"
assert "kernels.response_cycles" in complete("describe", "result", "kernels.")
options = {}
for command in commands:
    if command == "version":
        continue
    options[command] = re.findall(r"^  (?:-\w \[ )?--([\w-]+)", run(program, command, "--help").split("Examples:")[0], re.M)
    assert complete(command, "--") == sorted("--" + name for name in options[command]), command
for name in ["site-functions", "vendor-completions"]:
    assert (root / "usr/share/zsh" / name / "_warpvp").read_text().startswith("#compdef warpvp\n")
if shutil.which("zsh"):
    run("zsh", "-n", root / "usr/share/zsh/site-functions/_warpvp")

# Its manual page.
page = root / "usr/share/man/man1/warpvp.1"
source = page.read_text().replace("\\-", "-")
for command in commands:
    section = re.search(rf"^\.SS {command}\b(.*?)(?=^\.S[SH] )", source, re.M | re.S)
    assert section, f"the manual has no {command}"
    for name in options.get(command, []):
        assert f"\\fB--{name}\\fR" in section[1], f"the manual has no --{name} of {command}"
if shutil.which("man") and shutil.which("groff"):
    plain = dict(os.environ, MANWIDTH="100", LC_ALL="C", MANROFFOPT="-ww", GROFF_NO_SGR="1")
    shown = subprocess.run(["man", "-l", str(page)], env=plain, text=True, stdout=subprocess.PIPE,
                           stderr=subprocess.PIPE)
    assert shown.returncode == 0 and not shown.stderr, shown.stderr
    text = re.sub(".\b", "", shown.stdout)
    assert "warpvp run my_run.yaml --out results/first --seed 7" in text, text
