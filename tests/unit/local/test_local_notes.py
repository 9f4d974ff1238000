"""JSON of a home or a cache is trusted only if it has the written form."""

from __future__ import annotations

import json
from pathlib import Path

from graph_memory.local.aot.cache import AotCache, CacheRecord
from graph_memory.local.home.home import HomeFolder
from graph_memory.local.home.notes import read_json
from graph_memory.local.jars.fetch import Stamp
from graph_memory.local.process.startup_errors import hang_error
from tables import for_rows

ODD = [
    b"",
    b"null",
    b"7",
    b"[]",
    b'"text"',
    b"\xff",
    b"{",
    b"[" * 100_000,
    b'{"size": [1]}',
    b'{"tries": {"a": 1}}',
    b"NaN",
]


@for_rows("data", ODD)
def test_a_note_of_another_kind_is_none(tmp_path: Path, data: bytes):
    cache = AotCache(tmp_path / "cache.aot")
    cache.file.with_suffix(".json").write_bytes(data)
    assert cache.record() == CacheRecord()
    place = HomeFolder(tmp_path / "neo4j")
    place.debug_log.parent.mkdir(parents=True, exist_ok=True)
    place.debug_log.write_bytes(data + b"\n")
    assert hang_error(place, 0.0) is None


@for_rows("value", [[], {"a": 1}, {"a": ["1"]}, {"a": [1.5]}, {"a": [True]}, {"a": None}])
def test_a_stamp_is_numbers_by_name(value: object):
    assert read_json(json.dumps(value), Stamp) is None


def test_what_was_written_is_read():
    assert read_json('{"a": [1, 2]}', Stamp) == {"a": [1, 2]}
