#!/usr/bin/env python3
"""tools/check on a small tree of its own: what it notices in changed lines, and that it leaves the others alone."""

import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
if not all(map(shutil.which, ("git", "clang-format", "clang-tidy"))):
    print("git, clang-format or clang-tidy is not here")
    sys.exit(77)

# Laid out wrongly and with a fault, both before the change: nobody is asked to mend them.
OLD = '#include <string>\nint   old(std::string a) {\n  std::string b = std::move(a);\n  return a.size() + b.size();\n}\n'
GOOD = "int good(int value) { return value + 1; }\n"
WRONG_LAYOUT = "int good( int value ) { return value+1; }\n"
FAULT = "unsigned long bad(std::string a) {\n  std::string b = std::move(a);\n  return a.size() + b.size();\n}\n"

with tempfile.TemporaryDirectory() as folder:
    tree = pathlib.Path(folder)
    environment = {**os.environ, "GIT_CONFIG_GLOBAL": "/dev/null", "GIT_CONFIG_SYSTEM": "/dev/null"}

    def git(*words):
        subprocess.run(["git", "-c", "user.name=t", "-c", "user.email=t@t", *words], cwd=tree, env=environment,
                       check=True, capture_output=True)

    def check(text, *options):
        (tree / "a.cpp").write_text(text, encoding="utf-8")
        run = subprocess.run([tree / "tools/check", "--style-only", *options], cwd=tree, env=environment,
                             capture_output=True, text=True, check=False)
        return run.returncode, run.stdout + run.stderr

    (tree / "tools").mkdir()
    shutil.copy(ROOT / "tools/check", tree / "tools/check")
    for name in (".clang-format", ".clang-tidy"):
        shutil.copy(ROOT / name, tree / name)
    git("init", "-b", "main")
    (tree / ".gitignore").write_text("build\n", encoding="utf-8")
    (tree / "a.cpp").write_text(OLD, encoding="utf-8")

    # Before the first commit there is nothing to compare with, and without a build nothing to read.
    git("add", ".")
    git("commit", "-m", "first")
    status, said = check(OLD)
    assert status == 0 and "no commit before" in said, said
    status, said = check(OLD + GOOD, "--base", "HEAD")
    assert status == 2 and "not configured" in said, said

    (tree / "build/release").mkdir(parents=True)
    (tree / "build/release/compile_commands.json").write_text(
        json.dumps([{"directory": folder, "file": str(tree / "a.cpp"), "command": "c++ -std=c++17 -c a.cpp"}]),
        encoding="utf-8")
    status, said = check(OLD + GOOD, "--base", "HEAD")
    assert status == 0, said
    status, said = check(OLD + WRONG_LAYOUT, "--base", "HEAD")
    assert status == 1 and "a.cpp: changed lines are not laid out" in said, said
    status, said = check(OLD + FAULT, "--base", "HEAD")
    assert status == 1 and "bugprone-use-after-move" in said and ":8:" in said and ":4:" not in said, said
    # A file that git does not know yet is new as a whole.
    (tree / "b.h").write_text(WRONG_LAYOUT, encoding="utf-8")
    status, said = check(OLD, "--base", "HEAD")
    assert status == 1 and "b.h: changed lines" in said, said
