"""The JSON of memory stores: what is read of it, and what is refused."""

from __future__ import annotations

import hashlib
from typing import Any

import pytest

from graph_memory.file_memory.store_format import actor_of, is_store, parse_store, path_error
from graph_memory.model.errors import Code, GraphError
from tables import for_rows

AT = "2026-01-02T03:04:05Z"


def version(number: int, operation: str = "modified", **more: object) -> dict[str, Any]:
    content = None if operation == "deleted" else f"text {number}"
    return {
        "type": "memory_version",
        "id": f"memver_{number}",
        "memory_id": "mem_1",
        "operation": operation,
        "created_at": f"2026-01-0{number}T00:00:00Z",
        "path": "/a.md",
        "content": content,
        **more,
    }


def memory(**more: object) -> dict[str, Any]:
    known = {"type": "memory", "id": "mem_1", "path": "/a.md", "memory_version_id": "memver_2", "content": "text 2"}
    return {**known, "created_at": AT, "updated_at": AT, **more}


@for_rows(
    ("store", "steps", "notes"),
    [
        ({"memories": [memory()]}, [("/memories/a.md", "text 2")], 0),
        (
            {"memories": [memory()], "memory_versions": [version(2), version(1, "created")]},
            [("/memories/a.md", "text 1"), ("/memories/a.md", "text 2")],
            0,
        ),
        ({"data": [version(1, "created"), version(2, "deleted")]}, [("/memories/a.md", "text 1"), (None, "")], 0),
        ([memory(content=None)], [], 1),
        (
            [version(1, "created"), version(2, "deleted"), version(3, "created")],
            [("/memories/a.md", "text 1"), ("/memories/a.md", "text 3")],
            1,
        ),
        (
            [version(3, "deleted", created_at=AT), version(2, created_at=AT), version(1, "created", created_at=AT)],
            [("/memories/a.md", "text 1"), ("/memories/a.md", "text 2"), (None, "")],
            0,
        ),
        (
            {"memories": [memory()], "memory_versions": [version(1, path=None, content=None, redacted_at=AT)]},
            [("/memories/a.md", "text 2")],
            1,
        ),
    ],
)
def test_versions_are_replayed_in_order_up_to_the_memory(store: object, steps: list[object], notes: int) -> None:
    assert is_store(store)
    content = parse_store(store)
    assert [(step.path, step.content) for step in content.steps["mem_1"]] == steps
    assert len(content.notes) == notes


@for_rows(
    "record",
    [
        memory(id="../x"),
        memory(content="x" * 102_401),
        memory(content="\ud800"),
        memory(content_sha256=hashlib.sha256(b"other").hexdigest()),
        memory(created_at="yesterday"),
        memory(created_at="0001-01-01T00:00:00+14:00"),
        memory(path=7),
        {"type": "memory"},
        *(memory(path=path) for path in ("a", "/a//b", "/../x", "/a/./b", "/", "/a\u200bb", "/e\u0301", "/x" * 21)),
        memory(path="/" + "x" * 300),
        version(1, operation="renamed"),
    ],
)
def test_an_invalid_record_is_refused(record: dict[str, Any]) -> None:
    with pytest.raises(GraphError) as error:
        parse_store([record])
    assert error.value.code is Code.INVALID_SOURCE


def test_other_json_is_no_store() -> None:
    for other in ({"memories": [{"memory": "likes tea"}]}, {"results": []}, [], "memory", {"data": 1}, None):
        assert not is_store(other)


def test_actors_keep_their_kind() -> None:
    for actor in ("sesn_1", "user_1", "apikey_1", "svac_1"):
        assert actor in (actor_of(actor, "import_1", is_user=False) or {}).values()
    assert actor_of("ann", None, is_user=True) == {"type": "user_actor", "user_id": "ann"}
    assert actor_of("bot", None, is_user=False) == {"type": "api_actor", "api_key_id": "bot"}
    assert actor_of("bot", "s1", is_user=False) == {"type": "session_actor", "session_id": "s1"}
    assert actor_of(None, None, is_user=True) is None
    assert path_error("/a/b c.md") is None
