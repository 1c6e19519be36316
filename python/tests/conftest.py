import os
import pathlib

import matplotlib
import pytest

import warpvp

matplotlib.use("Agg")

EXPERIMENT = {
    "experiment": "sizes",
    "base": {"platform": "small", "workload": {"app": "vector_add"}},
    "matrix": {
        "count": {"setting": "workload.params.count", "values": [64, 256, 4096]},
        "scheduler": {"setting": "platform.sm.warp_scheduler", "values": ["lrr", "gto"]},
    },
    "table": {"rows": "count", "across": "scheduler", "values": ["simulation.cycles"]},
}


@pytest.fixture(scope="session", autouse=True)
def tree():
    """The tests need the program: WARPVP says which."""
    assert pathlib.Path(os.environ["WARPVP"]).is_file()


@pytest.fixture(scope="session")
def run(tmp_path_factory):
    return warpvp.run("vector_add", platform="small", set={"workload.params.count": 4096}, seed=3,
                      out=tmp_path_factory.mktemp("run"))


@pytest.fixture(scope="session")
def experiment(tmp_path_factory):
    return warpvp.experiment(EXPERIMENT, seeds=3, jobs=2, out=tmp_path_factory.mktemp("sizes"))
