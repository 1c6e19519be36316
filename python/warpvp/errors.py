"""Errors, and packages that only some functions need."""

import importlib


class WarpvpError(Exception):
    """warpvp refused the input, or a run or a folder is not what was asked for.

    The text is warpvp's own line. `exit_code` is its exit status (README, table of exit statuses), None where no
    process ran; `folder` is that of the run or experiment, where there is one.
    """

    def __init__(self, message, exit_code=None, folder=None):
        super().__init__(message)
        self.exit_code = exit_code
        self.folder = folder


def needed(package, extra):
    """Imports a package that only this needs."""
    try:
        return importlib.import_module(package)
    except ImportError as error:
        raise ImportError(f"{package} is not installed; pip install 'warpvp[{extra}]', or Debian's "
                          f"python3-{package.split('.')[0]}") from error
