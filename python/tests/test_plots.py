"""Plots show the numbers that they are given."""

import pytest

import warpvp
from warpvp import plots


def test_bars_with_errors(experiment):
    axes = plots.bars(experiment, "simulation.cycles", x="count", by="scheduler")
    means = experiment.means("simulation.cycles")
    heights = [bar.get_height() for bar in axes.patches]
    assert sorted(heights) == pytest.approx(sorted(means["mean"]))
    assert len(axes.containers) >= 2
    assert axes.get_xlabel() == "count" and axes.get_ylabel() == "simulation.cycles"
    assert "n = 3" in axes.get_title()
    assert [t.get_text() for t in axes.get_legend().get_texts()] == ["lrr", "gto"]


def test_lines_are_placed_to_scale(experiment):
    axes = plots.lines(experiment, "simulation.cycles", x="count", by="scheduler")
    assert list(axes.lines[0].get_xdata()) == [64, 256, 4096]
    means = experiment.means("simulation.cycles")
    assert list(axes.lines[0].get_ydata()) == pytest.approx([means.loc[(c, "lrr"), "mean"] for c in (64, 256, 4096)])


def test_an_axis_that_is_left_out_is_named(experiment):
    with pytest.raises(ValueError, match="'scheduler'"):
        plots.bars(experiment, "simulation.cycles", x="count")


def test_timeline(run):
    axes = plots.timeline(run)
    kernel = run.kernels().iloc[0]
    bar = axes.patches[0]
    assert bar.get_x() == pytest.approx(kernel["start_us"])
    assert bar.get_width() == pytest.approx(kernel["end_us"] - kernel["start_us"])
    assert [label.get_text() for label in axes.get_yticklabels()] == [kernel["stream_name"]]


def test_intervals(tmp_path):
    (tmp_path / "result.json").write_text('{"exit_code": 0}')
    (tmp_path / "intervals.csv").write_text("time_us,cycle,sm.issued,dram.read_bytes\n0.5,600,10,64\n1,1200,32,0\n")
    run = warpvp.load_run(tmp_path)
    axes = plots.intervals(run, ["sm.issued", "dram.read_bytes"])
    assert list(axes.lines[0].get_xdata()) == [0.5, 1]
    assert list(axes.lines[1].get_ydata()) == [64, 0]
    with pytest.raises(KeyError, match="sm.issued, dram.read_bytes"):
        plots.intervals(run, "none")
