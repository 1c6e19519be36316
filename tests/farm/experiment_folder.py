"""What the tests of this folder look at in an experiment's folder."""

import json
import pathlib
import sqlite3

# Figures of the host and of how it came about may differ between machines; nothing else may.
APART = ("host", "provenance")

EXPERIMENT = """experiment: farm
base:
  platform: small
  workload: {app: vector_add}
matrix:
  count: {setting: workload.params.count, values: [64, 20000]}
  scheduler: {setting: platform.sm.warp_scheduler, values: [lrr, gto]}
seeds: 4
table:
  rows: count
  across: scheduler
  values: [simulation.cycles, {key: "kernels.*.end_us", title: end}]
  foot: mean
"""


def content(folder):
    """Everything of an experiment's folder that must not depend on who ran what: name to content."""
    folder = pathlib.Path(folder)
    found = {name: (folder / name).read_bytes() for name in ("table.csv", "report.md")}
    for run in sorted((folder / "runs").iterdir()):
        found[f"{run.name}/run.yaml"] = (run / "run.yaml").read_bytes()
        # Numbers as text, so that a difference in the last digit is one.
        result = json.loads((run / "result.json").read_text(encoding="utf-8"), parse_float=str, parse_int=str)
        for key in APART:
            result.pop(key, None)
        found[f"{run.name}/result.json"] = json.dumps(result)
    with sqlite3.connect(folder / "results.db") as database:
        found["runs"] = database.execute("SELECT * FROM runs ORDER BY run_id").fetchall()
        found["stats"] = [row for row in database.execute("SELECT * FROM stats ORDER BY run_id, key")
                          if not row[1].startswith(tuple(f"{key}." for key in APART))]
    return found


def left_over(folder):
    """Claims and heartbeats that are still there."""
    folder = pathlib.Path(folder)
    return sorted(str(f.relative_to(folder)) for pattern in ("runs/*/.claim-*", ".workers/*")
                  for f in folder.glob(pattern))
