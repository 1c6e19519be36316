#!/usr/bin/env python3
"""Simulation speed on the four anchor kernels, beside GPGPU-Sim's.

usage: bench/anchors.py WARPVP [KERNEL...]

Runs configs/experiments/anchor.yaml with each kernel, one simulation at a time, and prints simulated cycles, speed
and peak memory; then the same with SMs evaluated for many edges at a time (platform.evaluation.window), on one thread and on
two. Exit status 1 when a run fails or its result is not verified.
"""

import os
import sys
import time

from runs import cpu_seconds, run

# GPGPU-Sim 4.2, PTX mode, 80 SMs, QV100 configuration, one thread, on two cores of the kind CI uses:
# workload, title, its warp instructions, its cycles, its kilo-warp-instructions a second, our aim.
ANCHORS = [
    ("bench_vector_add", "vector add, 1M elements", 720_896, 20_761, 9.3, 930),
    ("bench_sgemm", "tiled SGEMM 256x256x256", 2_021_376, 31_582, 20.8, 2_080),
    ("bench_conv2d", "2DCONV 512x512", 425_056, 10_681, 14.1, 1_410),
    ("bench_atax", "ATAX 512x512", 729_856, 277_243, 5.4, 541),
]


# Edges of a window, threads; each is set beside the first.
WAYS = [(1, 1), (64, 1), (64, 2)]
TIMES = 3  # of each way, taken in turn; the best counts


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    warpvp = os.path.abspath(sys.argv[1])
    chosen = sys.argv[2:] or [a[0] for a in ANCHORS]
    unknown = set(chosen) - {a[0] for a in ANCHORS}
    if unknown:
        sys.exit(f"no anchor {', '.join(sorted(unknown))}; there are {', '.join(a[0] for a in ANCHORS)}")

    print(f"{'':26}{'warp instructions':^24}{'cycles':^20}{'kilo-warp-instructions/s':^36}{'peak':>9}")
    print(f"{'kernel':26}{'GPGPU-Sim':>12}{'warpvp':>12}{'GPGPU-Sim':>11}{'warpvp':>9}"
          f"{'GPGPU-Sim':>11}{'warpvp':>9}{'ratio':>8}{'aim':>8}{'MB':>9}", flush=True)
    for workload, title, instructions, cycles, speed, aim in ANCHORS:
        if workload not in chosen:
            continue
        result, usage = run(warpvp, [f"workload={workload}"])
        simulation = result["simulation"]
        ours = result["host"]["kilo_warp_instructions_per_second"]
        print(f"{title:26}{instructions:>12,}{simulation['warp_instructions']:>12,}"
              f"{cycles:>11,}{simulation['kernel_cycles']:>9,}"
              f"{speed:>11.1f}{ours:>9.0f}{ours / speed:>7.0f}x{aim:>8,}{usage.ru_maxrss / 1024:>9.0f}", flush=True)
    print_windows(warpvp, [a for a in ANCHORS if a[0] in chosen])
    print_breakdown(warpvp, [a for a in ANCHORS if a[0] in chosen])


def print_windows(warpvp, anchors):
    """CPU and wall-clock seconds of the whole process, edge by edge, in windows, and in windows on two threads."""
    heads = "".join(f"{f'window {edges}, {threads} thread(s)':>42}" for edges, threads in WAYS)
    print(f"\n{'whole process':26}{heads}")
    print(f"{'':26}" + f"{'cycles':>15}{'CPU s':>9}{'wall s':>9}{'':>9}" * len(WAYS), flush=True)
    for workload, title, *_ in anchors:
        best = [None] * len(WAYS)
        for _ in range(TIMES):
            for i, (edges, threads) in enumerate(WAYS):
                began = time.monotonic()
                result, usage = run(warpvp, [f"workload={workload}", f"platform.evaluation.window={edges}",
                                             f"platform.evaluation.threads={threads}"])
                cpu, wall = cpu_seconds(usage), time.monotonic() - began
                cycles = result["simulation"]["kernel_cycles"]
                best[i] = (cycles, *(min(pair) for pair in zip((cpu, wall), best[i][1:] if best[i] else (cpu, wall))))
        row = "".join(f"{cycles:>15,}{cpu:>9.2f}{wall:>9.2f}{best[0][2] / wall:>8.2f}x" for cycles, cpu, wall in best)
        print(f"{title:26}{row}", flush=True)


def print_breakdown(warpvp, anchors):
    """Where host time goes, by sampling, in runs of their own."""
    shares = []
    for workload, *_ in anchors:
        shares.append(run(warpvp, [f"workload={workload}", "profile=true"])[0]["host"]["time_shares"])
    parts = sorted({p for s in shares for p in s}, key=lambda p: -sum(s.get(p, 0) for s in shares))
    print(f"\n{'share of host time':34}" + "".join(f"{a[0][6:]:>12}" for a in anchors))
    for part in parts:
        print(f"{part:34}" + "".join(f"{100 * s.get(part, 0):>10.1f} %" for s in shares))


if __name__ == "__main__":
    main()
