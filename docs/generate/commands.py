"""The page of commands. Typer's own tree is read, not its help, whose lines depend on the terminal."""

from __future__ import annotations

import inspect
from typing import cast

from typer.core import TyperCommand, TyperGroup
from typer.main import get_command

from graph_memory.cli.help import Parameter, value_of
from graph_memory.cli.main import app

from .tables import Lines, code, table, text

COMMANDS = """
With `--json` a command prints what the [tool](tools.md) of the same purpose gives (of lists, what it gives with
`detail`), and a failure, a mistake in the command line included, as JSON on standard error. Results go to standard
output, everything else to standard error. The exit statuses are listed with the [error codes](errors.md), the
environment variables with the [settings](settings.md). Every command takes `--help`.

Frequent tasks have a command of their own. `graph-memory call` runs any operation, with the name and arguments that it
has over MCP: `graph-memory call --list` lists the operations, `graph-memory call query_nodes --list` the arguments of
one, and `graph-memory call query_nodes type=Action limit=5 detail=true` calls it. `--json FILE` reads arguments from a
file. `-` is standard input.

**Nodes and connections** can be named by their id or its beginning, of at least 6 characters; nodes also by their
exact title. If that can mean several, the command lists them and does nothing. On a terminal, tables show as much of
each id as you need. Events can be named by their number in the log. Only the command line reads names this way: MCP
and Python take whole ids.

**Property values**: `-p year=2017` is read as the ontology declares `year`: as a number, as true or false, or else as
text. `-p year:=2017` is JSON, whatever is declared.
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
