#!/usr/bin/env python3
"""The Dockerfile does the two commands of README.md with the packages it names there, and no others:
dockerfile_test.py SOURCE. No container is made: there may be no engine."""
import pathlib
import re
import sys

source = pathlib.Path(sys.argv[1])
readme = (source / "README.md").read_text()
promise = re.search(r"## Two commands\s+On Debian (\d+) with ((?:`\S+`(?: and |, )?)+):\s+```\n(.*?)```", readme, re.S)
assert promise, "README.md does not say what the two commands need"
release, packages, commands = promise.groups()
packages = set(re.findall(r"`(\S+)`", packages))
commands = commands.split("\n")[:-1]

text = re.sub(r"\\\n", " ", (source / "Dockerfile").read_text())
steps = [line.split(None, 1) for line in text.splitlines() if line and not line.startswith("#")]
assert steps[0] == ["FROM", f"debian:{release}"], steps[0]
done = []
installed = set()
for kind, words in steps[1:]:
    if kind == "CMD":
        done.append(" ".join(re.findall(r'"([^"]*)"', words)))
    for command in re.split(r"\s*(?:&&|;)\s*", words) if kind == "RUN" else []:
        found = re.match(r"apt-get install (.*)", command)
        if found:
            installed |= {word for word in found[1].split() if not word.startswith("-")}
        elif command != "apt-get update":
            done.append(command)
assert installed == packages == {"git", "make"}, f"the Dockerfile installs {installed}, README.md names {packages}"
assert done == commands == ["make demo", "make test"], f"the Dockerfile does {done}, README.md {commands}"
