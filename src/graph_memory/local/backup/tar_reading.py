"""The members of a tar archive of plain files, one after the other; nothing that it says of itself is believed.

`tarfile` reads much more than our archives hold: holes of any size, links, devices, sizes below nothing. Here a member
is a plain file whose bytes are in the archive, or the archive is refused.
"""

from __future__ import annotations

import os
import re
import tarfile
from collections.abc import Iterator
from dataclasses import dataclass
from typing import IO

from graph_memory.model.text.wording import quoted

_BLOCK = tarfile.BLOCKSIZE
_END = bytes(_BLOCK)
_CHUNK = 1 << 20
_LARGEST_EXTENSION = 64 << 10
_PLAIN = (tarfile.REGTYPE, tarfile.AREGTYPE)
_RECORD = re.compile(rb"([1-9][0-9]{0,5}) (path|size)=")
_SIZE = re.compile(rb"[0-9]{1,19}")


class UnreadableError(Exception):
    """An archive that cannot be what it should be; the text says why."""


@dataclass(frozen=True, slots=True)
class Member:
    """A plain file in an archive, while it is passed."""

    name: str
    size: int
    source: IO[bytes]

    def chunks(self) -> Iterator[bytes]:
        """Give its bytes, to be asked for before the next member. Raises UnreadableError when they end too early."""
        left = self.size
        while left:
            data = self.source.read(min(left, _CHUNK))
            if not data:
                raise UnreadableError("it ends too early")
            left -= len(data)
            yield data


def members(source: IO[bytes]) -> Iterator[Member]:
    """Give the members up to the end mark. Raises UnreadableError for one that is no plain file or is not all there."""
    end, at = os.fstat(source.fileno()).st_size, 0
    data: dict[str, bytes] = {}
    while (head := _head(source, at)) is not None:
        name, size = head.name, head.size
        if head.type in _PLAIN:
            name, size = _name(data, name), _size(data, size)
        _check(head, name, size, end - at - _BLOCK)
        if head.type == tarfile.XHDTYPE:
            data = _extension(source.read(size))
        else:
            data = {}
            yield Member(name, size, source)
        at += _BLOCK + size + -size % _BLOCK


def _head(source: IO[bytes], at: int) -> tarfile.TarInfo | None:
    """Return the header there, None for the end mark."""
    source.seek(at)
    block = source.read(_BLOCK)
    if block == _END:
        return None
    try:
        return tarfile.TarInfo.frombuf(block, "utf-8", "surrogateescape")
    except tarfile.HeaderError as error:
        raise UnreadableError(str(error)) from error


def _check(head: tarfile.TarInfo, name: str, size: int, left: int) -> None:
    if head.type == tarfile.XHDTYPE:
        if not 0 <= size <= min(left, _LARGEST_EXTENSION):
            raise UnreadableError("a header is too large")
    elif head.type not in _PLAIN:
        raise UnreadableError(f"{quoted(name)} is not a plain file")
    elif not 0 <= size <= left:
        raise UnreadableError(f"{quoted(name)} is incomplete")


def _extension(data: bytes) -> dict[str, bytes]:
    """Return what an extended header says of the next member: a longer name, a larger size, nothing else."""
    rendered: dict[str, bytes] = {}
    while data:
        match = _RECORD.match(data)
        length = int(match[1]) if match else 0
        if match is None or not match.end() < length <= len(data) or data[length - 1 : length] != b"\n":
            raise UnreadableError("a header is not one that a backup has")
        rendered[match[2].decode()] = data[match.end() : length - 1]
        data = data[length:]
    return rendered


def _name(data: dict[str, bytes], given: str) -> str:
    return data["path"].decode("utf-8", "replace") if "path" in data else given


def _size(data: dict[str, bytes], number: int) -> int:
    if "size" not in data:
        return number
    return int(data["size"]) if _SIZE.fullmatch(data["size"]) else -1
