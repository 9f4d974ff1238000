"""Write the generated pages: `python -m docs.generate [FOLDER]`, by default in the checkout."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path

from .commands import commands_page
from .decisions import decisions_page
from .errors import errors_page
from .server import server_entry
from .settings import settings_page
from .tables import Lines
from .tools import tools_page

MADE = "<!-- Made from the code by `make reference`: changes made here are lost. -->"
PAGES: dict[str, Callable[[], Lines]] = {
    "docs/reference/tools.md": tools_page,
    "docs/reference/commands.md": commands_page,
    "docs/reference/settings.md": settings_page,
    "docs/reference/errors.md": errors_page,
    "docs/decisions/README.md": decisions_page,
}


def write(root: Path) -> None:
    """Write every page and server.json into a folder."""
    for name, page in PAGES.items():
        _write(root / name, "\n".join([MADE, "", *page()]))
    _write(root / "server.json", json.dumps(server_entry(), indent=2, ensure_ascii=False) + "\n")


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8", newline="\n")


if __name__ == "__main__":
    write(Path(sys.argv[1]) if sys.argv[1:] else Path(__file__).parents[2])
