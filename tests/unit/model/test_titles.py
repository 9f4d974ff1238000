"""Titles of nodes that have no title of their own."""

from __future__ import annotations

from graph_memory.model.values.titles import shown_title, title_of


def test_a_node_without_a_title_is_called_by_a_short_property() -> None:
    assert shown_title("Car", "Beetle", {"make": "VW"}) == "Beetle"
    assert (
        shown_title("Car", "Car", {"year": 1963, "sold": True, "notes": "x" * 81, "reg": "AB 12", "make": ""})
        == "AB 12"
    )
    assert shown_title("Car", "Car", {"year": 1963, "doors": 3}) == "3"
    assert shown_title("Car", "Car", {"sold": True}) == "Car"


def test_a_type_without_a_name_which_is_refused_later_has_an_empty_title() -> None:
    assert title_of("", {}, "") == ""
