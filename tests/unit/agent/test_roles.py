"""Which types of a domain are the layer's."""

from __future__ import annotations

from graph_memory.agent.records.roles import layer_ontology, roles_in
from graph_memory.model.ontology.ontology import ontology_from
from tables import for_rows


@for_rows(
    ("properties", "required", "name"),
    [
        (["source"], ["source"], "Document"),
        (["source", "author"], ["source"], "Document"),
        (["source"], [], "Document"),
        (["source", "author"], ["source", "author"], "AgentDocument"),
        (["author"], [], "AgentDocument"),
    ],
)
def test_a_type_is_the_layers_if_it_has_its_properties_and_requires_no_others(
    properties: list[str], required: list[str], name: str
):
    rules = {rule: {"type": "string"} for rule in properties}
    document = {"name": "Document", "properties": rules, "required_properties": required}
    assert roles_in(ontology_from({"node_types": [document], "connection_types": []}))["Document"] == name


def test_the_types_that_the_layer_creates_are_its_own_also_with_a_stricter_rule():
    assert roles_in(layer_ontology()).has_all_types
    goal = {
        "name": "Goal",
        "properties": {
            name: {} for name in ("description", "status", "priority", "deadline", "steps", "completed_steps")
        },
        "required_properties": ["description", "status", "deadline"],
    }
    assert roles_in(ontology_from({"node_types": [goal], "connection_types": []}))["Goal"] == "Goal"
