"""The Cypher files: each is checked against its header when it is bound, and bound exactly once."""

from __future__ import annotations

import importlib
import pkgutil
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest

import graph_memory
from graph_memory.storage import queries
from graph_memory.storage.queries import NoRow, Query, QueryFileError, cypher_root, query
from tables import for_rows

Write = Callable[[str], Path]


@dataclass(frozen=True)
class Pair:
    """A row with two fields."""

    first: str
    second: int


GOOD = """\
// What it is for, in a sentence
// or two.
// mode: read
// params: domain, limit
// returns: first, second
MATCH (n:_Node {_domain: $domain})
RETURN n.one AS first, n.two AS second
LIMIT $limit
"""


@pytest.fixture
def write(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Write:
    """Writes the one file `some/thing.cypher` and gives its path."""
    monkeypatch.setattr(queries, "cypher_root", lambda: tmp_path)
    path = tmp_path / "some" / "thing.cypher"
    path.parent.mkdir()

    def writer(text: str) -> Path:
        path.write_text(text, encoding="utf-8")
        return path

    return writer


def message_of(path: Path, row: type[object] = Pair) -> str:
    """The message with which the file is refused; it names the file."""
    with pytest.raises(QueryFileError) as caught:
        query("some/thing", row)
    assert str(path) in str(caught.value)
    return str(caught.value)


def test_a_file_that_keeps_to_its_header_is_a_query(write: Write) -> None:
    write(GOOD)
    result = query("some/thing", Pair)
    assert (result.name, result.mode, result.params, result.returns, result.row) == (
        "some/thing",
        "read",
        {"domain", "limit"},
        ("first", "second"),
        Pair,
    )
    assert result.text.startswith("MATCH")
    assert "mode:" not in result.text


def test_a_missing_file_is_named(write: Write, tmp_path: Path) -> None:
    assert "no such file" in message_of(tmp_path / "some" / "thing.cypher")


@pytest.mark.parametrize("field", ["mode", "params", "returns"])
def test_a_missing_header_field_is_named(write: Write, field: str) -> None:
    path = write("".join(line for line in GOOD.splitlines(keepends=True) if f"// {field}:" not in line))
    assert f"no {field}" in message_of(path)


def test_the_subjects_that_an_answer_depends_on_are_all_unless_the_header_names_them(write: Write) -> None:
    write(GOOD)
    assert query("some/thing", Pair).subjects is None
    write(GOOD.replace("// returns", "// subjects: limit\n// returns"))
    assert query("some/thing", Pair).subjects == ("limit",)
    assert "not parameters" in message_of(write(GOOD.replace("// returns", "// subjects: id\n// returns")))


@pytest.mark.parametrize("text", ["", "RETURN 1 AS first, 2 AS second\n", "\n".join(GOOD.splitlines()[2:])])
def test_a_header_must_begin_with_what_the_statement_is_for(write: Write, text: str) -> None:
    assert "a description of the statement" in message_of(write(text))


@pytest.mark.parametrize("mode", ["", "both", "READ"])
def test_a_mode_is_read_or_write(write: Write, mode: str) -> None:
    assert "mode" in message_of(write(GOOD.replace("mode: read", f"mode: {mode}")))


@pytest.mark.parametrize("params", ["domain", "domain, limit, more", "-", "domain, Limit"])
def test_the_header_names_exactly_the_parameters_of_the_statement(write: Write, params: str) -> None:
    assert "params" in message_of(write(GOOD.replace("domain, limit", params)))


def test_parameters_in_strings_comments_and_backticks_are_none(write: Write) -> None:
    noise = "WHERE n.`a $one` <> '$two \\' $three' AND n.x <> \"$four // $five\" // $six\n// $seven\nRETURN"
    write(GOOD.replace("RETURN", noise))
    assert query("some/thing", Pair).params == {"domain", "limit"}


def test_the_parameter_after_a_string_that_looks_like_a_comment_counts(write: Write) -> None:
    path = write(GOOD.replace("RETURN", "WHERE n.url <> 'http://' AND n.x <> $hidden\nRETURN"))
    assert "hidden" in message_of(path)


def test_the_parameter_of_a_dynamic_label_counts(write: Write) -> None:
    path = write(GOOD.replace("_Node {", "$($label) {"))
    assert "label" in message_of(path)


@pytest.mark.parametrize("returns", ["first", "second, first", "first, second, third", "-"])
def test_what_is_returned_is_what_the_row_takes_in_its_order(write: Write, returns: str) -> None:
    assert "returns" in message_of(write(GOOD.replace("first, second\n", f"{returns}\n", 1)))


def test_a_statement_that_returns_nothing_has_no_row(write: Write) -> None:
    path = write(GOOD)
    assert "returns" in message_of(path, NoRow)
    write(GOOD.replace("returns: first, second", "returns: -"))
    assert query("some/thing", NoRow).returns == ()


def test_a_statement_of_one_column_needs_no_row_class(write: Write) -> None:
    assert "one value" in message_of(write(GOOD), str)
    write(GOOD.replace("returns: first, second", "returns: first"))
    result = query("some/thing", str)
    assert (result.returns, result.row("it")) == (("first",), "it")


@for_rows(
    "clause",
    ["SET n.x = 1", "CREATE (m)", "MERGE (m)", "DELETE n", "DETACH DELETE n", "REMOVE n.x", "set n.x = 1", "Merge (m)"],
)
def test_a_read_statement_has_no_clause_that_writes(write: Write, clause: str) -> None:
    text = GOOD.replace("RETURN", f"{clause}\nRETURN")
    assert "read statement" in message_of(write(text))
    write(text.replace("mode: read", "mode: write"))
    assert query("some/thing", Pair).mode == "write"


def test_names_that_hold_the_word_of_a_clause_do_not_write(write: Write) -> None:
    write(GOOD.replace("RETURN", "WHERE n._created > 0 AND n.`SET` = 'DELETE' AND n.offset = 1 // MERGE\nRETURN"))
    assert query("some/thing", Pair).mode == "read"


def bindings() -> Iterator[Query[object]]:
    """Every query that is bound to a constant anywhere in the package, each object once."""
    results: dict[int, Query[object]] = {}
    for module in pkgutil.walk_packages(graph_memory.__path__, "graph_memory."):
        if not module.name.endswith("__main__") and not module.name.startswith("graph_memory.adapters."):
            for value in vars(importlib.import_module(module.name)).values():
                for value_ in value.values() if isinstance(value, Mapping) else [value]:
                    if isinstance(value_, Query):
                        results[id(value_)] = value_
    yield from results.values()


def test_every_cypher_file_is_bound_to_one_constant() -> None:
    root = cypher_root()
    files = {str(path.relative_to(root).with_suffix("").as_posix()) for path in root.rglob("*.cypher")}
    bound = Counter(binding.name for binding in bindings())
    assert {name for name in files if not name.startswith("schema/")} == set(bound)
    assert [name for name, count in bound.items() if count > 1] == []


def test_a_file_name_is_a_verb_or_noun_in_snake_case() -> None:
    names = [path.relative_to(cypher_root()) for path in cypher_root().rglob("*") if path.is_file()]
    assert all(path.suffix == ".cypher" for path in names)
    assert all(part.isidentifier() and part == part.lower() for path in names for part in path.parent.parts)
