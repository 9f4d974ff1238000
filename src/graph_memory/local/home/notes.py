"""Reads small files without trusting their content."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import TypeVar

from pydantic import TypeAdapter, ValidationError

T = TypeVar("T")

_MAX_TAIL_BYTES = 1 << 20


def read_json(text: str | bytes, kind: type[T]) -> T | None:
    """Parse JSON text as a value of the type `kind`. Returns None if the text is invalid or has another type."""
    try:
        return _adapter(kind).validate_json(text, strict=True)
    except ValidationError:
        return None


@cache
def _adapter(kind: type[T]) -> TypeAdapter[T]:
    return TypeAdapter(kind)


def read_start(path: Path, size: int) -> bytes:
    """Return the file's first `size` bytes, or all bytes of a smaller file."""
    with path.open("rb") as file:
        return file.read(size)


def read_last_lines(path: Path, lines: int) -> list[str]:
    """Return the last `lines` lines of a text file, from its last MiB. If the file does not exist, there are none."""
    if not path.is_file():
        return []
    with path.open("rb") as file:
        file.seek(max(0, path.stat().st_size - _MAX_TAIL_BYTES))
        return file.read().decode("utf-8", "replace").splitlines()[-lines:]
