"""Runs warpvp and loads what it leaves behind.

    import warpvp
    run = warpvp.run("matmul", platform="small", set={"platform.sm.warp_scheduler": "gto"})
    run["simulation.cycles"]
    experiment = warpvp.load_experiment("runs/qaws_quick")
    experiment.values("simulation.cycles")

`load_run` and `run` give a Run, `load_experiment` and `experiment` an Experiment. Frames are pandas'; plots are
matplotlib axes (`warpvp.plots`).
"""

from .errors import WarpvpError
from .experiment_results import Experiment, load_experiment
from .process import experiment, program, run
from .run_results import Run, load_run
from .statistics import confidence_interval, student_t

__version__ = "0.2.0"
__all__ = ["Experiment", "Run", "WarpvpError", "confidence_interval", "experiment", "load_experiment", "load_run",
           "program", "run", "student_t"]
