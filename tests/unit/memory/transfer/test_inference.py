"""The ontology that data suggests: it accepts what was held back, and refuses what is seeded with faults."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import pytest

from graph_memory import GraphError, Ontology
from graph_memory.memory.transfer.load.infer import Inference
from graph_memory.model.ontology.types import check_rules
from graph_memory.model.ontology.yaml_io import parse, to_yaml
from graph_memory.model.values.properties import PropertyType, PropertyValue
from tables import for_rows

WORDS = ["red", "green", "blue", "black", "white"]


@dataclass(frozen=True)
class Row:
    """A node, or a connection between nodes of two types."""

    type: str
    properties: Mapping[str, PropertyValue]
    ends: tuple[str, str] | None = None


def rows(seed: int) -> list[Row]:
    """Return a town: people with cars, who live in houses."""
    rng = random.Random(seed)
    people = [
        Row(
            "Person",
            {
                "name": f"{rng.choice('ABCDEFGH')}{rng.randrange(40)}",
                "passport": f"P{number:05}",
                "born": f"19{rng.randrange(10, 99)}-0{rng.randrange(1, 9)}-11",
                "children": rng.randrange(5),
                **({"nickname": "x" * rng.randrange(9)} if rng.random() < 0.7 else {}),
            },
        )
        for number in range(400)
    ]
    cars = [
        Row("Car", {"colour": rng.choice(WORDS), "price": rng.random() * 9_000, "new": rng.random() < 0.5})
        for _ in range(300)
    ]
    few = [Row("Palace", {"rooms": 900})] * 3
    owns = [Row("OWNS", {"kind": rng.choice(["bought", "leased"])}, ("Person", "Car")) for _ in range(300)]
    knows = [Row("KNOWS", {}, ("Person", "Person")) for _ in range(200)]
    return [*people, *cars, *few, *owns, *knows]


def infer(values: Sequence[Row]) -> Ontology:
    inference = Inference()
    for row in values:
        if row.ends is None:
            inference.node(row.type, row.properties)
        else:
            inference.connection(row.type, *row.ends, row.properties)
    return inference.ontology()


def check(ontology: Ontology, row: Row) -> None:
    if row.ends is not None:
        ontology.check_topology(row.type, *row.ends)
    declared = ontology.node_type(row.type) if row.ends is None else ontology.connection_type(row.type)
    check_rules(declared, row.properties)


def faults(rng: random.Random, held: Sequence[Row]) -> list[Row]:
    """Return 50 rows with wrong ends, properties that are missing or of another type, or values outside an enum."""
    of = {name: [row for row in held if row.type == name] for name in ("Person", "Car", "OWNS", "KNOWS")}
    wrong_ends = [replace(rng.choice(of["OWNS"]), ends=("Car", "Person")) for _ in range(5)]
    wrong_ends += [
        replace(rng.choice(of["KNOWS"]), ends=rng.choice([("Car", "Car"), ("Person", "Car")])) for _ in range(5)
    ]
    missing = [without(rng.choice(of["Person"]), rng.choice(["name", "passport", "born"])) for _ in range(8)]
    missing += [without(rng.choice(of["Car"]), rng.choice(["colour", "price", "new"])) for _ in range(7)]
    other = [with_value(rng.choice(of["Person"]), "children", rng.choice(["two", 1.5, True])) for _ in range(5)]
    other += [with_value(rng.choice(of["Car"]), "price", rng.choice(["9", False])) for _ in range(5)]
    other += [
        with_value(rng.choice(of["Person"]), "born", rng.choice(["1980-02-30", "long ago", 1980])) for _ in range(5)
    ]
    enum = [with_value(rng.choice(of["Car"]), "colour", rng.choice(["Red", "pink", ""])) for _ in range(5)]
    enum += [with_value(rng.choice(of["OWNS"]), "kind", rng.choice(["stolen", "Bought"])) for _ in range(5)]
    return [*wrong_ends, *missing, *other, *enum]


def without(row: Row, name: str) -> Row:
    return replace(row, properties={key: value for key, value in row.properties.items() if key != name})


def with_value(row: Row, name: str, value: PropertyValue) -> Row:
    return replace(row, properties={**row.properties, name: value})


@for_rows("seed", range(10))
def test_what_is_inferred_from_nine_tenths_accepts_the_rest_and_refuses_50_faults(seed: int):
    rng, shuffled = random.Random(seed), rows(seed)
    rng.shuffle(shuffled)
    cut = len(shuffled) * 9 // 10
    ontology = infer(shuffled[:cut])
    for row in shuffled[cut:]:
        check(ontology, row)
    seeded = faults(rng, shuffled[cut:])
    assert len(seeded) == 50
    for row in seeded:
        with pytest.raises(GraphError):
            check(ontology, row)


def test_types_properties_and_rules_are_what_the_data_bears_out():
    ontology = infer(rows(1))
    assert parse(to_yaml(ontology)) == ontology
    person = {rule.name: rule for rule in ontology.node_type("Person").properties}
    car = {rule.name: rule for rule in ontology.node_type("Car").properties}
    assert [name for name, rule in person.items() if rule.required] == ["name", "passport", "born", "children"]
    assert [name for name, rule in person.items() if rule.unique] == ["passport"]
    assert [name for name, rule in person.items() if rule.indexed] == ["name", "born"]
    assert (person["born"].type, person["children"].type) == (PropertyType.DATE, PropertyType.INTEGER)
    assert sorted(map(str, car["colour"].enum)) == sorted(WORDS)
    assert (car["price"].type, car["new"].type) == (PropertyType.NUMBER, PropertyType.BOOLEAN)
    assert ontology.connection_type("OWNS").from_types == ("Person",)


def test_few_rows_make_no_rules_but_the_type_of_values():
    palace = infer(rows(1)).node_type("Palace")
    assert [(rule.name, rule.type, rule.required, rule.unique, rule.enum) for rule in palace.properties] == [
        ("rooms", PropertyType.INTEGER, False, False, ())
    ]


def test_a_value_that_came_up_seldom_makes_no_enum():
    common = [Row("A", {"x": word}) for word in ("a", "b") for _ in range(100)]
    assert infer(common).node_type("A").properties[0].enum == ("a", "b")
    assert infer([*common, *[Row("A", {"x": "c"})] * 2]).node_type("A").properties[0].enum == ()


def test_values_of_several_types_leave_the_type_open():
    mixed = infer([Row("A", {"x": value, "y": number}) for value, number in (("a", 1), (1, 2.5))]).node_type("A")
    assert [rule.type for rule in mixed.properties] == [None, PropertyType.NUMBER]
