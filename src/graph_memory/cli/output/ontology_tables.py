"""Prints an ontology as tables for people."""

from __future__ import annotations

from collections.abc import Iterator

import typer

from graph_memory.cli.output.tables import print_table
from graph_memory.model.ontology.ontology import AnyType, ConnectionType, Ontology, PropertyRule
from graph_memory.model.ontology.types import MEANINGS, RULE_FLAGS
from graph_memory.model.text.wording import printable, quote


def print_ontology(ontology: Ontology, *, detail: bool) -> None:
    """Print the node types and connection types. With `detail`, also print every property."""
    if ontology.open:
        typer.echo("Open: an unknown type in a write is added.\n")
    columns = ("node type", "properties", "description")
    rows = [(declared.name, _properties(declared), declared.description) for declared in ontology.node_types]
    described = len(columns) if any(declared.description for declared in ontology.node_types) else -1
    print_table(columns[:described], [row[:described] for row in rows], uncut=("node type",), wrapped=_LONG)
    if ontology.connection_types:
        typer.echo()
        print_table(
            ("connection type", "from", "to", "properties", "rules"),
            [_connection_row(declared) for declared in ontology.connection_types],
            uncut=("connection type",),
            wrapped=("from", "to", "properties", "rules"),
        )
    if detail:
        _print_properties(ontology)
    elif any(declared.required for declared in (*ontology.node_types, *ontology.connection_types)):
        typer.echo("\n* required")


_LONG = ("properties", "description")


def _print_properties(ontology: Ontology) -> None:
    rows = [row for declared in (*ontology.node_types, *ontology.connection_types) for row in _rule_rows(declared)]
    if rows:
        typer.echo()
        columns = ("of", "property", "type", "rules", "description")
        print_table(columns, rows, uncut=("of", "property", "type"), wrapped=("rules", "description"))


def _rule_rows(declared: AnyType) -> Iterator[tuple[str, ...]]:
    for rule in declared.properties:
        yield declared.name, rule.name, str(rule.type or "any"), _rules(rule), rule.description
    for index in declared.indexes:
        yield declared.name, ", ".join(index), "index", f"ordered by {index[-1]}", ""


def _connection_row(declared: ConnectionType) -> tuple[str, ...]:
    flags = [f"inverse {declared.inverse}"] if declared.inverse else []
    flags += [flag for flag in (*MEANINGS, *RULE_FLAGS, "ad_hoc") if getattr(declared, flag)]
    flags += [f"half-life {declared.half_life:g} days"] if declared.half_life is not None else []
    ends = (", ".join(declared.from_types), ", ".join(declared.to_types))
    return (declared.name, *ends, _properties(declared), ", ".join(flags))


def _properties(declared: AnyType) -> str:
    return ", ".join(map(_property, declared.properties))


def _property(rule: PropertyRule) -> str:
    """Return a short description of a property, such as `status* (next, done)` or `year (integer)`."""
    values = ", ".join(map(printable, rule.enum)) if rule.enum else rule.type
    return rule.name + ("*" if rule.required else "") + (f" ({values})" if values else "")


def _rules(rule: PropertyRule) -> str:
    flags = [flag for flag in ("required", "unique", "indexed") if getattr(rule, flag)]
    enum = [f"one of {', '.join(map(quote, rule.enum))}"] if rule.enum else []
    return ", ".join([*flags, *enum])
