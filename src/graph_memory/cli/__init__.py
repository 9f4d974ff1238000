"""The command line."""

import os

os.environ.setdefault("TYPER_USE_RICH", "0")  # help as plain text, because `rich` takes 140 ms to import
