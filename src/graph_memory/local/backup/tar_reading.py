"""Reads tar archives of plain files. It does not trust their headers.

`tarfile` accepts more than backups contain: sparse files, links, devices, negative sizes. This module accepts an
archive only if each member is a plain file whose bytes are in the archive.
"""

from __future__ import annotations

import os
import re
import tarfile
from collections.abc import Iterator
from dataclasses import dataclass
from typing import IO

from graph_memory.model.text.wording import quote

_BLOCK = tarfile.BLOCKSIZE
_END = bytes(_BLOCK)
_CHUNK = 1 << 20
_MAX_EXTENSION_BYTES = 64 << 10
_PLAIN_TYPES = (tarfile.REGTYPE, tarfile.AREGTYPE)
_RECORD = re.compile(rb"([1-9][0-9]{0,5}) (path|size)=")
_SIZE = re.compile(rb"[0-9]{1,19}")


class UnreadableError(Exception):
    """Raised if a tar archive is invalid. The message is the reason."""


@dataclass(frozen=True, slots=True)
class Member:
    """A plain file in an archive: its name, its size in bytes, and the archive, positioned at the file's first byte."""

    name: str
    size: int
    source: IO[bytes]

    def chunks(self) -> Iterator[bytes]:
        """Yield the bytes of the file in chunks.

        Call this before you read the next member. Raises UnreadableError if the archive ends too early.
        """
        remaining = self.size
        while remaining:
            data = self.source.read(min(remaining, _CHUNK))
            if not data:
                raise UnreadableError("it ends too early")
            remaining -= len(data)
            yield data


def members(source: IO[bytes]) -> Iterator[Member]:
    """Yield an archive's members up to its end mark.

    Raises UnreadableError if a member is not a complete plain file.
    """
    total, offset = os.fstat(source.fileno()).st_size, 0
    extension: dict[str, bytes] = {}
    while (header := _read_header(source, offset)) is not None:
        name, size = header.name, header.size
        if header.type in _PLAIN_TYPES and "path" in extension:
            name = extension["path"].decode("utf-8", "replace")
        if header.type in _PLAIN_TYPES and "size" in extension:
            size = int(extension["size"]) if _SIZE.fullmatch(extension["size"]) else -1
        _check_member(header, name, size, total - offset - _BLOCK)
        if header.type == tarfile.XHDTYPE:
            extension = _parse_extension(source.read(size))
        else:
            extension = {}
            yield Member(name, size, source)
        offset += _BLOCK + size + -size % _BLOCK


def _read_header(source: IO[bytes], offset: int) -> tarfile.TarInfo | None:
    """Return the header at the offset in bytes, or None at the end mark. Raises UnreadableError if it is invalid."""
    source.seek(offset)
    block = source.read(_BLOCK)
    if block == _END:
        return None
    try:
        return tarfile.TarInfo.frombuf(block, "utf-8", "surrogateescape")
    except tarfile.HeaderError as error:
        raise UnreadableError(str(error)) from error


def _check_member(header: tarfile.TarInfo, name: str, size: int, remaining: int) -> None:
    if header.type == tarfile.XHDTYPE:
        if not 0 <= size <= min(remaining, _MAX_EXTENSION_BYTES):
            raise UnreadableError("a header is too large")
    elif header.type not in _PLAIN_TYPES:
        raise UnreadableError(f"{quote(name)} is not a plain file")
    elif not 0 <= size <= remaining:
        raise UnreadableError(f"{quote(name)} is incomplete")


def _parse_extension(data: bytes) -> dict[str, bytes]:
    """Return the next member's name and size from an extended header. Raises UnreadableError if it has other fields."""
    fields: dict[str, bytes] = {}
    while data:
        match = _RECORD.match(data)
        length = int(match[1]) if match else 0
        if match is None or not match.end() < length <= len(data) or data[length - 1 : length] != b"\n":
            raise UnreadableError("it has an unexpected header")
        fields[match[2].decode()] = data[match.end() : length - 1]
        data = data[length:]
    return fields
