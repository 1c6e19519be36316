#!/usr/bin/env python3
"""tools/silicon-compare on a launch list of our own: usage silicon_compare_test.py WARPVP"""

import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
WARPVP = sys.argv.pop(1)

LIST = f"""buffers:
  a: {{type: f32, count: 4096, init: iota}}
  b: {{type: f32, count: 4096, init: iota}}
  c: {{type: f32, count: 4096, init: zero}}
launches:
  - {{ptx: {ROOT}/sw/kernels/vector_add.ptx, entry: vector_add, grid: [16], block: [256],
      args: [{{buffer: a}}, {{buffer: b}}, {{buffer: c}}, {{u32: 4096}}]}}
  - {{ptx: {ROOT}/sw/kernels/vector_add.ptx, entry: vector_add, grid: [8], block: [256],
      args: [{{buffer: a}}, {{buffer: b}}, {{buffer: c}}, {{u32: 2048}}]}}
"""
FIGURES = """# comment
kernel\tsm_cycles\tdram_read_sectors\tshared_warp_instructions\tconstant_requests
adds\t2000\t500\t0\t0
other\t1\t1\t1\t1
"""


class SiliconCompare(unittest.TestCase):
    def setUp(self):
        self.scratch = tempfile.TemporaryDirectory()
        self.folder = pathlib.Path(self.scratch.name)
        (self.folder / "adds.yaml").write_text(LIST, encoding="utf-8")
        (self.folder / "figures.tsv").write_text(FIGURES, encoding="utf-8")

    def tearDown(self):
        self.scratch.cleanup()

    def run_tool(self, *words):
        return subprocess.run([str(ROOT / "tools/silicon-compare"), "--warpvp", WARPVP, "--platform", "small", "--figures",
                               str(self.folder / "figures.tsv"), "--out", str(self.folder / "out"), *words],
                              check=False, capture_output=True, text=True)

    def test_ratios_are_means_over_the_launches(self):
        done = self.run_tool("--least", "100", "--counters", "--tsv", str(self.folder / "ours.tsv"), "--set",
                             "platform.work_distributor.launch_cycles=300", "--set",
                             "platform.work_distributor.drain_cycles=200", str(self.folder / "adds.yaml"))
        self.assertEqual(done.returncode, 0, done.stderr)
        kernels = json.loads((self.folder / "out/adds/result.json").read_text(encoding="utf-8"))["kernels"]
        self.assertEqual(len(kernels), 2)
        elapsed = sum(k["elapsed_cycles"] for k in kernels) / 2
        active = sum(k["execution_cycles"] for k in kernels) / 2
        reads = sum(k["profiler"]["dram_read_sectors"] for k in kernels) / 2
        self.assertGreater(elapsed, active + 499)
        row = next(line for line in done.stdout.splitlines() if line.startswith("adds")).split()
        self.assertEqual(row[:5], ["adds", f"{elapsed:.0f}", "2000", f"{elapsed / 2000:.2f}", f"{active / 1500:.2f}"])
        self.assertIn(f"{reads / 500:.2f}", row[5:])
        error = next(line for line in done.stdout.splitlines() if line.startswith("mean absolute error")).split()
        self.assertEqual(error[3], f"{100 * abs(elapsed / 2000 - 1):.1f}")
        headings, ours = (self.folder / "ours.tsv").read_text(encoding="utf-8").splitlines()
        self.assertEqual(headings.split("\t")[:2], ["kernel", "sm_cycles"])
        self.assertEqual(ours.split("\t")[:2], ["adds", f"{elapsed:.0f}"])

    def test_a_name_and_an_entry_can_be_given(self):
        done = self.run_tool(f"other={self.folder / 'adds.yaml'}@vector_add")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("other", done.stdout)
        done = self.run_tool(f"other={self.folder / 'adds.yaml'}@nothing")
        self.assertEqual(done.returncode, 1)
        self.assertIn("no launch of 'nothing'; there are: vector_add, vector_add", done.stderr)

    def test_wrong_input_is_one_line(self):
        for words, message in ((["unknown.yaml"], "unknown.yaml: no such file"),
                               ([f"none={self.folder / 'adds.yaml'}"], "no figures for 'none'; there are: adds, other")):
            done = self.run_tool(*words)
            self.assertEqual(done.returncode, 2)
            self.assertEqual(done.stderr, f"silicon-compare: {message}\n")

    def test_a_run_that_fails_is_named(self):
        (self.folder / "other.yaml").write_text(LIST.replace("vector_add.ptx", "absent.ptx"), encoding="utf-8")
        done = self.run_tool(str(self.folder / "other.yaml"), str(self.folder / "adds.yaml"))
        self.assertEqual(done.returncode, 1)
        self.assertIn("silicon-compare: other: exit status 2: ", done.stderr)
        self.assertIn("adds", done.stdout)


if __name__ == "__main__":
    unittest.main()
