#!/usr/bin/env python3
"""Programs of Slurm that never answer: usage hanging_slurm_test.py WARPVP

TERM and INT end an experiment that waits for them, with one line that says for whom. Needs no Slurm."""

import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time
import unittest

WARPVP = str(pathlib.Path(sys.argv.pop(1)).resolve())

EXPERIMENT = """experiment: farm
base: {platform: small, workload: {app: vector_add}}
matrix: {seed: {setting: seed, values: [1, 2]}}
table: {rows: seed, values: [simulation.cycles]}
"""
HANGS = """#!/bin/sh
echo $$ > "$0.pid"
exec sleep 1000
"""


class HangingSlurm(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = pathlib.Path(scratch.name)
        (self.folder / "farm.yaml").write_text(EXPERIMENT, encoding="utf-8")
        (self.folder / "bin").mkdir()
        self.environment = dict(os.environ, PATH=f"{self.folder / 'bin'}:{os.environ['PATH']}")

    def program(self, name, text):
        file = self.folder / "bin" / name
        file.write_text(text, encoding="utf-8")
        file.chmod(0o755)

    def ends(self, name, number):
        """Starts the experiment, and tells it to end when `name` hangs."""
        self.program(name, HANGS)
        mark = self.folder / "bin" / f"{name}.pid"
        mark.unlink(missing_ok=True)
        waiting = subprocess.Popen([WARPVP, "experiment", "farm.yaml", "--out", "out", "--slurm"], cwd=self.folder,
                                   env=self.environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        while not mark.exists() or not mark.read_text(encoding="utf-8").endswith("\n"):
            self.assertIsNone(waiting.poll(), f"it did not ask {name}")
            time.sleep(0.02)
        waiting.send_signal(number)
        _, err = waiting.communicate(timeout=120)
        os.kill(int(mark.read_text(encoding="utf-8")), signal.SIGKILL)
        self.assertEqual(waiting.returncode, 130, err)
        self.assertEqual(err.splitlines()[-1], f"warpvp: interrupted while waiting for {name}")

    def test_sbatch(self):
        self.ends("sbatch", signal.SIGTERM)
        self.ends("sbatch", signal.SIGINT)

    def test_squeue(self):
        self.program("sbatch", "#!/bin/sh\necho 17\n")
        self.ends("squeue", signal.SIGTERM)


if __name__ == "__main__":
    unittest.main(verbosity=2)
