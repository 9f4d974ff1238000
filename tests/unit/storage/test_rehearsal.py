"""Samples of statements: names of files, types and sizes, and no texts of callers."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path

import pytest

from graph_memory.memory.graph.queries import NODES
from graph_memory.model.subjects.kinds import Step
from graph_memory.storage.log.project import write_at_once
from graph_memory.storage.queries import Query, QueryFileError, assemble
from graph_memory.storage.rehearsal import MAX_STATEMENTS, MAX_VALUES, StatementSamples, Values, make_sample

PARAMS = {
    "domain": "secret",
    "fields": {"a": ["secret", "other"], "b": 17.25, "at": datetime(2026, 1, 2, tzinfo=UTC), "data": b"secret"},
    "limit": 1234,
    "flag": True,
    "none": None,
}


def rehearsal_of(path: Path) -> StatementSamples:
    loaded = StatementSamples(path)
    loaded.load()
    return loaded


def record_use(path: Path, query: Query[object]) -> None:
    recorded = StatementSamples(path)
    recorded.record(query, dict.fromkeys(query.params, "secret"))
    recorded.save()


def test_a_sample_has_the_types_and_sizes_of_a_value_and_none_of_its_texts_and_numbers():
    sample = make_sample(PARAMS, "MATCH $domain $fields.a row.b row.at row.data $limit $flag $none")
    assert not {"secret", "other", "1234", "17.25", "2026"} & set(json.dumps(sample).replace('"', " ").split())
    value = Values().value_of(json.loads(json.dumps(sample)))
    assert isinstance(value, dict)
    assert value.keys() == PARAMS.keys()
    assert [type(value["fields"][name]) for name in PARAMS["fields"]] == [list, float, datetime, bytes]
    assert (len(value["fields"]["a"]), value["flag"], value["none"]) == (2, True, None)


def test_names_of_properties_are_no_part_of_a_sample():
    sample = make_sample({"state": {"salary": 1, "_title": "x"}}, "SET n += $row.state, n._title = row._title")
    assert "salary" not in json.dumps(sample)
    assert "_title" in json.dumps(sample)


def test_the_values_of_a_statement_are_limited():
    sample: object = 1
    for _ in range(4):
        sample = {"type": "list", "size": 1_000, "item": sample}
    assert len(json.dumps(Values().value_of(sample))) < 20 * MAX_VALUES


@pytest.mark.parametrize(("size", "least", "most"), [(0, 0, 0), (1, 1, 10), (9, 2, 10), (10, 2, 10), (11, 11, 100)])
def test_a_text_is_in_the_power_of_ten_of_the_one_it_stands_for(size: int, least: int, most: int):
    text = Values().value_of(make_sample("x" * size, ""))
    assert isinstance(text, str)
    assert least <= len(text) <= most


@pytest.mark.parametrize("query", [NODES, write_at_once((Step.CREATE_NODES, Step.CREATE_CONNECTIONS))])
def test_a_statement_is_assembled_again_from_the_names_of_its_files(query: Query[object], tmp_path: Path):
    path = tmp_path / "home" / "statements.json"
    record_use(path, query)
    assert path.stat().st_mode & 0o777 == 0o600
    assert "MATCH" not in path.read_text()
    [(statement, params)] = rehearsal_of(path).statements()
    assert (statement.text, statement.list_text) == (query.text, query.list_text)
    assert params.keys() == query.params


@pytest.mark.parametrize("parts", [[], ["log/none"], ["../x/y"], ["marked"], ["together", "x"], ["MATCH (n) RETURN n"]])
def test_parts_that_are_no_statement_are_refused(parts: list[str]):
    with pytest.raises((QueryFileError, ValueError)):
        assemble(parts)


DAMAGED = [
    *(
        "",
        "{",
        "[]",
        "[" * 100_000,
        "[1]",
        "{}",
        '[{"statement": 1, "params": {}}]',
        '[{"statement": ["a/b"], "params": []}]',
    ),
    '[{"statement": ["MATCH (n) DETACH DELETE n"], "params": {}}]',
    '[{"statement": ["log/head"], "params": {}}]',
]


@pytest.mark.parametrize("text", DAMAGED)
def test_a_damaged_file_has_nothing_to_rehearse(text: str, tmp_path: Path):
    path = tmp_path / "statements.json"
    path.write_text(text)
    assert rehearsal_of(path).statements() == []


def test_a_missing_file_and_one_that_cannot_be_written_do_no_harm(tmp_path: Path):
    (tmp_path / "file").write_text("")
    record_use(tmp_path / "file" / "statements.json", NODES)
    assert rehearsal_of(tmp_path / "file" / "statements.json").statements() == []


def test_the_number_of_statements_is_limited(tmp_path: Path):
    path = tmp_path / "statements.json"
    rows = [{"statement": [f"log/x{number}"], "params": {}} for number in range(MAX_STATEMENTS)]
    path.write_text(json.dumps(rows))
    full = rehearsal_of(path)
    full.record(NODES, {})
    full.save()
    assert json.loads(path.read_text()) == rows
