"""Ten faults, each put into a copy of the npm server: the comparison finds every one."""

from __future__ import annotations

from pathlib import Path

import pytest

from acceptance.mcp.official.comparing import SCRIPTS, Deviation, deviates
from acceptance.mcp.official.talking import OFFICIAL, official

pytestmark = [pytest.mark.anyio, pytest.mark.long]

FAULTS = {
    "names are compared without case": (
        "existingEntity.name === e.name",
        "existingEntity.name.toLowerCase() === e.name.toLowerCase()",
    ),
    "names end at a null character": (
        "graph.entities.push(...newEntities)",
        "newEntities.forEach(e => graph.entities.push({ ...e, name: e.name.split('\\0')[0] }))",
    ),
    "new entities come first": ("graph.entities.push(...newEntities)", "graph.entities.unshift(...newEntities)"),
    "a relation is told apart by its ends alone": (
        "existingRelation.to === r.to &&\n            existingRelation.relationType === r.relationType",
        "existingRelation.to === r.to",
    ),
    "an unknown name is passed over": (
        "throw new Error(`Entity with name ${o.entityName} not found`)",
        "return { entityName: o.entityName, addedObservations: [] }",
    ),
    "relations to what is deleted stay": (" && !entityNames.includes(r.to)", ""),
    "only the first observation named is deleted": ("!d.observations.includes(o)", "o !== d.observations[0]"),
    "a search does not look into observations": ("o.toLowerCase().includes(query.toLowerCase())", "false"),
    "relations are opened with both ends": (
        "const filteredEntities = graph.entities.filter(e => names.includes(e.name));",
        "const filteredEntities = graph.entities.filter(e => names.includes(e.name));"
        "graph.relations = graph.relations.filter(r => names.includes(r.from) && names.includes(r.to));",
    ),
    "notices go to those who did not ask": ("if (resourceSubscribers.has(RESOURCE_URI))", "if (true)"),
}
"""Faults, by the replaced text and its replacement."""


@pytest.mark.parametrize("fault", FAULTS)
async def test_a_fault_in_a_server_is_found(tmp_path: Path, fault: str):
    official(folder=tmp_path)
    sound, (find, replace) = OFFICIAL.read_text(encoding="utf-8"), FAULTS[fault]
    assert sound.count(find) == 1
    (tmp_path / "node_modules").symlink_to(OFFICIAL.parents[3])
    (tmp_path / "package.json").write_text('{"type": "module"}')
    server = tmp_path / "index.js"
    server.write_text(sound.replace(find, replace), encoding="utf-8")
    deviations = [await _deviation_in(name, tmp_path, server) for name in list(SCRIPTS)[:3]]
    assert any(deviations), fault


async def _deviation_in(name: str, tmp_path: Path, server: Path) -> Deviation | None:
    (tmp_path / name).mkdir()
    command, variables = official(folder=tmp_path / name, server=server)
    return await deviates(command, variables, SCRIPTS[name])
