#!/usr/bin/env python3
"""`make build` makes what runs need and no test: build_test.py SOURCE BUILD."""
import pathlib
import shutil
import subprocess
import sys

source, build = sys.argv[1:]
words = ["make", "--dry-run", "--no-print-directory", "--directory", source, "build"]
plan = subprocess.run(words, check=True, text=True, stdout=subprocess.PIPE).stdout
targets = [line.partition("--target ")[2].split() for line in plan.splitlines() if "--build" in line]
assert targets == [["program"]], f"make build makes the targets {targets}:\n{plan}"

ninja = shutil.which("ninja") or shutil.which("ninja-build")
if not pathlib.Path(build, "build.ninja").exists():
    sys.exit("this test reads a build by Ninja")
words = [ninja, "-C", build, "-t", "inputs", "program"]
inputs = subprocess.run(words, check=True, text=True, stdout=subprocess.PIPE).stdout.splitlines()
assert any("warpvp.dir/main.cpp.o" in file for file in inputs), "the program is not among what is built"
foreign = [file for file in inputs if file.startswith(("tests/", "bench/")) or "gtest" in file]
assert not foreign, f"make build also makes {foreign[:5]}"
