"""Small notes in files, as whoever wrote them left them: read without trust in what they say."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import TypeVar

from pydantic import TypeAdapter, ValidationError

T = TypeVar("T")

_BLOCK = 1 << 20


def read_json(text: str | bytes, kind: type[T]) -> T | None:
    """Give what JSON says, None where it says nothing or something of another kind, however odd."""
    try:
        return _adapter(kind).validate_json(text, strict=True)
    except ValidationError:
        return None


@cache
def _adapter(kind: type[T]) -> TypeAdapter[T]:
    return TypeAdapter(kind)


def beginning_of(path: Path, size: int) -> bytes:
    """Give the first bytes of a file, at most so many."""
    with path.open("rb") as file:
        return file.read(size)


def tail(path: Path, lines: int) -> list[str]:
    """Give the last lines of a text file, at most a megabyte of them; nothing when there is no such file."""
    if not path.is_file():
        return []
    with path.open("rb") as file:
        file.seek(max(0, path.stat().st_size - _BLOCK))
        return file.read().decode("utf-8", "replace").splitlines()[-lines:]
