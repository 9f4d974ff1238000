"""The files that `install` writes, and the answers of hooks, have the form that each client publishes.

`tests/data/client_hooks.json` has the published rules in JSON Schema, in our words, with their sources.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from graph_memory.cli.clients.entries import edit, wanted_entries
from graph_memory.cli.clients.places import files_of
from graph_memory.hooks.clients import CLIENTS
from tables import for_rows

SCHEMAS: dict[str, Any] = json.loads((Path(__file__).parents[2] / "data" / "client_hooks.json").read_text())


@for_rows("client", CLIENTS)
def test_written_files_fit_the_schema_of_the_client(client: str) -> None:
    wanted = wanted_entries(client, ["/bin/graph-memory"], "/bin/graph-memory", "all", "auto")
    checked: set[str] = set()
    for scope in ("user", "project"):
        for file in files_of(client, scope, Path("/base"), "linux"):
            if file.path.suffix == ".json":
                jsonschema.validate(
                    json.loads(edit("", file, client, wanted)), SCHEMAS[client]["files"][file.path.name]
                )
                checked.add(file.path.name)
    assert checked == set(SCHEMAS[client]["files"])


@for_rows("client", CLIENTS)
def test_answers_of_hooks_fit_the_schema_of_the_client(client: str) -> None:
    answers = {name: CLIENTS[client].answer(name, "text") for name in CLIENTS[client].events}
    assert {name for name, answer in answers.items() if answer} == set(SCHEMAS[client]["answers"])
    for name, schema in SCHEMAS[client]["answers"].items():
        jsonschema.validate(answers[name], schema)


def test_a_schema_refuses_an_event_that_the_client_does_not_have() -> None:
    document = {"version": 1, "hooks": {"stopped": [{"command": "x"}]}}
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(document, SCHEMAS["cursor"]["files"]["hooks.json"])
