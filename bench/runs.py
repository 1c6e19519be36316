"""One run of configs/experiments/anchor.yaml, as the scripts here time them."""

import json
import os
import pathlib
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
ANCHOR = str(ROOT / "configs/experiments/anchor.yaml")


def with_settings(command, settings):
    return command + [word for setting in settings for word in ("--set", setting)]


def run(warpvp, settings):
    """result.json, and what the process used (resource.struct_rusage). Ends the script where the run fails."""
    with tempfile.TemporaryDirectory() as out:
        pid = os.posix_spawn(warpvp, with_settings([warpvp, "run", ANCHOR, "--quiet", "--out", out], settings), os.environ)
        _, status, usage = os.wait4(pid, 0)
        if os.waitstatus_to_exitcode(status) != 0:
            sys.exit(f"{warpvp}: {' '.join(settings)}: the run failed")
        with open(os.path.join(out, "result.json"), encoding="utf-8") as file:
            result = json.load(file)
    if not result["verified"]:
        sys.exit(f"{warpvp}: {' '.join(settings)}: result not verified")
    return result, usage


def cpu_seconds(usage):
    return usage.ru_utime + usage.ru_stime
