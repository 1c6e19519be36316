#!/usr/bin/env python3
"""tools/profile-error on one workload: usage profile_error_test.py WARPVP"""

import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
WARPVP = sys.argv.pop(1)


class ProfileError(unittest.TestCase):
    def tool(self, *words):
        with tempfile.TemporaryDirectory() as out:
            return subprocess.run([str(ROOT / "tools/profile-error"), "--warpvp", WARPVP, "--out", out, *words],
                                  capture_output=True, text=True, check=False)

    def test_a_row_for_each_kernel_with_both_grains(self):
        done = self.tool("scan")
        self.assertEqual(done.returncode, 0, done.stderr)
        rows = re.findall(r"\| scan \| (\w+) \| 1 \| \d+ \| (\d+) \| (\d+) \| ([+-][\d.]+) % \|", done.stdout)
        self.assertEqual([row[0] for row in rows], ["scan_blocks", "scan_totals", "scan_add"])
        for _, cycle, profile, error in rows:
            self.assertAlmostEqual(100 * (int(profile) / int(cycle) - 1), float(error), delta=0.06)
            self.assertLess(abs(float(error)), 20)

    def test_a_workload_that_fails_is_named(self):
        done = self.tool("fault_out_of_bounds")
        self.assertEqual(done.returncode, 1)
        self.assertIn("profile-error: fault_out_of_bounds: exit status 3: ", done.stderr)


if __name__ == "__main__":
    unittest.main()
