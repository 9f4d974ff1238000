"""Lists the environment variables that a graph-memory server needs from its client."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pydantic import AliasChoices

from graph_memory.settings import Settings

MEMORY_VARIABLES = ("GRAPH_MEMORY_HOME", "NEO4J_URI", "NEO4J_USERNAME", "NEO4J_PASSWORD", "NEO4J_DATABASE")
"""The environment variables that select the memory."""
_EMBEDDINGS, _MODEL = "GRAPH_MEMORY_EMBEDDINGS", "GRAPH_MEMORY_MODEL"
_USES: Mapping[str, Mapping[str, Sequence[str]]] = {
    "OPENAI_API_KEY": {_EMBEDDINGS: ["openai"], _MODEL: ["openai"]},
    "ANTHROPIC_API_KEY": {_MODEL: ["anthropic"]},
    "GRAPH_MEMORY_EMBEDDING_API_KEY": {_EMBEDDINGS: ["openai", "ollama"]},
    "GRAPH_MEMORY_MODEL_API_KEY": {_MODEL: ["openai", "ollama", "anthropic"]},
    "GRAPH_MEMORY_SOURCE_USERNAME": {},
    "GRAPH_MEMORY_SOURCE_PASSWORD": {},
}
"""For each variable that only some servers need: the settings and values that use it. Only commands use the variables
of a source."""


def server_variables(environment: Mapping[str, str]) -> Sequence[str]:
    """Return the variables that select the memory, and other settings of this environment that a server needs."""
    settings = {variable_of(field) for field in Settings.model_fields}
    values = {name.upper(): value for name, value in environment.items()}
    needed = [name for name, value in environment.items() if value and name.upper() in settings]
    return [*dict.fromkeys([*MEMORY_VARIABLES, *sorted(name for name in needed if _is_used(name.upper(), values))])]


def variable_of(field: str) -> str:
    """Return the environment variable of the setting with this field name."""
    alias = Settings.model_fields[field].validation_alias
    return str(alias.choices[0]) if isinstance(alias, AliasChoices) else f"GRAPH_MEMORY_{field.upper()}"


def _is_used(name: str, values: Mapping[str, str]) -> bool:
    return name not in _USES or any(values.get(setting, "") in uses for setting, uses in _USES[name].items())
