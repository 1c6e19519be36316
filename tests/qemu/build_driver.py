#!/usr/bin/env python3
"""examples/driver builds for Debian's kernel without a warning: build_driver.py PLACE. Skipped (77) without its headers."""

import glob
import os
import re
import shutil
import subprocess
import sys

SOURCE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


def kernel_version():
    """Of the newest headers that are installed; None: there are none."""
    def numbers(path):
        return [int(number) for number in re.findall(r"\d+", os.path.basename(path).replace("amd64", ""))]

    headers = glob.glob("/usr/src/linux-headers-*-amd64")
    return os.path.basename(max(headers, key=numbers)).replace("linux-headers-", "") if headers else None


def build_driver(version, place):
    """The module, built in a copy of the sources as they lie in the tree."""
    shutil.rmtree(place, ignore_errors=True)
    shutil.copytree(os.path.join(SOURCE, "examples/driver"), os.path.join(place, "examples/driver"))
    os.makedirs(os.path.join(place, "sw/runtime"))
    shutil.copy(os.path.join(SOURCE, "sw/runtime/driver_interface.h"), os.path.join(place, "sw/runtime"))
    words = ["make", "-C", os.path.join(place, "examples/driver"), f"KDIR=/usr/src/linux-headers-{version}", "W=1"]
    built = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if built.returncode != 0 or "warning:" in built.stdout:
        sys.exit(f"FAILED: the driver does not build for {version}:\n{built.stdout}")
    return os.path.join(place, "examples/driver/warpvp.ko")


if __name__ == "__main__":
    newest = kernel_version()
    if newest is None:
        print("SKIPPED: no headers of Debian's kernel (packages.txt, group driver: make qemu-test installs them)")
        sys.exit(77)
    build_driver(newest, sys.argv[1])
