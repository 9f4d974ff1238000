"""Acts of administration in Python leave a line in the audit log."""

from __future__ import annotations

import json
from pathlib import Path
from uuid import uuid4

import pytest

from graph_memory import Code, GraphError, Settings, ontology_from, open_memory

pytestmark = pytest.mark.anyio


async def test_each_act_is_recorded_once_and_without_texts(settings: Settings, domain: str, tmp_path: Path):
    file, key, text = tmp_path / "audit.jsonl", f"key-{uuid4().hex}", "The code of the safe"
    audited = settings.model_copy(update={"audit_log": file, "domain": domain, "actor": "ann"})
    async with open_memory(audited) as memory:
        secrets = [
            (await memory.keys.create(key, domains=["kitchen"])).key,
            (await memory.keys.rotate(key)).key,
        ]
        await memory.keys.revoke(key)
        await memory.create_ontology(ontology_from({"node_types": ["Note"]}))
        first, second = [(await memory.create_node("Note", text, title=text)).node_id for _ in range(2)]
        for dry_run in (True, False):
            await memory.history.erase(first, dry_run=dry_run)
            await memory.entities.forget(ids=[second], erase=True, dry_run=dry_run)
            await memory.history.compact(2, archive=tmp_path / "archive.jsonl.gz", dry_run=dry_run)
        await memory.delete_domain(domain)
        with pytest.raises(GraphError) as error:
            await memory.delete_domain(domain)
        assert error.value.code is Code.ONTOLOGY_NOT_FOUND
    lines = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
    assert [(line["act"], line.get("domain"), line["target"], line["outcome"]) for line in lines] == [
        ("create_key", None, key, "ok"),
        ("rotate_key", None, key, "ok"),
        ("revoke_key", None, key, "ok"),
        ("erase", domain, first, "ok"),
        ("erase", domain, second, "ok"),
        ("compact", domain, "2", "ok"),
        ("delete_domain", None, domain, "ok"),
        ("delete_domain", None, domain, "ONTOLOGY_NOT_FOUND"),
    ]
    assert {line["actor"] for line in lines} == {"ann"}
    assert not any(part in file.read_text(encoding="utf-8") for part in (text, *secrets))
