"""`graph-memory config`: shows the current settings and their sources."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Annotated

import typer
from pydantic import SecretStr

from graph_memory.cli.clients.variables import variable_of
from graph_memory.cli.input import options as takes
from graph_memory.cli.output.printing import print_json
from graph_memory.cli.output.tables import print_table
from graph_memory.cli.session import read_settings
from graph_memory.model.text.wording import without_credentials
from graph_memory.settings import Settings

MASK = "********"


@dataclass(frozen=True, slots=True)
class Setting:
    """A setting with its current value, its source and its environment variable."""

    name: str
    value: str | int | float | None
    source: str
    environment: str
    description: str


def config(
    detail: Annotated[bool, typer.Option("--detail", help="Also describe each setting.")] = False,
    as_json: takes.JsonOption = False,
) -> None:
    """Show every setting with its value, its source, and its environment variable."""
    settings = list(settings_in_force(read_settings()))
    if as_json:
        return print_json({"settings": [asdict(setting) for setting in settings]})
    rows = [
        (setting.environment, "" if setting.value is None else setting.value, setting.source, setting.description)
        for setting in settings
    ]
    columns = ("environment variable", "value", "from", "what it is")
    end, uncut = (None if detail else -1), ("environment variable", "from")
    return print_table(columns[:end], [row[:end] for row in rows], uncut=uncut, wrapped=("value", "what it is"))


def settings_in_force(settings: Settings) -> Iterator[Setting]:
    """Yield every setting in declaration order, with secrets masked."""
    values = {name.upper() for name, value in os.environ.items() if value}
    for name, field in Settings.model_fields.items():
        variable = variable_of(name)
        source = "environment" if variable in values else "default"
        yield Setting(name, _displayed_value(getattr(settings, name)), source, variable, field.description or "")


def _displayed_value(value: object) -> str | int | float | None:
    """Return a setting's value for output, with passwords masked, including passwords in URLs."""
    match value:
        case SecretStr():
            return MASK if value.get_secret_value() else ""
        case None | int() | float():
            return value
        case tuple():
            return ",".join(map(str, value))  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType]
        case _:
            return without_credentials(str(value))
