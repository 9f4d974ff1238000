"""Prints an ontology as tables for people."""

from __future__ import annotations

from collections.abc import Iterator

import typer

from graph_memory.cli.output.tables import print_table
from graph_memory.model.ontology.ontology import AnyType, ConnectionType, Ontology, PropertyRule
from graph_memory.model.ontology.types import MEANINGS, RULE_FLAGS
from graph_memory.model.text.wording import printable, quote


def print_ontology(ontology: Ontology, *, detail: bool) -> None:
    """Print the node types and connection types of an ontology. With `detail`, also print every property."""
    if ontology.open:
        typer.echo("Open: if a write uses an unknown type, the type is added.\n")
    columns = ("node type", "properties", "description")
    rows = [
        (declared_type.name, _properties(declared_type), declared_type.description)
        for declared_type in ontology.node_types
    ]
    column_count = len(columns) if any(declared_type.description for declared_type in ontology.node_types) else -1
    print_table(
        columns[:column_count], [row[:column_count] for row in rows], uncut=("node type",), wrapped=_WRAPPED_COLUMNS
    )
    if ontology.connection_types:
        typer.echo()
        print_table(
            ("connection type", "from", "to", "properties", "rules"),
            [_connection_row(declared_type) for declared_type in ontology.connection_types],
            uncut=("connection type",),
            wrapped=("from", "to", "properties", "rules"),
        )
    if detail:
        _print_properties(ontology)
    elif any(declared_type.required for declared_type in (*ontology.node_types, *ontology.connection_types)):
        typer.echo("\n* required")


_WRAPPED_COLUMNS = ("properties", "description")


def _print_properties(ontology: Ontology) -> None:
    rows = [
        row for declared_type in (*ontology.node_types, *ontology.connection_types) for row in _rule_rows(declared_type)
    ]
    if rows:
        typer.echo()
        columns = ("of", "property", "type", "rules", "description")
        print_table(columns, rows, uncut=("of", "property", "type"), wrapped=("rules", "description"))


def _rule_rows(declared_type: AnyType) -> Iterator[tuple[str, ...]]:
    for rule in declared_type.properties:
        yield declared_type.name, rule.name, str(rule.type or "any"), _rules(rule), rule.description
    for index in declared_type.indexes:
        yield declared_type.name, ", ".join(index), "index", f"ordered by {index[-1]}", ""


def _connection_row(declared_type: ConnectionType) -> tuple[str, ...]:
    flags = [f"inverse {declared_type.inverse}"] if declared_type.inverse else []
    flags += [flag for flag in (*MEANINGS, *RULE_FLAGS, "ad_hoc") if getattr(declared_type, flag)]
    flags += [f"half-life {declared_type.half_life:g} days"] if declared_type.half_life is not None else []
    ends = (", ".join(declared_type.from_types), ", ".join(declared_type.to_types))
    return (declared_type.name, *ends, _properties(declared_type), ", ".join(flags))


def _properties(declared_type: AnyType) -> str:
    return ", ".join(map(_property, declared_type.properties))


def _property(rule: PropertyRule) -> str:
    """Return a short description of a property, such as `status* (next, done)` or `year (integer)`.

    `*` means required.
    """
    values = ", ".join(map(printable, rule.enum)) if rule.enum else rule.type
    return rule.name + ("*" if rule.required else "") + (f" ({values})" if values else "")


def _rules(rule: PropertyRule) -> str:
    flags = [flag for flag in ("required", "unique", "indexed") if getattr(rule, flag)]
    enum = [f"one of {', '.join(map(quote, rule.enum))}"] if rule.enum else []
    return ", ".join([*flags, *enum])
