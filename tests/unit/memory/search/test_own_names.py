"""Which names a subject bears."""

from __future__ import annotations

from graph_memory.memory.search.passages.own_names import names
from unit.memory.search.passage_builders import connection, node, ref


def test_title_name_aliases_and_headings_are_names_in_this_order() -> None:
    subject = node(title="Ada Lovelace", name="Ada", aliases="Countess of Lovelace; A. A. L., Enchantress")
    text = "Her first line.\n\n# Early **life** #\n\nText.\n\nNotes\n-----\n\nMore."
    expected = ["Ada Lovelace", "Ada", "Countess of Lovelace", "A. A. L.", "Enchantress", "Early life", "Notes"]
    assert names(subject, text) == expected


def test_a_first_line_and_a_type_are_no_names() -> None:
    assert names(node(), "A first line\n\nAnd more.") == []
    assert names(node(ref("plain")), "# No heading in plain text") == []


def test_each_name_is_there_once_however_it_is_written() -> None:
    assert names(node(title="Ada  Lovelace", name="ADA LOVELACE", alias="ａda lovelace"), None) == ["Ada Lovelace"]


def test_aliases_may_be_a_list_in_json() -> None:
    assert names(node(aliases='["Acme, Inc.", "Acme", 3]'), None) == ["Acme, Inc.", "Acme"]
    assert names(node(aliases="[Acme, Inc."), None) == ["[Acme", "Inc."]


def test_what_has_no_letter_or_is_endless_is_no_name() -> None:
    assert names(node(title="---", name="x" * 201, aliases=",,  ,"), None) == []


def test_a_heading_in_code_is_no_name() -> None:
    assert names(node(), "```sh\n# comment\n```\n\n# Real") == ["Real"]


def test_a_connection_has_names_and_an_observation_has_none() -> None:
    assert names(connection(name="The treaty"), None) == ["The treaty"]
    assert names({"_text": "# Heading", "name": "x"}, None) == []
