"""Placeholders for values in the help, such as `NODE`, `NUMBER` and `out|in|both`. Flags have none."""

from __future__ import annotations

from enum import Enum
from pathlib import Path
from typing import Literal, get_args, get_origin

from typer.core import TyperArgument, TyperOption

Parameter = TyperArgument | TyperOption


def name_values() -> None:
    """Use these placeholders in all help texts. Typer shows Python types, and has no setting to change this."""
    setattr(TyperOption, "display_type_rich", _option_value)  # noqa: B010 - the type of its context is private
    setattr(TyperArgument, "display_type_rich", _argument_value)  # noqa: B010


def value_of(parameter: Parameter) -> str:
    """Return the placeholder for a parameter's value."""
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
    """Return None, since the name of an argument is enough."""
