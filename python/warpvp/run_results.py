"""One run: result.json and what stands beside it."""

import json
import pathlib
import re
import warnings

from .errors import WarpvpError, needed

_STEP = re.compile(r"([^.\[\]]+)|\[([^=\]]+)=([^\]]*)\]")


def flatten(value, prefix=""):
    """Every leaf of a result with its dotted key; items of lists by index."""
    if isinstance(value, dict):
        items = value.items()
    elif isinstance(value, list):
        items = enumerate(value)
    else:
        yield prefix, value
        return
    for key, below in items:
        yield from flatten(below, f"{prefix}.{key}" if prefix else str(key))


def find(result, key):
    """The value under a dotted key, as tables of experiments write it; KeyError if there is none.

    "simulation.cycles", "kernels.0.end_us", "kernels[name=K2].end_us" (the first that matches).
    """
    value = result
    for name, member, wanted in _STEP.findall(key):
        if member:
            matches = [item for item in value if isinstance(item, dict) and str(item.get(member)) == wanted] \
                if isinstance(value, list) else []
            if not matches:
                raise KeyError(key)
            value = matches[0]
        elif isinstance(value, dict) and name in value:
            value = value[name]
        elif isinstance(value, list) and name.isdigit() and int(name) < len(value):
            value = value[int(name)]
        else:
            raise KeyError(key)
    return value


_CHECKSUM = re.compile(rb'\n  "provenance": \{\n(?:    .*\n)*?    "checksum": "([0-9a-f]{16})"')


def checksum_holds(text):
    """Whether the bytes of a result.json are as they were written; None if they hold no checksum.

    FNV-1a, 64 bits, of the file with 16 zeros in the place of `provenance.checksum`.
    """
    found = _CHECKSUM.search(text)
    if not found:
        # Written anew by another program, it may still be there.
        return False if b'"checksum"' in text else None
    digest = 14695981039346656037
    for byte in text[:found.start(1)] + b"0" * 16 + text[found.end(1):]:
        digest = (digest ^ byte) * 1099511628211 & 0xffffffffffffffff
    return found.group(1) == b"%016x" % digest


class Run:
    """The results of one run.

    `result` is result.json as it is; `run["simulation.cycles"]` looks a dotted key up in it.
    """

    def __init__(self, folder, result):
        self.folder = pathlib.Path(folder)
        self.result = result

    def __repr__(self):
        return f"<warpvp.Run {self.folder}: exit code {self.exit_code}>"

    def __getitem__(self, key):
        return find(self.result, key)

    def get(self, key, otherwise=None):
        try:
            return self[key]
        except KeyError:
            return otherwise

    @property
    def exit_code(self):
        return self.result["exit_code"]

    @property
    def verified(self):
        """Whether the results of its kernels were compared and none differed."""
        return bool(self.result.get("verified"))

    def stats(self):
        """Every statistic: a Series by dotted key."""
        pandas = needed("pandas", "data")
        return pandas.Series(dict(flatten(self.result)), dtype=object, name=self.folder.name)

    def kernels(self):
        """The launches: a DataFrame with one row each, its numbers and words as columns."""
        pandas = needed("pandas", "data")
        rows = [dict(flatten({k: v for k, v in kernel.items() if k not in ("grid", "block")}))
                for kernel in self.result.get("kernels", [])]
        for row, kernel in zip(rows, self.result.get("kernels", [])):
            for key in ("grid", "block"):
                if key in kernel:
                    row[key] = tuple(kernel[key])
        return pandas.DataFrame(rows)

    def intervals(self):
        """Counters over time, from intervals.csv: a DataFrame with the columns time_us (the end of the interval, in
        simulated time), cycle, and counters by the dotted keys of result.json."""
        file = self.folder / "intervals.csv"
        if not file.is_file():
            raise WarpvpError(f"{file} does not exist; the run was made without interval statistics",
                              folder=self.folder)
        frame = needed("pandas", "data").read_csv(file)
        absent = [c for c in ("time_us", "cycle") if c not in frame.columns]
        if absent:
            raise WarpvpError(f"{file} has no column {absent[0]}", folder=self.folder)
        return frame


def load_run(folder, check=True):
    """The run whose results are in `folder` (or the result.json itself).

    WarpvpError if there are none, or if they are not as warpvp wrote them: their checksum does not hold. With
    `check=False` they are taken as they are. A warning says if they have no checksum.
    """
    folder = pathlib.Path(folder)
    file = folder if folder.name == "result.json" else folder / "result.json"
    try:
        text = file.read_bytes()
        result = json.loads(text.decode("utf-8"))
    except OSError as error:
        raise WarpvpError(f"cannot read {file}: {error.strerror}", folder=file.parent) from error
    except ValueError as error:
        raise WarpvpError(f"{file} is no JSON: {error}", folder=file.parent) from error
    if not isinstance(result, dict) or not isinstance(result.get("exit_code"), int):
        raise WarpvpError(f"{file} is no result of warpvp", folder=file.parent)
    holds = checksum_holds(text) if check else True
    if holds is None:
        warnings.warn(f"{file} has no checksum: nothing tells whether it is as it was written", stacklevel=2)
    elif not holds:
        raise WarpvpError(f"{file} was changed since it was written: its checksum does not hold; check=False takes it",
                          folder=file.parent)
    return Run(file.parent, result)
