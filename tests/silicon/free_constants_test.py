#!/usr/bin/env python3
"""A constant of qv100 that was fitted to counters of kernels says in which range nothing contradicts it, `free: LOW to HIGH`, and
silicon_free.yaml runs it at another value of that range."""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
PLATFORMS = ["configs/platforms/qv100.yaml", "configs/platforms/titan_v.yaml"]  # qv100 extends titan_v
EXPERIMENT = "configs/experiments/silicon_free.yaml"
FREE = re.compile(r"free: (\S+) to ([^\s:,]+)")
SETTING = re.compile(r"\s*(\w+):.*?#")


def problems(name, text, run):
    body = text[text.index("\nsm"):]  # what stands above explains the marks
    first = text.count("\n", 0, len(text) - len(body)) + 1
    for number, line in enumerate(body.splitlines(), first):
        place = f"{name}:{number}"
        mark = FREE.search(line)
        if "fitted" in line and not mark:
            yield f"{place}: fitted, without 'free: LOW to HIGH' in the same line"
        if not mark:
            continue
        key = SETTING.match(line) or re.search(r"# (\w+).*, free:", line)
        if not key:
            yield f"{place}: a mark that stands with no setting"
            continue
        key = key.group(1)
        at = re.findall(rf"platform\.[\w.]*\b{key}: ([^\s,}}]+)", run)
        ends = [end.rstrip(".") for end in mark.groups()]
        total = key == "launch_cycles"  # the range is that of a sum
        if not at or not (total or set(at) & set(ends)):
            yield f"{place}: {EXPERIMENT} does not run {key} at {ends[0]} or {ends[1]}"


def main():
    run = (ROOT / EXPERIMENT).read_text(encoding="utf-8")
    wrong = [p for name in PLATFORMS for p in problems(name, (ROOT / name).read_text(encoding="utf-8"), run)]
    print("\n".join(wrong) if wrong else "every fitted constant is marked")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
