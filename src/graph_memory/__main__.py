"""The entry point of `graph-memory` and `python -m graph_memory`.

The version and hooks run without importing `cli.main`.
"""

from __future__ import annotations

import _thread
import signal
import sys
from threading import Timer


def run() -> None:
    """Run the command line in this process. Ctrl-C exits with status 130, even during imports."""
    sys.unraisablehook = _handle_unraisable
    try:
        if sys.argv[1:] in (["--version"], ["version"]):
            from importlib.metadata import version

            print(version("graph-memory"))  # noqa: T201 - typer takes longer to import than this may take
            return
        if sys.argv[1:2] == ["hook"] and not {"--help", "-h"} & {*sys.argv}:
            from graph_memory.hooks.hook import run_hook

            run_hook(sys.argv[2:])
        from graph_memory.remote import run_remotely

        if (status := run_remotely(sys.argv[1:])) is not None:
            sys.exit(status)
        from graph_memory.cli.main import run as run_command

        run_command()
    except KeyboardInterrupt:
        sys.exit(130)
    finally:
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # the process is about to end


def _handle_unraisable(args: sys.UnraisableHookArgs) -> None:
    """Redeliver a Ctrl-C that Python would otherwise ignore, for example in a finalizer. Print other errors."""
    if issubclass(args.exc_type, KeyboardInterrupt):
        Timer(0.01, _thread.interrupt_main).start()  # later, because Python would ignore it again here
    else:
        sys.__unraisablehook__(args)


if __name__ == "__main__":
    run()
