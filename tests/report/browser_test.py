#!/usr/bin/env python3
"""Reports in a browser: all charts drawn, nothing on the console, nothing wider than the screen, tables that sort and
timelines that zoom by their buttons, names for screen readers; on a phone and a desk, in light and dark.

usage: browser_test.py WARPVP [FOLDER]     with FOLDER: keep the pages and a screenshot of each there
"""
import html
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

BROWSERS = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")
SKIPPED = 77  # CTest's SKIP_RETURN_CODE
WIDTHS = (390, 1280)
SCHEMES = {"dark": 0, "light": 1}

RUN = """
platform: small
workload: {app: many_streams}
output: {instructions: true}
"""

# A title that would end the data's element, and markup that must stay text.
EXPERIMENT = """
experiment: schedulers
description: "</script><script>throw 'data became script'</script> two schedulers & <b>two</b> sizes"
base:
  platform: small
  workload: {app: vector_add, params: {count: 2048}}
matrix:
  scheduler: {setting: platform.sm.warp_scheduler, values: [lrr, gto]}
  count: {setting: workload.params.count, values: [1024, 2048, 4096]}
table:
  rows: count
  across: scheduler
  values:
    - {key: simulation.kernel_cycles, title: cycles}
    - {key: simulation.warp_instructions, title: instructions, plot: line}
  foot: mean
"""

# Runs first: what goes wrong anywhere in the page is kept.
LISTENER = """<script>
window.problems = [];
addEventListener("error", (event) => problems.push("error: " + event.message));
addEventListener("securitypolicyviolation", (event) => problems.push("loads " + event.blockedURI));
</script>"""

