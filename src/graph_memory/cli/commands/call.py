"""`graph-memory call`: calls any operation by its name, with arguments as `key=value`."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, cast

import typer

from graph_memory.cli.command import Call
from graph_memory.cli.errors import CALLED_BY_NAME
from graph_memory.cli.input import completion
from graph_memory.cli.input.call_arguments import parse_call_arguments
from graph_memory.cli.input.options import DomainOption
from graph_memory.cli.output.printing import CALLED_DOMAIN, escape_line, note, print_json
from graph_memory.cli.output.tables import print_table
from graph_memory.model.text.wording import quote, suggestion
from graph_memory.model.values.arguments import invalid_argument
from graph_memory.model.values.plain import parse_json_strictly

if TYPE_CHECKING:
    from graph_memory.operations.operation import AnyOperation

_LIST = "List the operations with `graph-memory call --list`."


def call(
    operation: Annotated[
        str | None,
        typer.Argument(help="Name of the operation, as in MCP and Python.", autocompletion=completion.operations),
    ] = None,
    arguments: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[KEY=VALUE]...",
            help="Arguments. Use KEY:=JSON for JSON. Repeat a key for a list.",
            autocompletion=completion.operation_arguments,
        ),
    ] = None,
    source: Annotated[
        str | None, typer.Option("--json", metavar="FILE|-", help="Also read arguments from a JSON object.")
    ] = None,
    listed: Annotated[bool, typer.Option("--list", help="List all operations, or the arguments of OPERATION.")] = False,
    domain: DomainOption = None,
) -> None:
    """Call an operation by its name. Prints the result as JSON, like the MCP tool of the same name."""
    CALLED_BY_NAME.set(True)
    CALLED_DOMAIN.set(domain)
    if operation is None:
        if not listed:
            raise invalid_argument("operation", "No operation was given", _LIST)
        return _list_operations()
    chosen_operation = _find_operation(operation)
    if listed:
        return _list_arguments(chosen_operation)
    values = {**_read_arguments(source), **parse_call_arguments(chosen_operation, arguments or ())}
    use = chosen_operation.bind(values)
    Call(domain, as_json=True).answer(use, print_json, "Working" if chosen_operation.is_writing else "Reading")
    return None


def _find_operation(name: str) -> AnyOperation:
    from graph_memory.operations.table import CALLABLE

    if name not in CALLABLE:
        raise invalid_argument("operation", f"No operation is named {quote(name)}", suggestion(name, CALLABLE, _LIST))
    return CALLABLE[name]


def _read_arguments(source: str | None) -> dict[str, object]:
    """Read arguments as a JSON object from a file or standard input."""
    if source is None:
        return {}
    hint = "Pass a file with one JSON object, or - for standard input."
    try:
        data = sys.stdin.buffer.read() if source == "-" else Path(source).read_bytes()
        content = parse_json_strictly(data)
    except OSError as error:
        raise invalid_argument("json", f"Cannot read {escape_line(source)}: {error.strerror}", hint) from error
    except ValueError as error:
        raise invalid_argument("json", f"{escape_line(source)} is not valid JSON: {error}", hint) from error
    if not isinstance(content, dict):
        raise invalid_argument("json", f"{escape_line(source)} is not a JSON object", hint)
    return cast("dict[str, object]", content)


def _list_operations() -> None:
    from graph_memory.operations.table import TOOLSETS

    rows = [
        (operation.name, f"{toolset}{_marks(operation)}", _first_sentence(operation.description))
        for toolset, operations in TOOLSETS.items()
        for operation in operations
    ]
    print_table(("operation", "toolset", "what it does"), rows, uncut=("operation",))
    note("To list the arguments of an operation: graph-memory call OPERATION --list")


def _list_arguments(operation: AnyOperation) -> None:
    from graph_memory.operations.schemas import properties_of, required_names, wording

    schema = operation.input_schema
    required = required_names(schema)
    rows: Sequence[Sequence[object]] = [
        (name, "yes" if name in required else "", wording(argument_schema), argument_schema.get("description", ""))
        for name, argument_schema in properties_of(schema).items()
    ]
    typer.echo(operation.description)
    print_table(("argument", "required", "value", "what it is"), rows, uncut=("argument",), wrapped=("what it is",))


def _marks(operation: AnyOperation) -> str:
    marks = [mark for mark, is_set in (("by name", operation.by_name), ("MCP only", operation.in_session)) if is_set]
    return f" ({', '.join(marks)})" if marks else ""


def _first_sentence(text: str) -> str:
    return f"{text.split('. ', 1)[0].splitlines()[0].removesuffix('.')}."
