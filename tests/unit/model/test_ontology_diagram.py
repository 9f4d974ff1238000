"""The Mermaid diagram of an ontology."""

from __future__ import annotations

from graph_memory.model.ontology.diagram import mermaid
from graph_memory.model.ontology.ontology import ontology_from


def test_arrows_between_the_same_boxes_are_one_and_any_type_has_a_box():
    ontology = ontology_from(
        {
            "node_types": ["Project", "Action"],
            "connection_types": {
                "NextAction": {"from": ["Project"], "to": ["Action"]},
                "DependsOn": {"from": ["Project"], "to": ["Action"]},
                "About": {"from": ["Action"], "to": ["*"]},
            },
        }
    )
    assert mermaid(ontology).splitlines() == [
        "flowchart LR",
        '  n0["Project"]',
        '  n1["Action"]',
        '  any(["any type"])',
        '  n0 -->|"NextAction<br/>DependsOn"| n1',
        '  n1 -->|"About"| any',
    ]


def test_no_box_for_any_type_where_none_is_needed():
    assert "any" not in mermaid(ontology_from({"node_types": ["Project"]}))


def test_names_cannot_break_out_of_their_quotes():
    text = mermaid(ontology_from({"node_types": ['a"]; click <b>`x`', "end", "Größe 🏠", "1. x-y"]}))
    assert '  n0["a#34;#93;#59; click #60;b#62;#96;x#96;"]' in text
    assert '  n1["end"]' in text
    assert '  n2["Größe 🏠"]' in text
    assert '  n3["1#46; x#45;y"]' in text
