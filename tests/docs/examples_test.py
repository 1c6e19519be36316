#!/usr/bin/env python3
"""The policies that docs/firmware.md shows are those of sw/firmware/examples, comments and empty lines aside."""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGE = "docs/firmware.md"


def code(text):
    text = re.sub(r"/\*.*?\*/", "", text, flags=re.DOTALL)
    return [line.rstrip() for line in text.splitlines() if line.strip()]


def main():
    page = (ROOT / PAGE).read_text(encoding="utf-8")
    shown = [code(block) for block in re.findall(r"```c\n(.*?)```", page, flags=re.DOTALL)]
    examples = sorted((ROOT / "sw/firmware/examples").glob("*.c"))
    if not examples:
        print("no examples found")
        return 1
    missing = [e for e in examples if code(e.read_text(encoding="utf-8")) not in shown]
    for example in missing:
        print(f"{PAGE} does not show {example.relative_to(ROOT)} as it is")
    return 1 if missing else 0


if __name__ == "__main__":
    sys.exit(main())
