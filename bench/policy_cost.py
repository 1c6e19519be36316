#!/usr/bin/env python3
"""What each warp and fetch scheduler costs the host on the SGEMM anchor, against lrr.

usage: bench/policy_cost.py WARPVP [ROUNDS [POLICY...]]

Every registered policy runs ROUNDS times (3), each time right after a run with lrr; POLICY is a registered name, or a
selection and a mode of `select` such as oldest/adaptive. The figure is the user time of the process for each warp
instruction, and the ratio the median over the rounds: neither other load nor another number of simulated cycles is
taken for the policy's own doing, though more cycles do cost time. No policy should cost more than 10 % over lrr.
"""

import os
import statistics
import subprocess
import sys

from runs import run

STAGES = [("warp_scheduler", "platform.sm.warp_scheduler"),
          ("fetch_scheduler", "platform.sm.frontend.fetch_scheduler")]
AIM = 1.10


def registered(warpvp, kind):
    text = subprocess.run([warpvp, "list", kind], check=True, capture_output=True, text=True).stdout
    lines = text.splitlines()
    rule = next(i for i, line in enumerate(lines) if line.startswith("---"))
    return [line.split()[0] for line in lines[rule + 1:] if line.strip()]


def settings(place, policy):
    if "/" not in policy:
        return [f"{place}={policy}"]
    selection, mode = policy.split("/")
    return [f"{place}.name=select", f"{place}.selection={selection}", f"{place}.mode={mode}"]


def cost(warpvp, place, policy):
    """User nanoseconds for a warp instruction, and simulated cycles."""
    result, usage = run(warpvp, ["workload=bench_sgemm", *settings(place, policy)])
    simulation = result["simulation"]
    return usage.ru_utime * 1e9 / simulation["warp_instructions"], simulation["kernel_cycles"]


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    warpvp = os.path.abspath(sys.argv[1])
    rounds = int(sys.argv[2]) if len(sys.argv) > 2 else 3
    chosen = sys.argv[3:]
    print(f"{'stage':16}{'policy':24}{'cycles':>10}{'ns/warp instruction':>22}{'against lrr':>13}", flush=True)
    for kind, place in STAGES:
        names = registered(warpvp, kind)
        for policy in [c for c in chosen if "/" in c or c in names] or [n for n in names if n != "lrr"]:
            times, ratios, cycles = [], [], 0
            for _ in range(rounds):
                base, _ = cost(warpvp, place, "lrr")
                time, cycles = cost(warpvp, place, policy)
                times.append(time)
                ratios.append(time / base)
            ratio = statistics.median(ratios)
            print(f"{kind:16}{policy:24}{cycles:>10,}{statistics.median(times):>22.0f}{ratio:>13.2f}"
                  f"{'   above the aim' if ratio > AIM else ''}", flush=True)


if __name__ == "__main__":
    main()
