"""Starting warpvp."""

import os
import pathlib
import shutil
import subprocess
import tempfile

from .errors import WarpvpError
from .experiment_results import load_experiment
from .run_results import load_run


def program():
    """The warpvp that is started: $WARPVP, else the one on the path, else the one built in the tree that this package
    lies in."""
    named = os.environ.get("WARPVP")
    if named:
        return named
    built = pathlib.Path(__file__).resolve().parents[2] / "build" / "release" / "warpvp"
    found = shutil.which("warpvp") or (str(built) if built.is_file() else None)
    if not found:
        raise WarpvpError("no warpvp on the path; set WARPVP to the program, or pass program=")
    return found


def _word(value):
    return {True: "true", False: "false"}.get(value, str(value)) if isinstance(value, bool) else str(value)


def _options(platform, set, seed, more):  # pylint: disable=redefined-builtin
    words = ["--platform", str(platform)] if platform is not None else []
    for key, value in (set or {}).items():
        words += ["--set", f"{key}={_word(value)}"]
    if seed is not None:
        words += ["--seed", str(seed)]
    return words + [str(word) for word in more]


def _start(command, folder, accept):
    """Runs it, and raises warpvp's own line where its exit status is not accepted."""
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    except OSError as error:
        raise WarpvpError(f"cannot start {command[0]}: {error.strerror}") from error
    if done.returncode in accept:
        return done
    lines = [line.rsplit("\r", 1)[-1] for line in done.stderr.splitlines()]
    own = [line[len("warpvp: "):] for line in lines if line.startswith("warpvp: ")]
    last = own or [line for line in lines + done.stdout.splitlines() if line.strip()][-1:]
    raise WarpvpError(last[0] if last else f"warpvp ended with exit status {done.returncode}", done.returncode, folder)


def _yaml_file(what, folder):
    """A path or name as it is; a mapping becomes a file, since JSON is YAML."""
    if not isinstance(what, dict):
        return str(what)
    import json  # pylint: disable=import-outside-toplevel
    file = pathlib.Path(folder) / "given.yaml"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(json.dumps(what), encoding="utf-8")
    return str(file)


def run(what, platform=None, set=None, seed=None, out=None, options=(),  # pylint: disable=redefined-builtin
        program=None):  # pylint: disable=redefined-outer-name
    """Runs one simulation and returns its Run.

    `what` is a run file, the name of a workload, or a mapping with the content of a run file; `set` maps settings to
    values; `out` is the folder of the results (default: a temporary one, which stays); `options` are more words for
    `warpvp run`. WarpvpError, with warpvp's line and exit status, unless all went well.
    """
    out = pathlib.Path(out or tempfile.mkdtemp(prefix="warpvp-"))
    command = [str(program or _program()), "run", _yaml_file(what, out), "--out", str(out), "--quiet"]
    _start(command + _options(platform, set, seed, options), out, (0,))
    return load_run(out)


def experiment(what, platform=None, set=None, seeds=None, out=None, jobs=None,  # pylint: disable=redefined-builtin
               options=(), program=None):  # pylint: disable=redefined-outer-name
    """Runs an experiment (or what is missing of it) and returns its Experiment.

    As run(); `seeds` is a number of seeds or a list of them. `what` may be a mapping with the content of an experiment
    file. WarpvpError unless every run has a good result; `folder` of the error has those that do.
    """
    out = pathlib.Path(out or tempfile.mkdtemp(prefix="warpvp-"))
    command = [str(program or _program()), "experiment", _yaml_file(what, out), "--out", str(out), "--quiet"]
    if seeds is not None:
        command += ["--seeds", str(seeds) if isinstance(seeds, int) else "[" + ",".join(map(str, seeds)) + "]"]
    if jobs is not None:
        command += ["--jobs", str(jobs)]
    _start(command + _options(platform, set, None, options), out, (0,))
    return load_experiment(out)


_program = program
