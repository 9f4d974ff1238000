"""`graph-memory config`: the settings in force, and where each comes from."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Annotated

import typer
from pydantic import AliasChoices, SecretStr

from graph_memory.cli.input import options as takes
from graph_memory.cli.output.printing import print_json
from graph_memory.cli.output.tables import print_table
from graph_memory.cli.session import read_settings
from graph_memory.model.text.wording import without_credentials
from graph_memory.settings import Settings

HIDDEN = "********"


@dataclass(frozen=True, slots=True)
class Setting:
    """One setting as it is in force."""

    name: str
    value: str | int | float | None
    source: str
    environment: str
    description: str


def config(
    detail: Annotated[bool, typer.Option("--detail", help="Also show what each setting is.")] = False,
    as_json: takes.JsonOption = False,
) -> None:
    """Show every setting with its value, where it comes from, and the environment variable that sets it."""
    settings = list(settings_in_force(read_settings()))
    if as_json:
        return print_json({"settings": [asdict(setting) for setting in settings]})
    rows = [
        (setting.environment, "" if setting.value is None else setting.value, setting.source, setting.description)
        for setting in settings
    ]
    columns = ("environment variable", "value", "from", "what it is")
    last, whole = (None if detail else -1), ("environment variable", "from")
    return print_table(columns[:last], [row[:last] for row in rows], uncut=whole, wrapped=("value", "what it is"))


def settings_in_force(settings: Settings) -> Iterator[Setting]:
    """Give every setting in the order of declaration; what is secret is hidden."""
    values = {name.upper() for name, value in os.environ.items() if value}
    for name, field in Settings.model_fields.items():
        alias = field.validation_alias
        variable = str(alias.choices[0]) if isinstance(alias, AliasChoices) else f"GRAPH_MEMORY_{name.upper()}"
        source = "environment" if variable in values else "default"
        yield Setting(name, _shown(getattr(settings, name)), source, variable, field.description or "")


def _shown(value: object) -> str | int | float | None:
    """Return a value for JSON and for people, without passwords, those within a URL included."""
    match value:
        case SecretStr():
            return HIDDEN if value.get_secret_value() else ""
        case None | int() | float():
            return value
        case tuple():
            return ",".join(map(str, value))  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType]
        case _:
            return without_credentials(str(value))
