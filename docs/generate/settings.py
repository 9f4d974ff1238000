"""The page of settings."""

from __future__ import annotations

from pathlib import Path
from types import NoneType, UnionType
from typing import Literal, Union, get_args, get_origin

from pydantic import AliasChoices, SecretStr
from pydantic.fields import FieldInfo

from graph_memory.settings import Settings

from .tables import Lines, code, table, text

SETTINGS = """
Every setting is an environment variable, which a process reads once when it starts. An empty variable counts as not
set. In Python, settings are fields of `Settings`, in lower case and without `GRAPH_MEMORY_`:
`Settings(read_timeout=5)`. `graph-memory config --detail` prints the current values and their sources.

The defaults below refer to two folders, which depend on the operating system:

- Linux: the user data folder is `~/.local/share`, and the user cache folder is `~/.cache`.
- macOS: they are `~/Library/Application Support` and `~/Library/Caches`.
- Windows: both are `%LOCALAPPDATA%`. The cache is in its folder `graph-memory\\Cache`.
"""

WORDED = {
    "home": "`graph-memory` in your user data folder",
    "cache": "`graph-memory` in your user cache folder",
    "aot": "`auto`; `use` where `CI` is set",
    "agent_limits": "`{}`",
    "databases": "`{}`",
    "oidc_rights": "`{}`",
}
"""Defaults that are computed."""

BOUNDS = {"ge": "at least", "gt": "more than", "le": "at most", "lt": "less than"}


def settings_page() -> Lines:
    """Yield the page of settings."""
    yield from text("Settings", SETTINGS)
    rows = (
        (code(variable(name, field)), kind_of_setting(field), default_of(name, field), field.description or "")
        for name, field in Settings.model_fields.items()
    )
    yield from table(("variable", "value", "default", "what it is"), rows)


def variable(name: str, field: FieldInfo) -> str:
    """Return the environment variable of a setting."""
    alias = field.validation_alias
    return str(alias.choices[0]) if isinstance(alias, AliasChoices) else f"GRAPH_MEMORY_{name.upper()}"


def kind_of_setting(field: FieldInfo) -> str:
    """Return the type of a setting with its bounds."""
    return ", ".join([kind(field.annotation), *bounds(field)])


def kind(annotation: object) -> str:
    """Return a Python type in words."""
    if get_origin(annotation) in (Union, UnionType):
        (annotation,) = [part for part in get_args(annotation) if part is not NoneType]
    if get_origin(annotation) is Literal:
        return " or ".join(map(code, get_args(annotation)))
    if get_origin(annotation) is dict:
        return "JSON"
    words = {
        Path: "path",
        SecretStr: "secret text",
        str: "text",
        int: "integer",
        float: "number",
        bool: "`true` or `false`",
    }
    return words.get(annotation, "list")  # pyright: ignore[reportArgumentType, reportCallIssue]


def bounds(field: FieldInfo) -> Lines:
    """Yield the limits of a setting in words."""
    for rule in field.metadata:
        yield from (f"{words} {getattr(rule, name):,}" for name, words in BOUNDS.items() if hasattr(rule, name))
        if pattern := getattr(rule, "pattern", None):
            yield f"as {code(pattern.strip('^$'))}"


def default_of(name: str, field: FieldInfo) -> str:
    """Return the default of a setting, in words if it depends on the machine."""
    if field.default_factory is not None:
        return WORDED[name]
    match field.default:
        case None | SecretStr():
            return ""
        case tuple():
            return code(",".join(field.default))
        case float():
            return code(f"{field.default:g}")
        case _:
            return code(field.default)
