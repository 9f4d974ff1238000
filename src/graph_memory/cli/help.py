"""Renders the help of commands, with placeholders such as `NODE` and `out|in|both`, and commands grouped in panels."""

from __future__ import annotations

from enum import Enum
from pathlib import Path
from typing import Any, Literal, get_args, get_origin

from typer.core import TyperArgument, TyperCommand, TyperGroup, TyperOption

Parameter = TyperArgument | TyperOption


def install_help_renderer() -> None:
    """Replace Typer's help renderer with this module's functions, because Typer has no setting for this layout."""
    for kind in (TyperCommand, TyperGroup):
        setattr(kind, "format_help", _write_help)  # noqa: B010 - the types of its arguments are private
    setattr(TyperGroup, "format_commands", _write_commands)  # noqa: B010 - the types of its arguments are private
    setattr(TyperOption, "display_type_rich", _option_value)  # noqa: B010 - the type of its context is private
    setattr(TyperArgument, "display_type_rich", _argument_value)  # noqa: B010


def value_of(parameter: Parameter) -> str:
    """Return the placeholder for a parameter's value, such as `NUMBER` or `out|in|both`."""
    annotation = parameter.type_descriptor.annotation
    if parameter.metavar or isinstance(parameter, TyperArgument):
        return parameter.metavar or parameter.name.upper()
    if isinstance(annotation, type) and issubclass(annotation, Enum):
        return "|".join(str(member.value) for member in annotation)
    if get_origin(annotation) is Literal:
        return "|".join(get_args(annotation))
    words: tuple[tuple[object, str], ...] = ((int, "NUMBER"), (float, "NUMBER"), (Path, "FILE"))
    return next((word for kind, word in words if kind is annotation), "TEXT")


def _option_value(option: TyperOption, **_: object) -> str | None:
    return None if option.is_flag else value_of(option)


def _argument_value(_argument: TyperArgument, **_: object) -> None:
    """Return None: the help shows only an argument's name."""


def _write_help(command: TyperCommand | TyperGroup, ctx: Any, formatter: Any) -> None:  # noqa: ANN401
    """Write a command's help as plain text. Typer would use `rich`, which takes 140 ms to import."""
    command.format_usage(ctx, formatter)
    command.format_help_text(ctx, formatter)
    command.format_options(ctx, formatter)
    command.format_epilog(ctx, formatter)


def _write_commands(group: TyperGroup, ctx: Any, formatter: Any) -> None:  # noqa: ANN401
    """Write a group's commands by panel, each with the first paragraph of its help."""
    panels: dict[str, list[tuple[str, str]]] = {}
    for name in group.list_commands(ctx):
        command = group.get_command(ctx, name)
        if command is not None and not command.hidden:
            panel = getattr(command, "rich_help_panel", None)
            paragraph = (command.help or "").partition("\n\n")[0]
            lines = panels.setdefault(panel if isinstance(panel, str) else "Commands", [])
            lines.append((name, " ".join(paragraph.split())))
    for panel, lines in panels.items():
        with formatter.section(panel):
            formatter.write_dl(lines)
