#!/usr/bin/env python3
"""An experiment as an array job of a real Slurm: usage slurm_test.py WARPVP

Starts a Slurm of one node itself. Without Slurm's programs it is skipped, with exit status 77."""

import pathlib
import subprocess
import sys
import tempfile
import unittest

import slurm_cluster
from experiment_folder import EXPERIMENT, content, left_over

WARPVP = str(pathlib.Path(sys.argv.pop(1)).resolve())


class Slurm(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        scratch = tempfile.TemporaryDirectory(prefix="warpvp_slurm_")
        cls.addClassCleanup(scratch.cleanup)
        cls.cluster = slurm_cluster.SlurmCluster(scratch.name)
        cls.addClassCleanup(cls.cluster.stop)

    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = pathlib.Path(scratch.name)
        (self.folder / "farm.yaml").write_text(EXPERIMENT, encoding="utf-8")

    def warpvp(self, *words, out="slurm"):
        return subprocess.run([WARPVP, "experiment", "farm.yaml", "--out", out, *words], cwd=self.folder,
                              env=self.cluster.environment, capture_output=True, text=True, timeout=280, check=False)

    def waiting_for(self, job):
        """A warpvp that has found the job under way, and waits for it."""
        waiting = subprocess.Popen([WARPVP, "experiment", "farm.yaml", "--out", "slurm", "--slurm"], cwd=self.folder,
                                   env=self.cluster.environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                   text=True)
        self.addCleanup(waiting.kill)
        said = ""
        while f"Slurm job {job} is under way" not in said:  # on a loaded machine it takes a while to look
            line = waiting.stderr.readline()
            self.assertNotEqual(line, "", said)
            said += line
        return waiting

    def test_equals_one_machine(self):
        alone = self.warpvp(out="alone")
        self.assertEqual(alone.returncode, 0, alone.stderr)
        array = self.warpvp("--slurm", "--tasks", "3")
        self.assertEqual(array.returncode, 0, array.stderr + self.cluster.logs())
        self.assertEqual(array.stdout, alone.stdout)
        self.assertRegex(array.stderr, r"Slurm job \d+: 16 runs in 3 tasks, 0 finished before")
        self.assertIn("0 ran, 16 finished before, 0 failed, 0 not run", array.stderr)
        self.assertEqual(content(self.folder / "slurm"), content(self.folder / "alone"))
        self.assertEqual(left_over(self.folder / "slurm"), [])
        self.assertEqual(len(list((self.folder / "slurm/slurm").glob("task-*.log"))), 3)
        # Once more: nothing is left to submit.
        again = self.warpvp("--slurm")
        self.assertEqual((again.returncode, again.stdout), (0, alone.stdout))
        self.assertNotIn("Slurm job", again.stderr)

    def test_detached_found_again_cancelled_and_resumed(self):
        held = self.warpvp("--slurm", "--detach", "--tasks", "2", "--sbatch=--hold")
        self.assertEqual((held.returncode, held.stdout), (0, ""), held.stderr)
        job = (self.folder / "slurm/slurm/job").read_text(encoding="utf-8").strip()
        self.assertIn(f"Slurm job {job}: 16 runs in 2 tasks", held.stderr)
        found = self.warpvp("--slurm", "--detach")
        self.assertIn(f"Slurm job {job} is under way", found.stderr)
        # One task runs, the other is cancelled; then part of the results is lost.
        self.assertEqual(self.cluster.run("scancel", f"{job}_2").returncode, 0)
        waiting = self.waiting_for(job)
        self.assertEqual(self.cluster.run("scontrol", "release", job).returncode, 0)
        out, err = waiting.communicate(timeout=280)
        self.assertEqual(waiting.returncode, 0, err)
        lost = sorted((self.folder / "slurm/runs").iterdir())[:3]
        for run in lost:
            (run / "result.json").unlink()
        resumed = self.warpvp("--slurm")
        self.assertEqual((resumed.returncode, resumed.stdout), (0, out), resumed.stderr)
        self.assertRegex(resumed.stderr, r"Slurm job \d+: 3 runs in 3 tasks, 13 finished before")

    def test_a_job_that_is_cancelled_leaves_what_is_missing_named(self):
        self.assertEqual(self.warpvp("--slurm", "--detach", "--sbatch=--hold").returncode, 0)
        job = (self.folder / "slurm/slurm/job").read_text(encoding="utf-8").strip()
        waiting = self.waiting_for(job)
        self.cluster.run("scancel", job)
        out, err = waiting.communicate(timeout=120)
        self.assertEqual(waiting.returncode, 130, err)
        self.assertIn("(exit status 130): not run", out)

    def test_what_sbatch_says_is_passed_on(self):
        refused = self.warpvp("--slurm", "--sbatch=--partition=nowhere")
        self.assertEqual(refused.returncode, 2)
        self.assertRegex(refused.stderr, r"warpvp: cannot submit to Slurm: sbatch: error: .*partition")


if __name__ == "__main__":
    if absent := slurm_cluster.missing():
        print(f"SKIPPED: not installed: {', '.join(absent)} (packages slurm-wlm and munge: make test installs them)")
        sys.exit(77)
    unittest.main(verbosity=2)
