#!/usr/bin/env python3
"""Checks the project's Markdown pages: that links lead somewhere, and that numbers quoted from pages of results are theirs;
and that CITATION.cff names the program's version.

usage: tests/docs/links_test.py [--write]

--write puts the present numbers of the pages of results in the place of those that are quoted.
"""

import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
# Page, what quotes a number there, page of results, what has it there; the number is the group of each.
NUMBER = r"([\d.]+)"
SILICON, MICRO, QAWS = "docs/results/silicon.md", "docs/results/micro.md", "docs/results/qaws.md"


def mape_column(table, column):
    """The row `mape` of the table with this title: the number in its column, counted from 1."""
    return rf"(?s)\*\*{table}.*?\| mape \|" + r"[^|]*\|" * (column - 1) + rf" {NUMBER} %"


COUNTS = "Ratio of our count"
QUOTES = [("docs/validation.md", rf"\| {name} \| {NUMBER} % \|", SILICON, source)
          for name, source in [
              ("elapsed cycles", mape_column("Cycles", 1)),
              ("active cycles", mape_column("Cycles", 4)),
              ("sectors read from the L1", mape_column(COUNTS, 1)),
              ("sectors read from the L1 that hit", mape_column(COUNTS, 2)),
              ("sectors read from the L2", mape_column(COUNTS, 4)),
              ("sectors read from the L2 that hit", mape_column(COUNTS, 5)),
              ("sectors read from DRAM", mape_column(COUNTS, 7)),
              ("instructions to shared memory", mape_column(COUNTS, 9)),
              ("constant requests", mape_column(COUNTS, 10)),
          ]]
QUOTES += [("docs/validation.md", rf"{NUMBER}\s\(`{kernel}`\)", SILICON, rf"\| {kernel} \| \d+ \| \d+ \| {NUMBER} \|")
           for kernel in ("findRangeK", "CUDAkernel1DCT")]
CELL = r"([\d.]+|-)"


def row_column(table, row, column):
    """The cell of that row of the table with this title, counted from 1 behind the row's name."""
    return rf"(?s)\*\*{table}.*?\| {row} \|" + r"[^|]*\|" * (column - 1) + rf" {CELL} \|"


# README's table: the ratio of cycles, and four columns of the counts.
QUOTES += [("README.md", rf"\| {kernel} \|" + r"[^|\n]*\|" * column + rf" {CELL} \|", SILICON, row_column(*origin))
           for kernel in ("CUDAkernel2DCT", "srad", "CUDAkernel1DCT", "bpnn_layerforward", "bpnn_adjust_weights",
                          "calculate_temp", "findRangeK", "quasirandomGeneratorKernel", "fwtBatch1", "mysgemm",
                          "mergeSortShared", "ComputeQ", "binomialOptions")
           for column, origin in enumerate([("Cycles", kernel, 3)] + [(COUNTS, kernel, c) for c in (1, 4, 7, 9)])]
QUOTES += [("README.md", r"\| mean absolute error \|" + r"[^|\n]*\|" * column + rf" {NUMBER} % \|", SILICON, origin)
           for column, origin in enumerate([mape_column("Cycles", 1)] +
                                           [mape_column(COUNTS, c) for c in (1, 4, 7, 9)])]
QUOTES += [
    ("docs/validation.md", rf"elapsed cycles is {NUMBER}\.", SILICON, rf"correlation of logarithms {NUMBER}\. "),
    ("docs/validation.md", rf"Volta: {NUMBER} % mean absolute error of\nlatencies", MICRO,
     r"\| mape \|" + r"[^|]*\|" * 2 + rf" {NUMBER} %"),
    ("docs/validation.md", rf"{NUMBER} % of rates", MICRO, r"\| mape \|" + r"[^|]*\|" * 5 + rf" {NUMBER} %"),
    ("docs/validation.md", rf"by how much: {NUMBER} of LRR's", QAWS, rf"QAWS gains K2 {NUMBER} here"),
]
SPEED = "docs/results/gpgpu-sim.md"
QUOTES += [("README.md", quoted, SPEED, r"\| geometric mean \|" + r"[^|]*\|" * column + r"[ *]*(\d+)[ *]*\|")
           for column, quoted in ((2, r"takes (\d+) times\s+warpvp's"), (4, r"(\d+) where warpvp runs machine"),
                                  (5, r"(\d+) in windows of 64"))]
QUOTES += [("README.md", r"The least is (\d+), the aim", SPEED, r"\|---:\|\n(?:\|[^|\n]*){3}\| \*\*(\d+)\*\* \|")]


def anchors_of(text):
    """The anchors of a page's headings, as forges make them: lower case, blanks to hyphens, the rest left out."""
    found, inside = set(), False
    for line in text.splitlines():
        if line.startswith("```"):
            inside = not inside
        elif not inside and line.startswith("#"):
            words = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", line.lstrip("#").strip()).lower()
            found.add(re.sub(r"[^\w\- ]", "", words).replace(" ", "-"))
    return found


def pages():
    folders = [ROOT, ROOT / "docs", ROOT / "docs/results", ROOT / "examples/plugins", ROOT / "examples/embedding"]
    return [page for folder in folders for page in sorted(folder.glob("*.md"))]


def wrong_links(page):
    text = page.read_text(encoding="utf-8")
    outside = re.sub(r"(?ms)^```.*?^```", "", text)
    for target in LINK.findall(re.sub(r"`[^`\n]*`", "", outside)):
        if re.match(r"[a-z]+:", target):
            continue
        path, _, anchor = target.partition("#")
        file = (page.parent / path).resolve() if path else page
        if not file.exists():
            yield f"{page.relative_to(ROOT)}: {target}: no such file"
        elif anchor and anchor not in anchors_of(file.read_text(encoding="utf-8")):
            yield f"{page.relative_to(ROOT)}: {target}: no such heading"


def wrong_quotes(write):
    for page, quote, source, origin in QUOTES:
        text = (ROOT / page).read_text(encoding="utf-8")
        here = re.search(quote, text)
        there = re.search(origin, (ROOT / source).read_text(encoding="utf-8"))
        if not here or not there:
            yield f"{page if not here else source}: nothing like {quote if not here else origin}"
        elif here[1] != there[1]:
            if write:
                (ROOT / page).write_text(text[:here.start(1)] + there[1] + text[here.end(1):], encoding="utf-8")
            else:
                yield f"{page}: '{here[0]}', but {source} has {there[1]}; tests/docs/links_test.py --write corrects it"


def wrong_versions():
    project = re.search(r"project\(warpvp VERSION (\S+)", (ROOT / "CMakeLists.txt").read_text(encoding="utf-8"))[1]
    citation = re.search(r"(?m)^version: (\S+)$", (ROOT / "CITATION.cff").read_text(encoding="utf-8"))[1]
    if citation != project:
        yield f"CITATION.cff: version {citation}, but CMakeLists.txt has {project}"


def main():
    checked = pages()
    wrong = [line for page in checked for line in wrong_links(page)] + list(wrong_quotes("--write" in sys.argv[1:]))
    wrong += wrong_versions()
    print("\n".join(wrong) if wrong else f"{len(checked)} pages, {len(QUOTES)} quoted numbers: all right")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
