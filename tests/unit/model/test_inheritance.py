"""Inherited types of an ontology, and the types that a log records."""

from __future__ import annotations

import pytest

from graph_memory.model.errors import Code, GraphError
from graph_memory.model.ontology.inheritance import (
    check_inherited,
    has_own_declarations,
    redefined_types,
    types_not_inherited,
    types_to_copy,
    with_inherited_types,
)
from graph_memory.model.ontology.ontology import ConnectionType, NodeType, Ontology
from graph_memory.model.rights import Caller, Grant, Principal, Right, run_as
from graph_memory.model.subjects.kinds import Kind

NOTE, PERSON, TASK = NodeType("Note"), NodeType("Person"), NodeType("Task")
ABOUT = ConnectionType("About", ("Note",), ("Person",))


def names(ontology: Ontology) -> list[str]:
    return [kind.name for kind in (*ontology.node_types, *ontology.connection_types)]


def test_what_is_nearest_hides_what_is_further_up():
    near, far = NodeType("Note", description="near"), NodeType("Note", description="far")
    seen = with_inherited_types(
        Ontology.create([TASK]), [("near", Ontology.create([near])), ("far", Ontology.create([far, PERSON]))]
    )
    assert names(seen) == ["Task", "Note", "Person"]
    assert seen.node_type("Note").description == "near"
    assert seen.inherited == {"node_type/Note", "node_type/Person"}
    assert {subject: inherited.domain for subject, inherited in seen.above.items()} == {
        "node_type/Note": "near",
        "node_type/Person": "far",
    }
    own = with_inherited_types(
        Ontology.create([NodeType("Note", description="own")]), [("near", Ontology.create([near]))]
    )
    assert own.node_type("Note").description == "own"
    assert [kind.title for kind in redefined_types(own)] == ["node type Note"]
    assert not own.inherited


def test_what_would_contradict_is_left_out_and_the_rest_is_there():
    own = Ontology.create([NOTE], [ConnectionType("holds", ("Note",), ("Note",), inverse="held_by")])
    above = Ontology.create(
        [PERSON],
        [
            ConnectionType("keeps", ("Person",), ("Person",), inverse="held_by"),
            ConnectionType("knows", ("Person",), ("Person",)),
        ],
    )
    assert names(with_inherited_types(own, [("above", above)])) == ["Note", "Person", "holds", "knows"]


def test_a_log_takes_what_it_uses_and_what_that_names():
    pair = [
        ConnectionType("owns", ("Person",), ("Note",), inverse="owned_by"),
        ConnectionType("owned_by", ("Note",), ("Person",), inverse="owns"),
    ]
    seen = with_inherited_types(Ontology.create([TASK]), [("above", Ontology.create([NOTE, PERSON], [ABOUT, *pair]))])
    assert [kind.name for kind in types_to_copy(seen, [(Kind.NODE, "Note"), (Kind.NODE, "Task")], {})] == ["Note"]
    assert [kind.name for kind in types_to_copy(seen, [(Kind.CONNECTION, "About")], {})] == ["Note", "Person", "About"]
    assert [kind.name for kind in types_to_copy(seen, [(Kind.CONNECTION, "owns")], {})] == [
        "Note",
        "Person",
        "owned_by",
        "owns",
    ]
    own = ConnectionType("For", ("Task",), ("Person",))
    assert [kind.name for kind in types_to_copy(seen, [], {"connection_type/For": own})] == ["Person"]
    assert types_to_copy(seen, [(Kind.NODE, "Note")], {"node_type/Note": NOTE}) == []


def test_a_type_of_above_may_be_declared_as_it_is_and_not_otherwise():
    seen = with_inherited_types(Ontology(), [("above", Ontology.create([NOTE, PERSON], [ABOUT]))])
    assert not has_own_declarations(seen)
    assert types_not_inherited(seen, [NOTE, TASK, ABOUT]) == [TASK]
    check_inherited(seen, [NOTE, TASK])
    with pytest.raises(GraphError) as error:
        check_inherited(seen, [NOTE, NodeType("Person", description="Somebody")])
    assert error.value.code is Code.TYPE_ALREADY_EXISTS
    assert error.value.details["conflicts"] == ["node type Person"]
    assert error.value.details["domain"] == "above"


def test_the_error_for_a_redefined_type_does_not_name_a_domain_that_the_caller_may_not_read():
    seen = with_inherited_types(Ontology(), [("above", Ontology.create([PERSON]))])
    for pattern, is_named in (("team", False), ("above", True)):
        reader = Caller(Principal("ann", (Grant(pattern, Right.WRITE),)))
        with run_as(reader), pytest.raises(GraphError) as error:
            check_inherited(seen, [NodeType("Person", description="Somebody")])
        assert ("domain above" in f"{error.value}{error.value.details}".lower()) == is_named
        assert error.value.details.get("domain") == ("above" if is_named else None)
        assert reader.omitted == set()


def test_more_types_than_an_ontology_may_have_are_left_out(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("graph_memory.model.ontology.inheritance.MAX_TYPES", 3)
    above = Ontology.create([NOTE, PERSON], [ABOUT])
    assert names(with_inherited_types(Ontology.create([TASK]), [("above", above)])) == ["Task", "Note", "Person"]
    assert names(with_inherited_types(Ontology.create([TASK, NOTE]), [("above", above)])) == ["Task", "Note", "Person"]
