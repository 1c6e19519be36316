#!/usr/bin/env python3
"""What a simulated warp instruction costs, in instructions of the host, beside what is stored in bench/history.tsv.

usage: bench/history.py WARPVP [--store]

Instructions of the host are counted by valgrind (callgrind), so that figures repeat whatever else the machine does and can be
set beside those of other days and machines with the same compiler; they know nothing of caches, which bench/paired.py
measures. Printed are the last stored row, today's and the ratio; kernels that take more than 5 % more are named, and the exit
status is then 1. --store adds a row with the commit's date and name; the tree must have no uncommitted changes.
"""

import json
import os
import re
import subprocess
import sys
import tempfile

from runs import ANCHOR, ROOT, with_settings

HISTORY = ROOT / "bench/history.tsv"
AIM = 1.05
# Title, and settings of anchor.yaml: small enough to be counted in seconds, on all 80 SMs.
KERNELS = {
    "vector_add": ["workload=bench_vector_add", "workload.params.count=262144"],
    "sgemm": ["workload=bench_sgemm", "workload.params.m=128", "workload.params.n=256", "workload.params.k=128"],
    "conv2d": ["workload=bench_conv2d", "workload.params.rows=256"],
    "atax": ["workload=bench_atax", "workload.params.rows=256"],
    "bfs": ["workload=bfs"],
    "sgemm_darsie": ["workload=bench_sgemm", "workload.params.m=128", "workload.params.n=256", "workload.params.k=128",
                     "platform.sm.frontend.mode=darsie"],
    "pair_qaws": ["workload=pair", "platform.sm.warp_scheduler=qaws"],
}


def count(warpvp, settings):
    """Instructions of the host for a simulated warp instruction, of the whole process."""
    with tempfile.TemporaryDirectory() as out:
        command = with_settings(["valgrind", "--tool=callgrind", f"--callgrind-out-file={out}/counts", warpvp, "run",
                                 ANCHOR, "--quiet", "--out", f"{out}/run"], settings)
        try:
            done = subprocess.run(command, capture_output=True, text=True, check=False)
        except FileNotFoundError:
            sys.exit("valgrind was not found (Debian: valgrind, or tools/install-packages bench)")
        collected = re.search(r"Collected : (\d+)", done.stderr)
        if done.returncode != 0 or not collected:
            sys.exit(f"{' '.join(settings)}: the run failed:\n{done.stderr[-2000:]}")
        with open(f"{out}/run/result.json", encoding="utf-8") as file:
            return round(int(collected[1]) / json.load(file)["simulation"]["warp_instructions"])


def git(*arguments):
    return subprocess.run(["git", "-C", str(ROOT), *arguments], check=True, capture_output=True, text=True).stdout.strip()


def last_row():
    """Title and figure of the last stored row, and its date and commit."""
    lines = [line.split("\t") for line in HISTORY.read_text(encoding="utf-8").splitlines() if not line.startswith("#")]
    heads, last = lines[0], lines[-1]
    if last is heads:
        return {}, ("-", "-")
    return dict(zip(heads[2:], map(int, last[2:]))), (last[0], last[1])


def main():
    if len(sys.argv) not in (2, 3) or sys.argv[2:] not in ([], ["--store"]):
        sys.exit(__doc__)
    store = len(sys.argv) == 3
    if store and git("status", "--porcelain", "--untracked-files=no"):
        sys.exit("the tree has uncommitted changes; a row names a commit")
    warpvp = os.path.abspath(sys.argv[1])
    before, (date, commit) = last_row()
    print(f"host instructions for a warp instruction   {date} {commit}")
    print(f"{'kernel':26}{'stored':>12}{'now':>12}{'ratio':>9}")
    found, more = {}, []
    for title, settings in KERNELS.items():
        found[title] = count(warpvp, settings)
        old = before.get(title)
        ratio = found[title] / old if old else None
        more += [title] if ratio and ratio > AIM else []
        print(f"{title:26}{old if old else '-':>12}{found[title]:>12}{f'{ratio:.3f}' if ratio else '-':>9}", flush=True)
    if more:
        print(f"more than {AIM} times as many: {', '.join(more)}")
    if store:
        row = [git("log", "-1", "--format=%cs"), git("rev-parse", "--short=8", "HEAD"), *map(str, found.values())]
        with open(HISTORY, "a", encoding="utf-8") as file:
            file.write("\t".join(row) + "\n")
    sys.exit(1 if more and not store else 0)


if __name__ == "__main__":
    main()
