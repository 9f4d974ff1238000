"""The page of commands. Typer's own tree is read, not its help, whose lines depend on the terminal."""

from __future__ import annotations

import inspect
from enum import Enum
from pathlib import Path
from typing import Literal, cast, get_args, get_origin

from typer.core import TyperArgument, TyperCommand, TyperGroup, TyperOption
from typer.main import get_command

from graph_memory.cli.main import app

from .tables import Lines, code, table, text

Parameter = TyperArgument | TyperOption

COMMANDS = """
With `--json` a command prints what the [tool](tools.md) of the same purpose gives, and a failure as JSON on standard
error. Results go to standard output, everything else to standard error. The exit statuses stand with the
[error codes](errors.md), the environment variables with the [settings](settings.md). Every command takes `--help`.
"""


def commands_page() -> Lines:
    """Give the page of commands."""
    root = cast("TyperGroup", get_command(app))
    yield from text("Commands", COMMANDS)
    panels: dict[str, list[TyperCommand | TyperGroup]] = {}
    for command in root.commands.values():
        if not command.hidden:
            panels.setdefault(command.rich_help_panel, []).append(command)
    for panel, commands in panels.items():
        yield from (f"## {panel}", "")
        for command in commands:
            yield from described_command(command, "", 3)
    yield from options_of_the_shell(root)


def described_command(command: TyperCommand | TyperGroup, parent: str, level: int) -> Lines:
    """Give a command with what it takes, or a group with its commands."""
    name = f"{parent} {command.name}".strip()
    yield from (f"{'#' * level} {name}", "", *paragraphs(command.help or ""), "")
    if isinstance(command, TyperGroup):
        for child in command.commands.values():
            yield from () if child.hidden else described_command(child, name, level + 1)
        return
    shown = [one for one in command.params if not one.hidden and one.name != "help"]
    needed = [usage(one) for one in shown if one.required or not is_option(one)]
    yield from ("```text", " ".join(["graph-memory", name, *needed, "[options]"]), "```", "")
    yield from table(("argument or option", "value", "default", "what it is"), map(parameter_row, shown))


def options_of_the_shell(root: TyperGroup) -> Lines:
    """Give the options of the command itself."""
    yield from ("## The command itself", "")
    yield from table(("option", "what it does"), ((names_of(one), one.help) for one in root.params if not one.hidden))


def paragraphs(help_text: str) -> list[str]:
    """Return a command's help; a line break in it has no meaning."""
    parts = inspect.cleandoc(help_text).split("\n\n")
    return "\n\n".join(part.replace("\n", " ") for part in parts).split("\n")


def is_option(parameter: Parameter) -> bool:
    """Say whether a parameter is an option, and not an argument by its place."""
    return bool(parameter.opts[0].startswith("-"))


def usage(parameter: Parameter) -> str:
    """Return a parameter as the usage line shows it."""
    word = names_of(parameter, plain=True).split(", ")[0]
    if is_option(parameter) and not parameter.is_flag:
        word = f"{word} {value_of(parameter)}"
    many = "…" if parameter.multiple or parameter.nargs == -1 else ""
    return f"{word}{many}" if parameter.required else f"[{word}]{many}"


def names_of(parameter: Parameter, *, plain: bool = False) -> str:
    """Return the names under which a parameter is given."""
    names = [*parameter.opts, *parameter.secondary_opts] if is_option(parameter) else [value_of(parameter)]
    return ", ".join(names if plain else map(code, names))


def value_of(parameter: Parameter) -> str:
    """Return the word that stands for a parameter's value."""
    annotation = parameter.type_descriptor.annotation
    if parameter.metavar or not is_option(parameter):
        return parameter.metavar or parameter.name.upper()
    if isinstance(annotation, type) and issubclass(annotation, Enum):
        return "|".join(str(member.value) for member in annotation)
    if get_origin(annotation) is Literal:
        return "|".join(get_args(annotation))
    return {int: "INTEGER", float: "NUMBER", Path: "PATH"}.get(annotation, "TEXT")


def parameter_row(parameter: Parameter) -> tuple[str, str, str, str]:
    """Return a parameter's row of the table."""
    takes_value = is_option(parameter) and not parameter.is_flag
    default = getattr(parameter.default, "value", parameter.default)
    told_default = "" if default in (None, False, (), []) else f"{default:g}" if isinstance(default, float) else default
    return names_of(parameter), code(value_of(parameter)) if takes_value else "", code(told_default), about(parameter)


def about(parameter: Parameter) -> str:
    """Return a parameter's help with its bounds and its environment variable."""
    words = [parameter.help or ""]
    words += [f"At least {parameter.min}."] if parameter.min is not None else []
    words += [f"At most {parameter.max}."] if parameter.max is not None else []
    words += [f"Also {code(parameter.envvar)}."] if parameter.envvar else []
    return " ".join(words)
