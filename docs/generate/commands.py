"""The page of commands, from Typer's command tree, because the lines of its help depend on the terminal."""

from __future__ import annotations

import inspect
from typing import cast

from typer.core import TyperCommand, TyperGroup
from typer.main import get_command

from graph_memory.cli.help import Parameter, value_of
from graph_memory.cli.main import app

from .tables import Lines, code, table, text

COMMANDS = """
With `--json`, a command prints the same JSON as the [tool](tools.md) for the same purpose (for lists, as with the
argument `detail`), and errors are JSON too. Results are written to standard output, and all other output, including
errors, to standard error. For the exit statuses, see the [error codes](errors.md). For the environment variables, see
the [settings](settings.md). Every command has `--help`.

Frequent tasks have their own commands. For all other tasks, `graph-memory call` runs any operation, with the same name
and arguments as over MCP. `graph-memory call --list` lists the operations, `graph-memory call query_nodes --list` lists
the arguments of an operation, and `graph-memory call query_nodes type=Action limit=5 detail=true` calls it. `--json
FILE` reads the arguments from a file, or from standard input if the file is `-`.

**Nodes and connections.** You can name them by their id, or by the first characters of the id (at least 6). You can
also name nodes by their exact title, and events by their number in the log. If a name is ambiguous, the command lists
the candidates and does nothing. On a terminal, tables shorten ids to a unique beginning. MCP and Python do not accept
such names: they need whole ids.

**Property values.** `-p year=2017` stores the type that the ontology declares for `year`: a number, a boolean or text.
Without a declaration, the value is text. `-p year:=2017` stores a JSON value, whatever the ontology declares.
"""


def commands_page() -> Lines:
    """Yield the page of commands."""
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
    """Yield a command with its arguments and options, or a group with its commands."""
    name = f"{parent} {command.name}".strip()
    yield from (f"{'#' * level} {name}", "", *paragraphs(command.help or ""), "")
    if isinstance(command, TyperGroup):
        for child in command.commands.values():
            yield from () if child.hidden else described_command(child, name, level + 1)
        return
    listed = [parameter for parameter in command.params if not parameter.hidden and parameter.name != "help"]
    usages = [usage(parameter) for parameter in listed if parameter.required or not is_option(parameter)]
    yield from ("```text", " ".join(["graph-memory", name, *usages, "[options]"]), "```", "")
    yield from table(("argument or option", "value", "default", "what it is"), map(parameter_row, listed))


def options_of_the_shell(root: TyperGroup) -> Lines:
    """Yield the options of `graph-memory` itself."""
    yield from ("## The command itself", "")
    yield from table(
        ("option", "what it does"), ((names_of(option), option.help) for option in root.params if not option.hidden)
    )


def paragraphs(help_text: str) -> list[str]:
    """Return the lines of a command's help, without line breaks inside a paragraph."""
    parts = inspect.cleandoc(help_text).split("\n\n")
    return "\n\n".join(part.replace("\n", " ") for part in parts).split("\n")


def is_option(parameter: Parameter) -> bool:
    """Return whether a parameter is an option, not a positional argument."""
    return bool(parameter.opts[0].startswith("-"))


def usage(parameter: Parameter) -> str:
    """Return a parameter for the usage line."""
    word = names_of(parameter, plain=True).split(", ")[0]
    if is_option(parameter) and not parameter.is_flag:
        word = f"{word} {value_of(parameter)}"
    many = "…" if parameter.multiple or parameter.nargs == -1 else ""
    return f"{word}{many}" if parameter.required else f"[{word}]{many}"


def names_of(parameter: Parameter, *, plain: bool = False) -> str:
    """Return the names of a parameter."""
    names = [*parameter.opts, *parameter.secondary_opts] if is_option(parameter) else [value_of(parameter)]
    return ", ".join(names if plain else map(code, names))


def parameter_row(parameter: Parameter) -> tuple[str, str, str, str]:
    """Return a parameter's row of the table."""
    takes_value = is_option(parameter) and not parameter.is_flag
    default = getattr(parameter.default, "value", parameter.default)
    shown = "" if default in (None, False, (), []) else f"{default:g}" if isinstance(default, float) else default
    return names_of(parameter), code(value_of(parameter)) if takes_value else "", code(shown), about(parameter)


def about(parameter: Parameter) -> str:
    """Return a parameter's help with its bounds and its environment variable."""
    words = [parameter.help or ""]
    words += [f"At least {parameter.min}."] if parameter.min is not None else []
    words += [f"At most {parameter.max}."] if parameter.max is not None else []
    words += [f"Also {code(parameter.envvar)}."] if parameter.envvar else []
    return " ".join(words)
