"""Starting and loading experiments, and their statistics."""

import pytest

import warpvp


def test_runs_with_numeric_axes(experiment):
    assert experiment.axes == ["count", "scheduler", "seed"]
    runs = experiment.runs()
    assert len(runs) == 18
    assert runs["count"].dtype.kind == "i" and runs["seed"].dtype.kind == "i"
    assert set(runs["scheduler"]) == {"lrr", "gto"}
    assert (runs["exit_code"] == 0).all()
    assert list(runs["count"].drop_duplicates()) == [64, 256, 4096]


def test_values_are_those_of_the_runs(experiment):
    values = experiment.values("simulation.cycles", "kernels.0.ctas")
    for name in values.index[:4]:
        run = experiment.run(name)
        assert values.loc[name, "simulation.cycles"] == run["simulation.cycles"]
        assert values.loc[name, "kernels.0.ctas"] == run["kernels.0.ctas"]
    assert "simulation.cycles" in experiment.keys()
    with pytest.raises(KeyError, match="no_such"):
        experiment.values("no_such")


def test_means_agree_with_the_table(experiment):
    means = experiment.means("simulation.cycles")
    assert list(means.index.names) == ["count", "scheduler"]
    assert (means["runs"] == 3).all()
    lines = (experiment.folder / "table.csv").read_text().splitlines()
    assert lines[0] == "count,lrr,lrr ci95,lrr runs,gto,gto ci95,gto runs"
    for line in lines[1:]:
        cells = line.split(",")
        for label, at in (("lrr", 1), ("gto", 4)):
            row = means.loc[(int(cells[0]), label)]
            assert row["mean"] == pytest.approx(float(cells[at]), abs=6e-4)
            assert row["half"] == pytest.approx(float(cells[at + 1]), abs=6e-4)
    by_count = experiment.means("simulation.cycles", "count")
    assert list(by_count["runs"]) == [6, 6, 6]
    assert list(experiment.means("simulation.cycles", [])["runs"]) == [18]


def test_an_experiment_that_fails(tmp_path):
    what = {"experiment": "bad", "base": {"platform": "small", "workload": {"app": "vector_add"}},
            "matrix": {"limits.cycles": [100, 10_000_000]}, "table": {"values": ["simulation.cycles"]}}
    with pytest.raises(warpvp.WarpvpError) as failed:
        warpvp.experiment(what, out=tmp_path)
    assert failed.value.exit_code == 3
    rest = warpvp.load_experiment(failed.value.folder)
    assert list(rest.runs()["exit_code"]) == [3, 0]
    assert len(rest.values("simulation.cycles")) == 1


@pytest.mark.parametrize("probability, freedom, quantile", [
    # A published table of the t distribution.
    (0.975, 1, 12.706), (0.975, 2, 4.303), (0.975, 4, 2.776), (0.975, 9, 2.262), (0.975, 30, 2.042),
    (0.95, 5, 2.015), (0.995, 10, 3.169), (0.975, 1000, 1.962), (0.025, 9, -2.262)])
def test_quantiles(probability, freedom, quantile):
    assert warpvp.student_t(probability, freedom) == pytest.approx(quantile, abs=5e-4)


def test_intervals_by_hand():
    mean, half, n = warpvp.confidence_interval([10, 12, 14])
    assert (mean, n) == (12, 3)
    assert half == pytest.approx(4.968275, abs=1e-6)  # 4.302653 * 2 / sqrt(3)
    assert warpvp.confidence_interval([7]) == (7, None, 1)
    assert warpvp.confidence_interval([float("nan"), None]) == (None, None, 0)
