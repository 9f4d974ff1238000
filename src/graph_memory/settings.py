"""All settings. They are read once from the environment."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from contextvars import ContextVar
from pathlib import Path
from typing import Annotated, Literal
from urllib.request import url2pathname

from platformdirs import user_cache_path, user_data_path
from pydantic import AfterValidator, AliasChoices, Field, NonNegativeInt, SecretStr, ValidationInfo, field_validator
from pydantic_core import PydanticUseDefault
from pydantic_settings import (
    BaseSettings,
    EnvSettingsSource,
    NoDecode,
    PydanticBaseSettingsSource,
    SettingsConfigDict,
)
from pydantic_settings.sources.utils import parse_env_vars

from graph_memory.model.databases import DatabaseSetting, check_names
from graph_memory.model.values.arguments import DomainName, http_url

_FILE_URL = re.compile(r"file:(//(localhost(?=/))?)?", re.IGNORECASE)
LOCAL_MODELS = ("all-minilm-l6-v2", "e5-small-v2")
"""Values of GRAPH_MEMORY_EMBEDDING_MODEL for models in this process. The first is the default."""
KIB = 1024
MIB = 1024 * KIB

ENVIRONMENT: ContextVar[Mapping[str, str] | None] = ContextVar("environment", default=None)
"""The environment variables of the process that a command runs for, if that is another process."""


class _Environment(EnvSettingsSource):
    def _load_env_vars(self) -> Mapping[str, str | None]:
        if (variables := ENVIRONMENT.get()) is None:
            return super()._load_env_vars()
        return parse_env_vars(variables, self.case_sensitive, self.env_ignore_empty, self.env_parse_none_str)


class Settings(BaseSettings):
    """All settings, as an immutable object. A field is read from the environment variable `GRAPH_MEMORY_<FIELD>`.

    The four fields for a Neo4j server are read from Neo4j's usual variables: `NEO4J_URI`, `NEO4J_USERNAME`,
    `NEO4J_PASSWORD` and `NEO4J_DATABASE`. If `NEO4J_URI` is not set, a local Neo4j is started and reused.
    """

    model_config = SettingsConfigDict(
        env_prefix="GRAPH_MEMORY_",
        frozen=True,
        extra="ignore",
        populate_by_name=True,
        env_ignore_empty=True,
        hide_input_in_errors=True,
    )

    home: Path = Field(
        default_factory=lambda: user_data_path("graph-memory", appauthor=False),
        description="Folder of the local database, blobs, run files and logs.",
    )
    cache: Path = Field(
        default_factory=lambda: user_cache_path("graph-memory", appauthor=False),
        description="Folder of files that can be downloaded or rebuilt: Neo4j's jars and caches.",
    )

    neo4j_uri: str | None = Field(
        default=None,
        validation_alias=AliasChoices("NEO4J_URI", "neo4j_uri"),
        description="Neo4j server to use: bolt:// or neo4j://, with +s or +ssc for TLS. Empty: start a local one.",
    )
    neo4j_username: str = Field(
        default="neo4j",
        validation_alias=AliasChoices("NEO4J_USERNAME", "neo4j_username"),
        description="User name for that server.",
    )
    neo4j_password: SecretStr = Field(
        default=SecretStr(""),
        validation_alias=AliasChoices("NEO4J_PASSWORD", "neo4j_password"),
        description="Password for that server.",
    )
    neo4j_database: str | None = Field(
        default=None,
        validation_alias=AliasChoices("NEO4J_DATABASE", "neo4j_database"),
        description="Database on that server. Empty: the user's home database.",
    )
    databases: Annotated[dict[str, DatabaseSetting], AfterValidator(check_names)] = Field(
        default_factory=dict[str, DatabaseSetting],
        description="Further databases for some domains, as JSON; see the guide about more than one machine.",
    )

    memory_file_path: Path | None = Field(
        default=None,
        validation_alias=AliasChoices("MEMORY_FILE_PATH", "memory_file_path"),
        description="File of the official memory server. `mcp` imports it once, into an empty domain, and never "
        "changes the file. `~`, `$HOME` and `file://` are resolved.",
    )

    source_username: str = Field(
        default="neo4j",
        description="User name for a Neo4j server, other than the memory's own, that `load` and `ontology infer` read.",
    )
    source_password: SecretStr = Field(
        default=SecretStr(""),
        description="Password for that server. Empty: it needs none.",
    )

    neo4j_version: str = Field(default="2026.08.1", description="Version of the local Neo4j Community.")
    neo4j_heap: str = Field(
        default="512m", pattern=r"^\d+[kmgKMG]$", description="Maximum heap of the local Neo4j (-Xmx)."
    )
    neo4j_page_cache: str = Field(
        default="128m", pattern=r"^\d+[kmgKMG]$", description="Page cache of the local Neo4j."
    )
    neo4j_compiler: Literal["quick", "full"] = Field(
        default="quick",
        description="How Java compiles the local Neo4j. full: starts later, but once warm it writes batches more than "
        "twice as fast; for long-running servers and large loads.",
    )
    neo4j_salvage: bool = Field(
        default=False,
        description="Start the local Neo4j even if the end of its transaction log is damaged, and cut that end off.",
    )
    neo4j_bolt_port: int = Field(
        default=0, ge=0, le=65535, description="Bolt port of the local Neo4j. 0: 7687, or a free port if that is taken."
    )
    neo4j_http_port: int = Field(
        default=0, ge=0, le=65535, description="HTTP port of the local Neo4j. 0: 7474, or a free port if that is taken."
    )
    java: Path | None = Field(
        default=None,
        description="Path of a java command, version 21 or newer. Empty: the bundled Java, or else an installed one.",
    )
    aot: Literal["auto", "use", "off"] = Field(
        default_factory=lambda: "use" if os.environ.get("CI") else "auto",
        description="Java's AOT cache, which halves the start of the local Neo4j. `auto`: use it, and create it in "
        "the background after a start without it. `use`: never create it (the default if CI is set). "
        "`off`: do neither.",
    )
    start_timeout: float = Field(default=180.0, gt=0, description="Seconds that the local Neo4j may take to start.")

    domain: str = Field(
        default="default",
        description="Domain for calls that name no domain. `auto`: one for each project, the git work tree or folder "
        "in which the client works.",
    )
    users_domain: DomainName = Field(
        default="users", description="Domain of the profiles of users, their corrections and feedback."
    )
    agent_domain: DomainName = Field(default="agent", description="Domain of the agent's own capabilities and tools.")
    session: str | None = Field(
        default=None,
        description="Session that the log records for changes. Empty: an MCP server creates an id for itself over "
        "stdio, or for each client session over HTTP.",
    )
    actor: str | None = Field(
        default=None, description="Actor that the log records for changes. Empty: over MCP, the client's own name."
    )
    toolsets: Annotated[tuple[str, ...], NoDecode] = Field(
        default=("graph", "recall", "batch", "memory_log", "memory_diff", "memory_revert"),
        description="Toolsets, presets and tools to serve over MCP, separated by commas.",
    )
    starting_wait: float = Field(
        default=45.0, ge=0, description="Seconds that an MCP call waits for Neo4j to start before it returns STARTING."
    )

    max_calls: int = Field(
        default=64, ge=1, description="Maximum number of calls that a server over HTTP runs at once. Others wait."
    )
    max_waiting: int = Field(
        default=512, ge=0, description="Maximum number of waiting calls of such a server. Others fail with OVERLOADED."
    )
    calls_per_minute: int = Field(
        default=0, ge=0, description="Maximum number of calls of a key in a minute, for each server. 0: no limit."
    )
    bytes_per_minute: int = Field(default=0, ge=0, description="Bytes that a key may send in a minute. 0: no limit.")
    tokens_per_minute: int = Field(default=0, ge=0, description="Tokens that results may send to a key in a minute.")
    public_url: str | None = Field(
        default=None, description="URL at which clients reach a server with `--auth oidc`. Default: its own address."
    )
    oidc_issuer: str | None = Field(default=None, description="Issuer (`iss`) of access tokens with `--auth oidc`.")
    oidc_audience: str | None = Field(default=None, description="Audience of access tokens. Default: the server's URL.")
    oidc_claim: str = Field(default="groups", description="Claim of access tokens that GRAPH_MEMORY_OIDC_RIGHTS reads.")
    oidc_rights: dict[str, str] = Field(
        default_factory=dict, description='Rights by values of this claim: {"engineers": "team-*=write,recipes=read"}.'
    )
    slow_call_seconds: float = Field(
        default=0.0, ge=0, description="Seconds after which a server over HTTP logs a call as slow. 0: never."
    )
    audit_log: Path | None = Field(
        default=None,
        description="File to which administrative actions and calls rejected for lack of rights are appended as JSON.",
    )

    read_from: Literal["leader", "any"] = Field(
        default="leader", description="Members of a cluster (`neo4j://`) that answer reads. any: also followers."
    )
    read_timeout: float = Field(default=30.0, gt=0, description="Seconds after which Neo4j stops a read.")
    write_timeout: float = Field(default=60.0, gt=0, description="Seconds after which Neo4j stops a write.")
    retry_time: float = Field(
        default=30.0, ge=0, description="Seconds to retry lost or deadlocked writes, and calls without a leader."
    )

    blob_url: str | None = Field(
        default=None, description="Folder or fsspec URL for large and binary content. Empty: `blobs` in home."
    )
    inline_content_bytes: int = Field(
        default=16 * KIB,
        ge=0,
        le=MIB,
        description="Text up to this size in bytes is stored in Neo4j, longer text in a blob.",
    )
    text_content_bytes: int = Field(
        default=8 * MIB,
        gt=0,
        description="Largest text content in bytes; it is searched, so its index must fit in one write.",
    )
    mcp_content_bytes: int = Field(
        default=8 * MIB, gt=0, description="Largest content in bytes that an MCP call may send or return."
    )
    mcp_result_bytes: int = Field(
        default=64 * MIB, gt=0, description="Largest result in bytes, as JSON, of an MCP or HTTP call without a write."
    )
    content_cache_bytes: int = Field(default=64 * MIB, ge=0, description="Memory in bytes for a cache of content.")
    embeddings: Literal["local", "off", "ollama", "openai"] = Field(
        default="local",
        description="Source of the vectors for semantic search. local: a small model within the process, downloaded "
        "once (16 MB). ollama, openai: a server that speaks OpenAI's embeddings protocol. off: search by "
        "words and connections alone.",
    )
    embedding_model: str | None = Field(
        default=None,
        description="Model of embeddings. local: all-minilm-l6-v2 (default) or e5-small-v2, which finds more in "
        "conversations and less in documents. Empty: nomic-embed-text for ollama, text-embedding-3-small for openai.",
    )
    embedding_url: str | None = Field(
        default=None,
        description="Base URL of that server. Empty: http://localhost:11434/v1 for ollama, https://api.openai.com/v1 "
        "for openai.",
    )
    embedding_api_key: SecretStr = Field(default=SecretStr(""), description="API key for that server.")
    openai_api_key: SecretStr = Field(
        default=SecretStr(""),
        validation_alias=AliasChoices("OPENAI_API_KEY", "openai_api_key"),
        description="API key for openai, used if GRAPH_MEMORY_EMBEDDING_API_KEY or GRAPH_MEMORY_MODEL_API_KEY is "
        "empty. It is sent to OpenAI alone, to no other URL.",
    )
    embedding_timeout: float = Field(
        default=30.0, gt=0, description="Seconds that the server may take for one batch of embeddings."
    )
    model: Literal["off", "ollama", "openai", "anthropic"] = Field(
        default="off",
        description="Language model of `memory_synthesize`, `memory_query` and `remember`. ollama, openai: a server "
        "that speaks OpenAI's chat protocol. anthropic: Anthropic's API. off: none; callers get the "
        "stored texts instead.",
    )
    model_name: str | None = Field(
        default=None,
        description="Name of that model. Empty: llama3.2 for ollama, gpt-5-mini for openai, claude-haiku-4-5 for "
        "anthropic.",
    )
    model_url: str | None = Field(
        default=None,
        description="Base URL of its server. Empty: http://localhost:11434/v1 for ollama, https://api.openai.com/v1 "
        "for openai, https://api.anthropic.com/v1 for anthropic.",
    )
    model_api_key: SecretStr = Field(default=SecretStr(""), description="API key for that server.")
    anthropic_api_key: SecretStr = Field(
        default=SecretStr(""),
        validation_alias=AliasChoices("ANTHROPIC_API_KEY", "anthropic_api_key"),
        description="API key for anthropic, used if GRAPH_MEMORY_MODEL_API_KEY is empty. It is sent to Anthropic "
        "alone, to no other URL.",
    )
    model_timeout: float = Field(default=60.0, gt=0, description="Seconds that the model may take for one answer.")
    remember_model_time: float = Field(
        default=20.0,
        ge=0,
        description="Seconds that the model may take in a call of `remember` to split text into facts and to compare "
        "facts. After that, `remember` continues without it. 0: `remember` never asks it.",
    )
    summary_model_time: float = Field(
        default=30.0,
        ge=0,
        description="Seconds that the model may take to summarise a captured session. 0: not used.",
    )
    background_index: bool = Field(
        default=True, description="Let a long-running server index new writes for search in the background."
    )
    use_counts: bool = Field(
        default=True,
        description="Count how often nodes are returned, and when last, for `use_weight` and recall.",
    )
    search_nodes: Literal["words", "plain"] = Field(
        default="words",
        description="What `search_nodes` returns if no entity contains the query as a whole. words: the entities that "
        "contain each of its words, best first. plain: nothing, like the official memory server.",
    )
    archetype: str = Field(
        default="",
        description="Archetype that extracts entities and relations from recorded events if a call names none, such as "
        "coding_agent or personal_assistant. Empty: none.",
    )
    read_graph_tokens: int = Field(
        default=25_000,
        ge=1_000,
        description="Maximum number of tokens that `read_graph` returns over MCP without `max_tokens`. A larger graph "
        "is paged.",
    )
    open_type_limit: int = Field(
        default=200,
        ge=0,
        le=10_000,
        description="Maximum number of types that writes may add to a domain with an open ontology.",
    )
    agent_limits: dict[Literal["events", "entities", "relations", "patterns", "documents"], NonNegativeInt] = Field(
        default_factory=dict[Literal["events", "entities", "relations", "patterns", "documents"], NonNegativeInt],
        description='Limits of a domain by memory type, as JSON such as {"events": 50000}. By default '
        "100,000 events, 10,000 entities, 50,000 relations, 1,000 patterns and 100,000 documents.",
    )
    agent_prune: Literal["never", "at_limit"] = Field(
        default="never",
        description="When a domain is pruned. at_limit: in the background, to 80 % of a limit, when it exceeds 90 % "
        "of its limit of events, patterns or documents. never: only by `agent prune`.",
    )
    log_level: str = Field(
        default="WARNING",
        pattern=r"^(DEBUG|INFO|WARNING|ERROR)$",
        description="Minimum level of log messages on stderr.",
    )

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,
        file_secret_settings: PydanticBaseSettingsSource,
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        """Return the sources of settings: first arguments, then `ENVIRONMENT` or the environment of this process."""
        return init_settings, _Environment(settings_cls)

    @field_validator("home", "cache", "java", "memory_file_path", "audit_log", mode="before")
    @classmethod
    def _expand(cls, value: object) -> object:
        path = expanded_path(value) if isinstance(value, str) else value
        if path == "":
            raise PydanticUseDefault
        return path

    @field_validator("toolsets", mode="before")
    @classmethod
    def _split(cls, value: object) -> object:
        return tuple(part.strip() for part in value.split(",") if part.strip()) if isinstance(value, str) else value

    @field_validator("embedding_url", "model_url")
    @classmethod
    def _check_url(cls, value: str | None) -> str | None:
        return value and http_url(value)

    @field_validator("model_name")
    @classmethod
    def _check_model_name(cls, value: str | None, info: ValidationInfo) -> str | None:
        if value and info.data.get("model") == "off":
            raise ValueError("specifies a model on a server: set GRAPH_MEMORY_MODEL to ollama, openai or anthropic")
        return value

    @field_validator("embedding_model")
    @classmethod
    def _check_model(cls, value: str | None, info: ValidationInfo) -> str | None:
        embeddings = info.data.get("embeddings")
        if value and embeddings == "off":
            raise ValueError("specifies an embedding model, but GRAPH_MEMORY_EMBEDDINGS is off")
        if value and embeddings == "local" and value not in LOCAL_MODELS:
            raise ValueError(f"must be one of {', '.join(LOCAL_MODELS)} for local embeddings")
        return value


def missing_memory_file(settings: Settings, *, with_path: bool = True) -> str:
    """Return a warning if the file at `MEMORY_FILE_PATH` is missing, otherwise an empty string."""
    path = settings.memory_file_path
    if path is None or os.path.isfile(path):  # noqa: PTH113 - Path.is_file raises where a folder may not be read
        return ""
    problem = f"is {path}, which is not a file" if with_path else "is not the name of a file"
    return f"MEMORY_FILE_PATH {problem}. Nothing was imported."


def expanded_path(text: str) -> str:
    """Return a path without surrounding quotes, with `~`, `$HOME` and `file://` resolved, or "" for a blank path."""
    path = text.strip()
    if len(path) > 1 and path[0] == path[-1] and path[0] in "\"'":
        path = path[1:-1]
    if not path.strip():
        return ""
    if prefix := _FILE_URL.match(path):
        path = url2pathname(path[prefix.end() :])
    return os.path.expanduser(os.path.expandvars(path))  # noqa: PTH111 - Path.expanduser raises for an unknown user
