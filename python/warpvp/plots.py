"""The usual plots. Each function draws into `axes` (default: new ones) and returns them."""

from .errors import needed


def _axes(axes):
    return axes if axes is not None else needed("matplotlib.pyplot", "plots").subplots(layout="constrained")[1]


def _table(experiment, key, x, by):
    """Means and half intervals: rows by `x`, columns by `by` (None: one)."""
    others = [a for a in experiment.axes if a not in (x, by, "seed")]
    axes = [a for a in others if experiment.runs()[a].nunique() > 1]
    if axes:
        raise ValueError(f"axis {axes[0]!r} is neither x nor by; choose it, or plot experiment.values() yourself")
    means = experiment.means(key, [x] if by is None else [x, by])
    if by is None:
        return means[["mean"]].rename(columns={"mean": key}), means[["half"]].rename(columns={"half": key})
    unique = experiment.runs()[by].unique()
    rows = means.index.get_level_values(0).unique()
    return tuple(means[c].unstack(by).reindex(index=rows, columns=unique) for c in ("mean", "half"))


def _finish(axes, experiment, key, x, by):
    axes.set_xlabel(x)
    axes.set_ylabel(key)
    runs = experiment.means(key, [a for a in (x, by) if a])["runs"]
    if runs.max() > 1:
        axes.set_title(f"means with 95 % intervals, n = {runs.min()}" + ("" if runs.min() == runs.max() else
                                                                     f" to {runs.max()}"), fontsize="small")
    if by is not None:
        axes.legend(title=by)
    return axes


def bars(experiment, key, x, by=None, axes=None):
    """Bars of a key over the axis `x`, one colour a label of the axis `by`; error bars where there are seeds."""
    mean, half = _table(experiment, key, x, by)
    return _finish(mean.plot.bar(yerr=half.astype(float).fillna(0), capsize=3, ax=_axes(axes), legend=False),
                   experiment, key, x, by)


def lines(experiment, key, x, by=None, axes=None):
    """The same as lines, for an axis of numbers."""
    mean, half = _table(experiment, key, x, by)
    axes = _axes(axes)
    for column in mean.columns:
        axes.errorbar(mean.index, mean[column], yerr=half[column].astype(float).fillna(0), marker="o", capsize=3,
                      label=str(column))
    return _finish(axes, experiment, key, x, by)


def timeline(run, axes=None):
    """The kernels of a run over time, one row a stream."""
    axes = _axes(axes)
    kernels = run.kernels()
    kernels = kernels[kernels["start_us"].notna() & kernels["end_us"].notna()] if len(kernels) else kernels
    streams = list(dict.fromkeys(kernels["stream_name"])) if len(kernels) else []
    for row in kernels.itertuples():
        bar = axes.barh(streams.index(row.stream_name), row.end_us - row.start_us, left=row.start_us, height=0.8,
                        edgecolor="black", linewidth=0.5)
        axes.bar_label(bar, [row.name], label_type="center", fontsize="small")
    axes.set_yticks(range(len(streams)), streams)
    axes.set_xlabel("time / µs")
    return axes


def intervals(run, columns, axes=None):
    """Counters of intervals.csv over time: a column or a list of them."""
    frame = run.intervals()
    columns = [columns] if isinstance(columns, str) else list(columns)
    absent = [c for c in columns if c not in frame.columns]
    if absent:
        raise KeyError(f"intervals.csv has no column {absent[0]!r}; it has {', '.join(frame.columns[2:])}")
    axes = _axes(axes)
    for column in columns:
        axes.plot(frame["time_us"], frame[column], label=column)
    axes.set_xlabel("time / µs")
    axes.legend()
    return axes
