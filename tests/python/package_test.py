#!/usr/bin/env python3
"""The Python package, installed by pip as a user does and tested there: usage package_test.py WARPVP

Its tests (python/tests) need pandas, matplotlib and pytest of Debian. Without them it is skipped, with exit status 77."""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
WARPVP = sys.argv[1]
NEEDED = "import pandas, matplotlib, pytest, setuptools, pip, venv, ensurepip"


def interpreter():
    """A Python that has what the tests need: this one, or Debian's beside another one on the path."""
    for candidate in (sys.executable, "/usr/bin/python3"):
        found = subprocess.run([candidate, "-c", NEEDED], capture_output=True, text=True, check=False)
        if found.returncode == 0:
            return candidate, ""
        why = found.stderr.strip().splitlines()[-1:]
    return None, why[0] if why else "no Python"


def main():
    python, why = interpreter()
    if not python:
        print(f"SKIPPED: {why} (packages.txt, group python: make test installs them)")
        return 77
    versions = [re.search(r'version = "(.*?)"', (ROOT / "python/pyproject.toml").read_text(encoding="utf-8"))[1],
                re.search(r'__version__ = "(.*?)"', (ROOT / "python/warpvp/__init__.py").read_text(encoding="utf-8"))[1],
                re.search(r"project\(warpvp VERSION (\S+)", (ROOT / "CMakeLists.txt").read_text(encoding="utf-8"))[1]]
    assert len(set(versions)) == 1, f"pyproject.toml, __init__.py and CMakeLists.txt differ in the version: {versions}"
    with tempfile.TemporaryDirectory() as scratch:
        scratch = pathlib.Path(scratch)
        shutil.copytree(ROOT / "python", scratch / "python")  # building leaves files beside the sources
        environment = {k: v for k, v in os.environ.items() if not k.startswith(("PYTHON", "PIP_"))}
        environment.update(PIP_DISABLE_PIP_VERSION_CHECK="1", WARPVP=str(pathlib.Path(WARPVP).resolve()))
        subprocess.run([python, "-m", "venv", "--system-site-packages", scratch / "venv"], check=True, env=environment)
        inside = scratch / "venv/bin/python"
        subprocess.run([inside, "-m", "pip", "install", "--quiet", "--no-build-isolation", "--no-deps", "--no-index",
                        scratch / "python"], check=True, env=environment)
        (scratch / "elsewhere").mkdir()
        # What is tested is the installed package; loading needs neither pandas nor matplotlib.
        probe = ("import sys, warpvp; assert 'venv' in warpvp.__file__, warpvp.__file__; "
                 "assert not {'pandas', 'matplotlib'} & set(sys.modules); print(warpvp.__version__)")
        shown = subprocess.run([inside, "-c", probe], check=True, env=environment, cwd=scratch / "elsewhere",
                               capture_output=True, text=True).stdout.strip()
        assert shown == versions[0], shown
        shutil.copytree(ROOT / "python/tests", scratch / "elsewhere/tests")
        return subprocess.run([inside, "-m", "pytest", "-q", "-p", "no:cacheprovider", "tests"], env=environment,
                              cwd=scratch / "elsewhere", check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
