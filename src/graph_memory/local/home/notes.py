"""Reads small files whose content is not trusted."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import TypeVar

from pydantic import TypeAdapter, ValidationError

T = TypeVar("T")

_BLOCK = 1 << 20


def read_json(text: str | bytes, kind: type[T]) -> T | None:
    """Parse the JSON text. Returns None if it is invalid, or if its value has another type than `kind`."""
    try:
        return _adapter(kind).validate_json(text, strict=True)
    except ValidationError:
        return None


@cache
def _adapter(kind: type[T]) -> TypeAdapter[T]:
    return TypeAdapter(kind)


def read_start(path: Path, size: int) -> bytes:
    """Return up to `size` bytes from the start of the file."""
    with path.open("rb") as file:
        return file.read(size)


def tail(path: Path, lines: int) -> list[str]:
    """Return the last lines of a text file, at most 1 MiB, or an empty list if the file does not exist."""
    if not path.is_file():
        return []
    with path.open("rb") as file:
        file.seek(max(0, path.stat().st_size - _BLOCK))
        return file.read().decode("utf-8", "replace").splitlines()[-lines:]
