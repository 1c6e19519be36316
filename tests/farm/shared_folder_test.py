#!/usr/bin/env python3
"""Several processes on one experiment give what one gives: usage shared_folder_test.py WARPVP"""

import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import time
import unittest

from experiment_folder import EXPERIMENT, content, left_over

WARPVP = str(pathlib.Path(sys.argv.pop(1)).resolve())
RUNS = 16
SUMMARY = re.compile(r"(\d+) ran, (\d+) finished before, (?:(\d+) by other processes, )?(\d+) failed, (\d+) not run")


class SharedFolder(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = pathlib.Path(scratch.name)
        (self.folder / "farm.yaml").write_text(EXPERIMENT, encoding="utf-8")

    def start(self, *words, out="shared"):
        process = subprocess.Popen([WARPVP, "experiment", "farm.yaml", "--out", out, *words], cwd=self.folder,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.addCleanup(self.end, process)
        return process

    @staticmethod
    def end(process):
        process.kill()
        process.communicate()

    def finish(self, process):
        out, err = process.communicate(timeout=240)
        return process.returncode, out, err

    def alone(self):
        code, out, err = self.finish(self.start("--jobs", "1", out="alone"))
        self.assertEqual(code, 0, err)
        return out

    def summary(self, err):
        found = SUMMARY.search(err)
        self.assertTrue(found, err)
        return [int(n or 0) for n in found.groups()]

    def test_four_processes_of_which_one_is_killed(self):
        tables = self.alone()
        workers = [self.start("--jobs", "1") for _ in range(4)]
        # The first is killed while it has a run.
        deadline = time.monotonic() + 120
        victim = None
        while not victim:
            self.assertLess(time.monotonic(), deadline, "nobody has claimed a run")
            for claim in (self.folder / "shared").glob("runs/*/.claim-1"):
                try:
                    if f".{workers[0].pid}." in claim.read_text(encoding="utf-8"):
                        workers[0].send_signal(signal.SIGSTOP)
                        if claim.exists():
                            victim = claim
                            workers[0].kill()
                            break
                        workers[0].send_signal(signal.SIGCONT)
                except FileNotFoundError:
                    pass
        self.assertEqual(self.finish(workers[0])[0], -signal.SIGKILL)
        ran = 0
        for worker in workers[1:]:
            code, out, err = self.finish(worker)
            self.assertEqual(code, 0, err)
            self.assertEqual(out, tables)
            mine, before, others, failed, not_run = self.summary(err)
            self.assertEqual((mine + before + others, failed, not_run), (RUNS, 0, 0), err)
            ran += mine
        self.assertLessEqual(ran, RUNS, "runs were done twice")
        self.assertTrue((victim.parent / "result.json").exists(), "nobody took the killed one's run over")
        self.assertEqual(content(self.folder / "shared"), content(self.folder / "alone"))
        self.assertEqual(left_over(self.folder / "shared"), [])

    def test_shards_and_a_merge(self):
        tables = self.alone()
        for shard, runs in (("1/3", 6), ("2/3", 5)):
            code, out, err = self.finish(self.start("--shard", shard))
            self.assertEqual((code, out), (0, ""), err)
            self.assertEqual(self.summary(err), [runs, 0, 0, 0, 0])
        code, out, err = self.finish(self.start("--merge"))
        self.assertEqual(code, 130, "a part is no success")
        self.assertIn("(exit status 130): not run", out)
        self.assertEqual(self.summary(err), [0, 11, 0, 0, 5])
        self.assertEqual(self.finish(self.start("--shard", "3/3"))[0], 0)
        code, out, err = self.finish(self.start("--merge"))
        self.assertEqual((code, out), (0, tables), err)
        self.assertEqual(self.summary(err), [0, RUNS, 0, 0, 0])
        self.assertEqual(content(self.folder / "shared"), content(self.folder / "alone"))

    def test_a_failed_run_is_told_to_the_merge_and_tried_once_an_attempt(self):
        text = EXPERIMENT.replace("[64, 20000]", "[64, 20001]").replace("workload:", "limits: {cycles: 21500}\n  workload:")
        (self.folder / "farm.yaml").write_text(text, encoding="utf-8")
        code, _, err = self.finish(self.start("--worker", "--attempt", "monday"))
        self.assertEqual(code, 3, err)
        ran, _, _, failed, _ = self.summary(err)
        self.assertEqual(ran + failed, RUNS)
        self.assertGreater(failed, 0)
        code, out, _ = self.finish(self.start("--merge"))
        self.assertEqual(code, 3)
        self.assertRegex(out, r"count-20001_\S+ \(exit status 3\): .*21500")
        _, _, err = self.finish(self.start("--worker", "--attempt", "monday"))
        self.assertEqual(self.summary(err), [0, ran, 0, failed, 0])
        log = next((self.folder / "shared/runs").glob("count-20001_*/error.txt"))
        log.unlink()  # written by whoever tries the run again
        _, _, err = self.finish(self.start("--worker", "--attempt", "tuesday"))
        self.assertEqual(self.summary(err), [0, ran, 0, failed, 0])
        self.assertTrue(log.exists(), "another attempt tries failures again")

    def test_other_runs_in_the_folder_are_refused(self):
        worker = self.start("--jobs", "1")
        while not list((self.folder / "shared").glob(f".workers/*.{worker.pid}.*")):
            self.assertIsNone(worker.poll())
            time.sleep(0.01)
        worker.send_signal(signal.SIGSTOP)  # it lives, and stays
        code, _, err = self.finish(self.start("--set", "limits.cycles=99999999"))
        worker.send_signal(signal.SIGCONT)
        self.assertEqual(code, 2)
        self.assertRegex(err, rf"warpvp: process {worker.pid} on \S+ works in shared on other runs, or with another build")
        self.assertEqual(self.finish(worker)[0], 0)


if __name__ == "__main__":
    unittest.main(verbosity=2)
