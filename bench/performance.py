#!/usr/bin/env python3
"""What simulation costs: 25 kernels, and how cost grows with SMs, CTAs, kernels at once and simulated time.

usage: bench/performance.py WARPVP > docs/performance.md      (make performance; about ten minutes of a quiet machine)

Processor time of whole processes on one thread, the least of three taken in turn.
"""

import os
import sys

from runs import cpu_seconds, run

TIMES = 3
KERNELS = {
    "bench_vector_add": "vector addition, 1M elements", "bench_sgemm": "tiled SGEMM, 256 x 256 x 256",
    "bench_conv2d": "3x3 convolution, 512 x 512", "bench_atax": "ATAX, 512 x 512", "backprop_forward": "back-propagation, forward",
    "binomial_options": "binomial options", "bfs": "breadth-first search", "ccbp_bt": "B+ tree, ranges", "ccbp_cfd": "CFD flux",
    "ccbp_ftd": "FDTD-2D, ey", "ccbp_hg": "histogram of bucket sort", "ccbp_km": "k-means", "ccbp_lav": "lavaMD",
    "ccbp_lbm": "lattice Boltzmann", "ccbp_sad": "sums of absolute differences", "ccbp_srt": "merge sort of lists",
    "dxtc": "DXT compression", "floyd_warshall": "Floyd-Warshall", "libor": "LIBOR paths", "matmul_half": "matrix product on tensor cores",
    "merge_sort": "merge sort in shared memory", "nonlocal_means": "non-local means", "pathfinder": "path finder",
    "quasirandom": "quasi-random numbers", "scan": "prefix sum",
}


def least(warpvp, ways):
    """For each way, its result, the least of its times and its memory, taken in turn."""
    found = [None] * len(ways)
    for _ in range(TIMES):
        for i, way in enumerate(ways):
            result, usage = run(warpvp, way)
            if found[i] is None or cpu_seconds(usage) < found[i][1]:
                found[i] = (result, cpu_seconds(usage), usage.ru_maxrss / 1024)
    return found


def kernels(warpvp, empty):
    print("| kernel | warp instructions | cycles | L2 transactions | CPU s | ns a warp instruction | ns a transaction "
          "| kilo-warp-instructions/s | peak MB | window 64 |")
    print("|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|")
    for workload, title in KERNELS.items():
        (result, seconds, memory), (_, windows, _) = least(
            warpvp, [[f"workload={workload}"], [f"workload={workload}", "platform.evaluation.window=64"]])
        simulation, accesses = result["simulation"], result["l2"]["accesses"]
        instructions = simulation["warp_instructions"]
        spent = max(seconds - empty, 0)
        print(f"| {title} | {instructions:,} | {simulation['kernel_cycles']:,} | {accesses:,} | {seconds:.2f} "
              f"| {1e9 * spent / instructions:,.0f} | {1e9 * spent / accesses:,.0f} | {instructions / 1000 / seconds:,.0f} "
              f"| {memory:.0f} | {seconds / windows:.2f}x |", flush=True)


def growth(warpvp, empty, title, head, rows):
    """Rows of (name, settings)."""
    costs = []
    print(f"\n**{title}**\n")
    print(f"| {head} | warp instructions | cycles | CPU s | ns a warp instruction | peak MB |")
    print("|---|---:|---:|---:|---:|---:|")
    for name, settings in rows:
        (result, seconds, memory), = least(warpvp, [settings])
        simulation = result["simulation"]
        instructions = simulation["warp_instructions"]
        spent = seconds - empty
        costs += [1e9 * spent / instructions] if spent > 0.02 else []  # less is noise
        each = f"{costs[-1]:,.0f}" if spent > 0.02 else "-"
        print(f"| {name} | {instructions:,} | {simulation['cycles']:,} | {seconds:.2f} | {each} | {memory:.0f} |", flush=True)
    print(f"\nThe last row's cost of a warp instruction is {costs[-1] / costs[0]:.2f} times the first's.", flush=True)


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    warpvp = os.path.abspath(sys.argv[1])
    (_, empty, _), = least(warpvp, [["workload=bench_vector_add", "workload.params.count=256"]])
    with open("/proc/cpuinfo", encoding="utf-8") as file:
        model = next((line.split(":")[1].strip() for line in file if line.startswith("model name")), "of unknown name")
    print(f"""<!-- Written by `make performance`; change bench/performance.py, not this file. -->

# Performance

What simulation costs the host: processor time of whole processes on one thread, the least of {TIMES} taken in turn, on a
processor "{model}". A run that does next to nothing takes {empty:.2f} s (start, reading, building the platform); it is
taken off before anything is divided. Beside GPGPU-Sim: [results](results/gpgpu-sim.md); windows and threads:
[architecture](architecture.md#windows); where time goes: `make profile`; what a change costs: `make paired BASE=COMMIT`, and
`bench/history.tsv`, which `make bench` compares with.

## 25 kernels

On `titan_v` (80 SMs), edge by edge; the last column is the gain of `platform.evaluation.window: 64`. Copies between host
and device are simulated too, and are part of the time.
""")
    kernels(warpvp, empty)
    print("""
## How cost grows

On `titan_v`, one thing changed at a time.""")
    growth(warpvp, empty, "SMs, the same work: tiled SGEMM, 256 CTAs", "SMs",
           [(n, ["workload=bench_sgemm", f"platform.sms={n}"]) for n in (1, 5, 20, 40, 80, 144)])
    growth(warpvp, empty, "SMs, work in proportion: 2 CTAs of 16 rows each an SM", "SMs",
           [(n, ["workload=bench_sgemm", f"platform.sms={n}", f"workload.params.m={2 * n}", "workload.params.n=256"])
            for n in (16, 32, 64, 128)])
    growth(warpvp, empty, "CTAs: vector addition", "elements",
           [(f"{2 ** n:,}", ["workload=bench_vector_add", f"workload.params.count={2 ** n}"]) for n in range(16, 22)])
    growth(warpvp, empty, "Kernels at once: streams of small kernels", "streams",
           [(n, ["workload=many_streams", f"workload.params.streams={n}"]) for n in (1, 4, 16, 64)])
    growth(warpvp, empty, "Simulated time: the same kernel again and again", "launches",
           [(n, ["workload=floyd_warshall", f"workload.params.vertices={n}"]) for n in (32, 64, 128)])


if __name__ == "__main__":
    main()
