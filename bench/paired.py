#!/usr/bin/env python3
"""Two builds of the simulator, timed in turn on the same kernels: what a change costs.

usage: bench/paired.py OLD NEW [ROUNDS]

OLD and NEW are programs; each kernel runs ROUNDS times (5) with either, one right after the other, first the one, then the
other. Printed is the median over the rounds of NEW's processor time for a simulated warp instruction over OLD's, with the
least and the greatest, and whether the two simulate the same cycles. More than 1.05 needs a reason. Exit status 1 when a
kernel is slower than that.
"""

import os
import statistics
import sys

from runs import cpu_seconds, run

# Workload, and settings beside anchor.yaml's.
KERNELS = [("bench_vector_add", []), ("bench_sgemm", []), ("bench_conv2d", []), ("bench_atax", []), ("bfs", []),
           ("bench_sgemm", ["platform.ptx.code=ptx"]), ("bench_sgemm", ["platform.evaluation.window=64"]),
           ("pair", []), ("matmul", ["platform.sm.frontend.mode=darsie"])]
AIM = 1.05


def cost(warpvp, workload, settings):
    """Processor nanoseconds for a warp instruction, and simulated cycles."""
    result, usage = run(warpvp, [f"workload={workload}", *settings])
    simulation = result["simulation"]
    return cpu_seconds(usage) * 1e9 / simulation["warp_instructions"], simulation["cycles"]


def main():
    if len(sys.argv) not in (3, 4):
        sys.exit(__doc__)
    old, new = (os.path.abspath(program) for program in sys.argv[1:3])
    rounds = int(sys.argv[3]) if len(sys.argv) == 4 else 5
    slower = []
    print(f"{'kernel':52}{'old, ns':>9}{'new, ns':>9}{'ratio':>8}{'least':>8}{'most':>8}  cycles")
    for workload, settings in KERNELS:
        times, ratios, cycles = [], [], set()
        for turn in range(rounds):
            programs = [old, new] if turn % 2 == 0 else [new, old]
            found = {program: cost(program, workload, settings) for program in programs}
            times.append((found[old][0], found[new][0]))
            ratios.append(found[new][0] / found[old][0])
            cycles |= {found[old][1], found[new][1]}
        title = " ".join([workload.removeprefix("bench_"), *settings])
        ratio = statistics.median(ratios)
        slower += [title] if ratio > AIM else []
        print(f"{title:52}{min(t[0] for t in times):>9.0f}{min(t[1] for t in times):>9.0f}{ratio:>8.3f}"
              f"{min(ratios):>8.3f}{max(ratios):>8.3f}  {'same' if len(cycles) == 1 else 'differ'}", flush=True)
    if slower:
        print(f"more than {AIM} times as slow: {', '.join(slower)}")
    sys.exit(1 if slower else 0)


if __name__ == "__main__":
    main()