# Runs last: looks at the page and writes down what it found.
CHECKS = """<script>
const check = (holds, what) => { if (!holds) problems.push(what); };
const data = JSON.parse(document.getElementById("data").textContent);
const charts = data.sections.flatMap((section) => section.charts);
const canvases = [...document.querySelectorAll("canvas")];
let whiskers = 0;
check(charts.length > 0, "no charts");
check(canvases.length === charts.length, canvases.length + " canvases of " + charts.length + " charts");
for (const canvas of canvases) {
  const chart = Chart.getChart(canvas);
  check(chart !== undefined, canvas.id + " has no chart");
  const pixels = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data;
  const wanted = charts.find((c) => "chart-" + c.id === canvas.id);
  // Of each colour of the chart some pixels are there; edges are mixed with what lies behind.
  const colours = new Set();
  const rough = (red, green, blue) => red >> 4 << 8 | green >> 4 << 4 | blue >> 4;
  for (let i = 0; i < pixels.length; i += 4)
    if (pixels[i + 3] > 100) colours.add(rough(pixels[i], pixels[i + 1], pixels[i + 2]));
  const parts = (colour) => [1, 3, 5].map((at) => parseInt(colour.slice(at, at + 2), 16));
  const near = ([red, green, blue]) => [-8, 0, 8].some((a) => [-8, 0, 8].some((b) => [-8, 0, 8].some((c) =>
      colours.has(rough(red + a, green + b, blue + c)))));
  for (const set of chart.data.datasets) check(near(parts(set.borderColor)), canvas.id + ": not drawn: " + set.label);
  check(chart.data.datasets.length === wanted.series.length, canvas.id + ": not all series");
  check(canvas.getAttribute("aria-label").length > 20, canvas.id + " has no words");
  // Halfway between a value and the end of its interval there is a whisker, drawn in the colour of texts.
  const ink = chart.options.color.match(/[0-9a-f]{2}/g).map((part) => parseInt(part, 16));
  chart.data.datasets.forEach((set, s) => (set.low || []).forEach((low, i) => {
    const mark = chart.getDatasetMeta(s).data[i], ratio = canvas.width / canvas.clientWidth;
    check(chart.scales.y.max >= set.high[i], canvas.id + ": an error bar leaves the chart");
    const y = chart.scales.y.getPixelForValue((set.data[i] + set.high[i]) / 2);
    const place = 4 * (Math.floor(y * ratio) * canvas.width + Math.floor(mark.x * ratio));
    const [red, green, blue, alpha] = pixels.slice(place, place + 4);
    whiskers += alpha > 90 && [red, green, blue].every((part, c) => Math.abs(part - ink[c]) < 24);
  }));
  const details = canvas.closest("figure").querySelector("details");
  details.open = true;
  details.dispatchEvent(new Event("toggle"));
  const points = wanted.spans ? wanted.spans.length
      : wanted.kind === "scatter" ? wanted.series.reduce((n, s) => n + s.y.length, 0)
      : wanted.categories.length || wanted.series[0].y.length;
  check(details.querySelectorAll("tbody tr").length === points, canvas.id + ": its table is not its data");
  details.open = false;
}
check(document.documentElement.scrollWidth <= innerWidth, "wider than the screen: " + document.documentElement.scrollWidth);
check(document.querySelectorAll("h1").length === 1, "not one main heading");
check(document.querySelectorAll("section > h2").length === data.sections.length, "sections without headings");
for (const table of document.querySelectorAll("table")) check(table.caption && table.caption.textContent, "a table has no caption");
for (const button of document.querySelectorAll("button"))
  check(button.tabIndex === 0 && (button.textContent.trim() || button.getAttribute("aria-label")), "a button has no name");
for (const link of document.querySelectorAll("nav a"))
  check(document.getElementById(link.hash.slice(1)), link.hash + " leads nowhere");
const sorted = [...document.querySelectorAll("section > .scroll table")].find((t) => t.tBodies[0].rows.length > 1);
check(sorted !== undefined, "no table to sort");
const index = [...sorted.tHead.rows[0].cells].findIndex((cell) => cell.classList.contains("number"));
const column = () => [...sorted.tBodies[0].rows].map((row) => Number(row.cells[index].textContent.replace(/,/g, "")));
const head = sorted.tHead.rows[0].cells[index];
check(head.getAttribute("aria-sort") === "none", "sorted before anybody asked");
head.querySelector("button").click();
check(head.getAttribute("aria-sort") === "descending", "not marked as sorted");
check(column().every((value, i, all) => i === 0 || all[i - 1] >= value), "not sorted down: " + column());
head.querySelector("button").click();
check(column().every((value, i, all) => i === 0 || all[i - 1] <= value), "not sorted up: " + column());
const zoomed = canvases.map((canvas) => Chart.getChart(canvas)).filter((chart, i) => charts[i].time);
if (zoomed.length) {
  const width = () => zoomed.map((chart) => chart.scales.x.max - chart.scales.x.min);
  const before = width();
  document.querySelector("button[aria-label='Zoom in']").click();
  check(width().every((w, i) => Math.abs(w / before[i] - 0.5) < 0.01), "zooming: " + before + " to " + width());
  document.querySelector("button[aria-label='Whole run']").click();
  check(width().every((w, i) => Math.abs(w / before[i] - 1) < 0.01), "zooming out: " + before + " to " + width());
}
check(matchMedia("(prefers-color-scheme: dark)").matches === EXPECT_DARK, "not the colour scheme that was asked for");
const brightness = (colour) => colour.match(/\\d+/g).slice(0, 3).reduce((sum, part) => sum + Number(part), 0);
check(brightness(getComputedStyle(document.body).backgroundColor) < 382 === EXPECT_DARK, "background of the other scheme");
const found = document.createElement("pre");
found.id = "found";
found.textContent = JSON.stringify({problems, whiskers, charts: charts.map((c) => c.id), sections: data.sections.map((s) => s.id),
  width: innerWidth, links: [...document.querySelectorAll("tbody a")].map((a) => a.getAttribute("href"))});
document.body.append(found);
</script>"""


def browse(browser, page, width, scheme, *more):
    with tempfile.TemporaryDirectory() as profile:
        # Headless windows have a least width; a frame of the wanted one shows the page as the phone does.
        command = [browser, "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
                   "--disable-background-networking", "--disable-component-update", "--disable-sync",
                   "--hide-scrollbars", "--enable-logging=stderr", "--virtual-time-budget=20000",
                   f"--user-data-dir={profile}", f"--window-size={width},1000",
                   f"--blink-settings=preferredColorScheme={SCHEMES[scheme]}", *more, page.as_uri()]
        return subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)


