"""`graph-memory`, also as `python -m graph_memory`: what needs nothing is told at once, all else is `cli.main`."""

from __future__ import annotations

import _thread
import signal
import sys
from threading import Timer


def run() -> None:
    """Run the command. Ctrl-C ends it with 130 wherever it comes, also while modules are still being imported."""
    sys.unraisablehook = _unraisable
    try:
        if sys.argv[1:] in (["--version"], ["version"]):
            from importlib.metadata import version

            print(version("graph-memory"))  # noqa: T201 - typer takes longer to import than this may take
            return
        from graph_memory.remote import run_remotely

        if (status := run_remotely(sys.argv[1:])) is not None:
            sys.exit(status)
        from graph_memory.cli.main import run as run_command

        run_command()
    except KeyboardInterrupt:
        sys.exit(130)
    finally:
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # the process is about to end, and has nothing more to say


def _unraisable(found: sys.UnraisableHookArgs) -> None:
    """Take up a Ctrl-C that came where Python drops it, as in the clean-up of an import; show anything else."""
    if issubclass(found.exc_type, KeyboardInterrupt):
        Timer(0.01, _thread.interrupt_main).start()  # not at once: here it would be dropped again
    else:
        sys.__unraisablehook__(found)


if __name__ == "__main__":
    run()
