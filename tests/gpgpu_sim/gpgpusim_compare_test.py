#!/usr/bin/env python3
"""tools/gpgpusim-compare without GPGPU-Sim: usage gpgpusim_compare_test.py ON_GPGPU_SIM"""

import argparse
import importlib.machinery
import importlib.util
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
TOOL = str(ROOT / "tools/gpgpusim-compare")
ON_GPGPU_SIM = sys.argv.pop(1)

sys.dont_write_bytecode = True
loader = importlib.machinery.SourceFileLoader("gpgpusim_compare", TOOL)
tool = importlib.util.module_from_spec(importlib.util.spec_from_loader(loader.name, loader))
loader.exec_module(tool)

# Lines of the form that the program prints: figures of each kernel, and of all that were before it.
LOG = """        *** GPGPU-Sim Simulator Version 4.2.0  [build gpgpu-sim_git-commit-0123456789abcdef_modified_1.0] ***
kernel_name = scan_blocks
kernel_launch_uid = 1
gpu_sim_cycle = 1200
gpu_tot_sim_cycle = 1200
gpu_tot_sim_insn = 100000
gpgpu_n_tot_w_icount = 5000
kernel_name = scan_add
kernel_launch_uid = 2
gpu_sim_cycle = 300
gpu_tot_sim_cycle = 1500
gpu_tot_sim_insn = 180000
gpgpu_n_tot_w_icount = 7000
"""


def theirs(seconds, instructions=1000, standing="verified", message="", program=0.01):
    return {"kernel_cycles": 2000, "warp_instructions": instructions, "thread_instructions": 9000, "launches": 1, "version": "4.2.0",
            "commit": "abc", "standing": standing, "message": message, "memory": 300.0, "seconds": seconds, "program": program,
            "config": "SM7_TITANV", "sizes": {}}


def ours(seconds, instructions=1000):
    figures = dict(zip(tool.WAYS, seconds), profile=seconds[0])
    return {way: {"kernel_cycles": 2100, "memory": 80.0, "seconds": each, "warp_instructions": instructions,
                  "thread_instructions": 9000, "launches": 1,
                  "standing": "verified", "shares": {"L2": 0.25, "DRAM": 0.5}} for way, each in figures.items()}


class GpgpuSimCompare(unittest.TestCase):
    def test_log(self):
        self.assertEqual(tool.parse_log(LOG), {"kernel_cycles": 1500, "warp_instructions": 7000, "thread_instructions": 180000,
                                               "launches": 2,
                                               "version": "4.2.0", "commit": "0123456789abcdef"})
        with self.assertRaises(tool.Failed):
            tool.parse_log("gpu_tot_sim_cycle = 1500\n")

    def test_result(self):
        self.assertEqual(tool.parse_result("standing\tverified\nmessage\t\npolling_seconds\t0.250\n"),
                         {"standing": "verified", "message": "", "polling_seconds": 0.25})

    def test_working_folder(self):
        with tempfile.TemporaryDirectory() as scratch:
            scratch = pathlib.Path(scratch)
            (scratch / "config").mkdir()
            (scratch / "config/gpgpusim.config").write_text("-gpgpu_n_clusters 40\n", encoding="utf-8")
            folder = scratch / "run"
            tool.prepare(folder, scratch / "config", pathlib.Path("/bin/true"))
            self.assertEqual((folder / "gpgpusim.config").read_text(encoding="utf-8"), "-gpgpu_n_clusters 40\n")
            self.assertEqual(os.readlink(folder / "toolkit/bin/ptxas"), "/bin/true")

            def cuobjdump(*words):
                return subprocess.run([folder / "toolkit/bin/cuobjdump", *words], cwd=folder, capture_output=True, text=True,
                                      check=False)

            # GPGPU-Sim takes what is behind the colon, and the number behind "sm_".
            self.assertEqual(cuobjdump("-lptx", "program").stdout.split(":")[1].strip(), tool.MODULE)
            self.assertIn(f'"{tool.MODULE}"', (ROOT / "tools/gpgpu-sim/simulator_runtime.cpp").read_text(encoding="utf-8"))
            self.assertEqual(cuobjdump("-xptx", tool.MODULE, "program").returncode, 1)
            (folder / tool.MODULE).write_text(".version 7.5\n", encoding="utf-8")
            self.assertEqual(cuobjdump("-xptx", tool.MODULE, "program").returncode, 0)

    def test_ratios(self):
        empty = theirs(0.5), ours((0.1, 0.1, 0.1))
        # Of our half second a tenth is the start and two tenths are the host program's.
        ratios = tool.ratios_of(theirs(40.7, program=0.21), ours((0.5, 0.25, 0.407)), empty)
        self.assertAlmostEqual(ratios["ptx"], 81.4)
        self.assertAlmostEqual(ratios["machine"], 162.8)
        self.assertAlmostEqual(ratios["window"], 100)
        self.assertAlmostEqual(ratios["alone"], 200)
        self.assertIsNone(tool.ratios_of(theirs(40.5), ours((0.14, 0.1, 0.1)), empty)["alone"])

    def test_page(self):
        options = argparse.Namespace(platform="titan_v", times=3)
        empty = theirs(0.5), ours((0.1, 0.1, 0.1))
        text = tool.page(options, [("scan", theirs(80.0), ours((0.2, 0.2, 0.2))),
                                   ("bfs", theirs(20.0, 1000, "differs", "x[0] = 1, expected 2"), ours((0.2, 0.1, 0.2), 1010))], empty)
        self.assertIn("**It is not reached**: the mean is 200, and 1 of 2 kernels", text)
        self.assertLess(text.index("| breadth-first search | 20.0 | 0.20 | **100** |"), text.index("| prefix sum | 80.0 | 0.20 | **400** |"))
        self.assertIn("`bfs` (x[0] = 1, expected 2)", text)
        self.assertIn("| geometric mean |  |  | **200** |", text)
        self.assertIn("| 1,000 | +10 |", text)
        self.assertIn("2 of 2 kernels take as many instructions of threads in both, and 1 as many of warps", text)
        self.assertIn("| DRAM | 99,010 | 100,000 |", text)

    def test_wrong_input(self):
        def message(*words):
            done = subprocess.run([TOOL, *words], capture_output=True, text=True, check=False)
            self.assertEqual(done.returncode, 2)
            return done.stderr

        self.assertIn("--gpgpu-sim and --cuda are needed", message())
        self.assertIn("'scam'; allowed: bench_vector_add, ", message("scam"))
        self.assertIn("--times 0; allowed: 1 and more", message("--times", "0"))
        with tempfile.TemporaryDirectory() as empty:
            self.assertIn("GPGPU-Sim built for release with CUDA 11", message("--gpgpu-sim", empty, "--cuda", empty))

    def test_runs_that_are_not_there(self):
        with tempfile.TemporaryDirectory() as empty:
            done = subprocess.run([TOOL, "--page-only", "--out", empty], capture_output=True, text=True, check=False)
            self.assertEqual(done.returncode, 1)
            self.assertIn("warpvp's runs are not there", done.stderr)

    def test_without_gpgpu_sim(self):
        with tempfile.TemporaryDirectory() as folder:
            done = subprocess.run([ON_GPGPU_SIM, "vector_add", "result.tsv"], cwd=folder, capture_output=True, text=True,
                                  check=False)
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assertIn("libcudart.so.11.0 has no __cudaRegisterFatBinary: LD_LIBRARY_PATH has to name", done.stderr)


if __name__ == "__main__":
    unittest.main()
