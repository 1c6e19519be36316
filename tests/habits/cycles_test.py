#!/usr/bin/env python3
"""The table of tools/cycles, from figures by hand."""

import importlib.machinery
import importlib.util
import pathlib

TOOL = pathlib.Path(__file__).resolve().parents[2] / "tools/cycles"
loader = importlib.machinery.SourceFileLoader("cycles", str(TOOL))
cycles = importlib.util.module_from_spec(importlib.util.spec_from_loader("cycles", loader))
loader.exec_module(cycles)

HEADER = "platform\tworkload\tsimulation.cycles\tdram.reads\n"
old = cycles.rows(HEADER + "small\tatax\t200\t0\nsmall\tbfs\t40\t7\n")
assert old["small", "atax"] == {"simulation.cycles": "200", "dram.reads": "0"}

assert cycles.table(old, old) == []
new = cycles.rows(HEADER + "small\tatax\t190\t3\nsmall\tbfs\t40\t7\nsmall\tspmv\t5\t6\n")
assert cycles.table(old, new) == [
    "| platform | workload | figure | was | is | |",
    "|---|---|---|---:|---:|---:|",
    "| small | atax | dram.reads | 0 | 3 | - |",
    "| small | atax | simulation.cycles | 200 | 190 | -5.00 % |",
    "| small | spmv | dram.reads | - | 6 | - |",
    "| small | spmv | simulation.cycles | - | 5 | - |",
]
