#!/usr/bin/env python3
"""`make qemu-test` with a QEMU that is too old, or none, ends in one line that says what is needed: old_qemu_test.py RUN BUILD PLACE."""

import os
import subprocess
import sys

script, build, place = sys.argv[1:4]
os.makedirs(place, exist_ok=True)
qemu = os.path.join(place, "qemu-system-x86_64")
NEEDED = "QEMU 10.1 or later is needed (vfio-user); docs/serve.md says how to get one\n"


def said(*words):
    ended = subprocess.run([sys.executable, script, build, place, *words], capture_output=True, text=True,
                           env=dict(os.environ, PATH=place + ":/usr/bin:/bin"))
    assert ended.returncode == 2 and not ended.stdout, ended
    return ended.stderr


for version, shown in (("version 7.2.15 (Debian 1:7.2+dfsg-7)", "7.2"), ("version 10.0.1", "10.0")):
    with open(qemu, "w") as file:
        file.write(f"#!/bin/sh\necho 'QEMU emulator {version}'\n")
    os.chmod(qemu, 0o755)
    assert said() == f"qemu-test: QEMU here is {shown}: {NEEDED}", said()
assert said(place) == f"qemu-test: there is no qemu-system-x86_64 in {place}: {NEEDED}", said(place)
