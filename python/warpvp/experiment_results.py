"""An experiment: results.db and the folders of its runs."""

import contextlib
import pathlib
import sqlite3

from .errors import WarpvpError, needed
from .run_results import load_run
from .statistics import confidence_interval

_OWN_COLUMNS = ("run_id", "run", "exit_code", "message")


class Experiment:
    """The results of an experiment. `axes` are the names of its axes, `seed` among them where it has seeds."""

    def __init__(self, folder, axes):
        self.folder = pathlib.Path(folder)
        self.axes = axes

    def __repr__(self):
        return f"<warpvp.Experiment {self.folder}: axes {', '.join(self.axes) or 'none'}>"

    def _query(self, sql, arguments=()):
        pandas = needed("pandas", "data")
        with contextlib.closing(_connect(self.folder)) as database:
            return pandas.read_sql_query(sql, database, params=list(arguments))

    def runs(self):
        """One row a run: its axes (numbers where all labels are numbers), exit_code, message; indexed by name."""
        return self._query("SELECT * FROM runs ORDER BY run_id").drop(columns="run_id").set_index("run")

    def keys(self):
        """The dotted keys that any run has a value for."""
        with contextlib.closing(_connect(self.folder)) as database:
            return [key for key, in database.execute("SELECT DISTINCT key FROM stats ORDER BY key")]

    def values(self, *keys):
        """One row a run that has a good result: its axes, and a column a dotted key. KeyError for a key that no run
        has."""
        frame = self._query("SELECT * FROM runs WHERE exit_code = 0 ORDER BY run_id")
        for key in keys:
            found = self._query("SELECT run_id, value FROM stats WHERE key = ?", [key])
            if found.empty:
                raise KeyError(f"no run has the key {key!r}")
            frame[key] = frame["run_id"].map(found.set_index("run_id")["value"])
        return frame.drop(columns=["run_id", "exit_code", "message"]).set_index("run")

    def means(self, key, by=None, confidence=0.95):
        """Mean, half width of its confidence interval (Student's t) and number of runs of a key: a DataFrame with
        the columns mean, half, runs, one row a combination of the axes `by` (default: all but the seed)."""
        pandas = needed("pandas", "data")
        by = [a for a in self.axes if a != "seed"] if by is None else [by] if isinstance(by, str) else list(by)
        frame = self.values(key)
        groups = frame.groupby(by, sort=False, dropna=False)[key] if by else [((), frame[key])]
        rows, labels = [], []
        for label, values in groups:
            rows.append(confidence_interval(values, confidence))
            labels.append(label if isinstance(label, tuple) else (label,))
        index = pandas.MultiIndex.from_tuples(labels, names=by) if len(by) > 1 else \
            pandas.Index([label[0] for label in labels], name=by[0]) if by else None
        return pandas.DataFrame(rows, columns=["mean", "half", "runs"], index=index)

    def run(self, name, check=True):
        """The run of that name (the index of runs()); `check` as of load_run()."""
        return load_run(self.folder / "runs" / name, check)


def _connect(folder):
    file = pathlib.Path(folder) / "results.db"
    if not file.is_file():
        raise WarpvpError(f"{file} does not exist: this is no folder of a finished experiment", folder=folder)
    return sqlite3.connect(f"{file.resolve().as_uri()}?mode=ro", uri=True)


def load_experiment(folder):
    """The experiment whose results are in `folder`. WarpvpError if there are none."""
    with contextlib.closing(_connect(folder)) as database:
        try:
            columns = [row[1] for row in database.execute("PRAGMA table_info(runs)")]
        except sqlite3.DatabaseError as error:
            raise WarpvpError(f"{folder}/results.db is no database of warpvp: {error}", folder=folder) from error
    if not columns:
        raise WarpvpError(f"{folder}/results.db is no database of warpvp: it has no table of runs", folder=folder)
    return Experiment(folder, [c for c in columns if c not in _OWN_COLUMNS])
