#!/usr/bin/env python3
"""What a kernel of the CCBP study reaches alone stands in figures/ccbp-alone.tsv, by pairs and mixes in tables of their own, and in thousandths
as alone_ipc in the experiments: they are the same numbers everywhere. Those of ccbp_queues and ccbp_lines, whose L1 is another, stand
in figures/ccbp-alone-l1.tsv, those of ccbp_chips, on other platforms, in figures/ccbp-chips.tsv."""
import pathlib
import re
import sys

CONFIGS = pathlib.Path(__file__).resolve().parents[2] / "configs"
FIGURES = CONFIGS / "figures"
NAME = re.compile(r'name: "?([A-Z]+(?:\+[A-Z]+)+)\b')
GIVEN = re.compile(r"alone_ipc: \[([\d, ]+)\]")


def rows(name):
    lines = [line.split("\t") for line in (FIGURES / name).read_text().splitlines() if not line.startswith("#")]
    return lines[1:]


alone = {kernel: float(ipc) for kernel, ipc in rows("ccbp-alone.tsv")}
number = lambda text: float(text) if text != "-" else None
another_l1 = rows("ccbp-alone-l1.tsv")
on_fill = {kernel: number(ipc) for kernel, ipc, _ in another_l1}
on_chips = {pair: [float(n) for n in numbers] for pair, *numbers in rows("ccbp-chips.tsv")}
free = {kernel: float(ipc) for kernel, _, ipc in another_l1}
wrong = []
for table in ["ccbp-pairs.tsv", "ccbp-three.tsv", "ccbp-four.tsv"]:
    for mix, *numbers in rows(table):
        if [alone[kernel] for kernel in mix.split("+")] != [float(n) for n in numbers]:
            wrong.append(f"{table}: {mix}")
seen = 0
for file in sorted((CONFIGS / "experiments").glob("ccbp_*.yaml")):
    text = file.read_text()
    for given in GIVEN.finditer(text):
        names = NAME.findall(text, 0, given.start())
        if file.name == "ccbp_chips.yaml":
            pair = re.findall(r'name: "([A-Z+]+, \w+)"', text[:given.start()])[-1]
            if [int(n) for n in given.group(1).split(",")] != [round(n * 1000) for n in on_chips[pair]]:
                wrong.append(f"{file.name}: alone_ipc of {pair}")
            continue
        mix = names[-1] if names else "HG+LBM+SAD"  # ccbp_latency has these alone
        line = text[text.rfind("\n", 0, given.start()):given.start()]
        known = alone if file.name not in ("ccbp_queues.yaml", "ccbp_lines.yaml") else on_fill if "fill {" in line or "*fill" in line else free
        seen += 1
        if [int(n) for n in given.group(1).split(",")] != [round(known[kernel] * 1000) for kernel in mix.split("+")]:
            wrong.append(f"{file.name}: alone_ipc of {mix}")
if seen < 150:
    wrong.append(f"only {seen} alone_ipc found")
print("\n".join(wrong) or f"{seen} alone_ipc as in {len(alone)} figures")
sys.exit(bool(wrong))
