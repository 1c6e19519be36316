#!/usr/bin/env python3
"""Where host time goes, part by part: for five kernels, each for a warp instruction and for a transaction.

usage: bench/profile.py WARPVP [PLATFORM]

Each kernel runs on PLATFORM (titan_v) with `profile: true`, which samples the part at work a thousand times a second of
processor time and counts edges; it costs about a hundredth. Printed are nanoseconds of processor time by part for each warp
instruction, nanoseconds of crossbar, L2 and DRAM for each transaction that the L2 takes, and how often blocks are
evaluated: edges for each warp instruction, and those at which nothing moved.
"""

import os
import sys

from runs import cpu_seconds, run

WORKLOADS = ["bench_vector_add", "bench_sgemm", "bench_conv2d", "bench_atax", "bfs"]
MEMORY = ["crossbar", "L2", "DRAM"]


def row(title, cells):
    print(f"{title:34}" + "".join(f"{cell:>12}" for cell in cells), flush=True)


def main():
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    warpvp, platform = os.path.abspath(sys.argv[1]), sys.argv[2] if len(sys.argv) == 3 else "titan_v"
    runs = []
    for workload in WORKLOADS:
        result, usage = run(warpvp, [f"workload={workload}", f"platform={platform}", "profile=true"])
        runs.append((result, cpu_seconds(usage)))
    results = [result for result, _ in runs]
    shares = [result["host"]["time_shares"] for result in results]
    instructions = [result["simulation"]["warp_instructions"] for result in results]
    transactions = [result["l2"]["accesses"] for result in results]

    row("", [workload.removeprefix("bench_") for workload in WORKLOADS])
    row("processor time, s", [f"{seconds:.2f}" for _, seconds in runs])
    row("warp instructions", [f"{n:,}" for n in instructions])
    row("transactions at the L2", [f"{n:,}" for n in transactions])
    print("\nns for each warp instruction")
    parts = sorted({p for s in shares for p in s}, key=lambda p: -sum(s.get(p, 0) for s in shares))
    for part in parts:
        row(part, [f"{1e9 * seconds * s.get(part, 0) / n:.0f}" for (_, seconds), s, n in zip(runs, shares, instructions)])
    row("all", [f"{1e9 * seconds / n:.0f}" for (_, seconds), n in zip(runs, instructions)])
    print("\nns for each transaction at the L2")
    for part in MEMORY:
        row(part, [f"{1e9 * seconds * s.get(part, 0) / n:.0f}" if n else "-"
                   for (_, seconds), s, n in zip(runs, shares, transactions)])
    print("\nedges of blocks for each warp instruction, and in how many of a hundred of them nothing moved")
    edges = [{kind["block"]: kind for kind in result["host"]["edges"]} for result in results]
    for block in sorted({b for e in edges for b in e}, key=lambda b: -sum(e[b]["edges"] for e in edges if b in e)):
        row(block, [f"{e[block]['edges'] / n:.2f}" + (f" {100 * e[block]['in_vain'] // e[block]['edges']:3}" if "in_vain" in e[block] else "    ")
                    if block in e else "-" for e, n in zip(edges, instructions)])


if __name__ == "__main__":
    main()