def check_page(browser, report, width, scheme, folder):
    text = report.read_text(encoding="utf-8")
    name = f"{report.parent.name}-{width}-{scheme}"
    page = folder / f"{name}.html"
    checks = CHECKS.replace("EXPECT_DARK", "true" if scheme == "dark" else "false")
    page.write_text(text.replace("<head>", "<head>" + LISTENER, 1).replace("</body>", checks + "</body>"),
                    encoding="utf-8")
    run = browse(browser, page, width, scheme, "--dump-dom")
    found = re.search(r'<pre id="found">(.*?)</pre>', run.stdout, re.S)
    console = [line for line in run.stderr.splitlines() if "CONSOLE" in line]
    if not found:
        return None, [f"{name}: the page's scripts did not come to their end", *console, run.stderr[-2000:]]
    seen = json.loads(html.unescape(found.group(1)))
    problems = [f"{name}: {problem}" for problem in seen["problems"] + console]
    if seen["width"] != width:
        problems.append(f"{name}: the browser's window is {seen['width']} wide")
    return seen, problems


def screenshot(browser, report, width, scheme, folder):
    file = folder / f"{report.parent.name}-{width}-{scheme}.png"
    browse(browser, report, width, scheme, f"--screenshot={file}", f"--window-size={width},6000")


def make_intervals(run):
    """Interval statistics of the run's own times, if it has written none."""
    if (run / "intervals.csv").exists():
        return
    result = json.loads((run / "result.json").read_text())
    total = result["simulation"]["time_us"]
    lines = ["time_us,cycle,simulation.warp_instructions,sms.resident_warps,kernels.stalls.raw_long,kernels.stalls.fetch,"
             "l2.accesses,l2.hits,dram.read_bytes,dram.written_bytes,noc.request.flits"]
    for i in range(1, 101):
        lines.append(f"{total * i / 100},{i * 100},{50 + i % 7},{i % 40},{i * 3},{100 - i},40,{i % 40},{i * 320},{i * 32},{i * 5}")
    (run / "intervals.csv").write_text("\n".join(lines) + "\n")


def give_intervals(file):
    """Intervals of a tenth around the six values of the first chart."""
    data = json.loads(file.read_text())
    for series in data["page"]["sections"][0]["charts"][0]["series"]:
        series["low"] = [0.9 * y for y in series["y"]]
        series["high"] = [1.1 * y for y in series["y"]]
    file.write_text(json.dumps(data))


def main():
    program = Path(sys.argv[1]).resolve()
    browser = next(filter(None, map(shutil.which, BROWSERS)), None)
    if browser is None:
        print("SKIPPED: no Chromium here; `tools/install-packages browser` installs it")
        return SKIPPED
    kept = Path(sys.argv[2]).resolve() if len(sys.argv) > 2 else None
    problems = []
    with tempfile.TemporaryDirectory() as temporary:
        folder = kept or Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "run.yaml").write_text(RUN)
        (folder / "experiment.yaml").write_text(EXPERIMENT)

        def warpvp(*words):
            done = subprocess.run([program, *words], cwd=folder, capture_output=True, text=True, check=False)
            if done.returncode:
                sys.exit(f"warpvp {' '.join(map(str, words))} ended with {done.returncode}:\n{done.stdout}{done.stderr}")

        warpvp("run", "run.yaml", "--out", "run", "--set", "platform.command_processor.core.profile=profile.txt")
        make_intervals(folder / "run")
        warpvp("report", "run")
        warpvp("experiment", "experiment.yaml", "--out", "experiment", "--jobs", "2")
        give_intervals(folder / "experiment" / "report.json")
        warpvp("report", "experiment")
        expected = {
            "run": {"timeline", "kernels", "stalls", "over-time", "memory", "roofline", "hot-lines", "firmware", "sms"},
            "experiment": {"table-1", "runs"},
        }
        for name, sections in expected.items():
            report = folder / name / "report.html"
            for width in WIDTHS:
                for scheme in SCHEMES:
                    seen, found = check_page(browser, report, width, scheme, folder)
                    problems += found
                    if seen and not sections <= set(seen["sections"]):
                        problems.append(f"{name}: sections {sorted(sections - set(seen['sections']))} are missing")
                    for link in seen["links"] if seen else []:
                        if not (report.parent / link).is_file():
                            problems.append(f"{name}: the link {link} leads nowhere")
                    if seen and name == "experiment" and len(seen["links"]) != 6:
                        problems.append(f"{name}: {len(seen['links'])} links to 6 runs")
                    if seen and seen["whiskers"] != (6 if name == "experiment" else 0):
                        problems.append(f"{name}: {seen['whiskers']} error bars")
                    if kept:
                        screenshot(browser, report, width, scheme, folder)
    print("\n".join(problems[:40]) or f"{len(expected)} reports, {len(WIDTHS)} widths, {len(SCHEMES)} colour schemes: fine")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
