"""Edits the entries for graph-memory in a client's configuration files, in the format of the client."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import cast

from graph_memory.cli.clients.places import ConfigFile
from graph_memory.cli.clients.variables import MEMORY_VARIABLES
from graph_memory.hooks.clients import BUDGETS, CLIENTS, Kind
from graph_memory.skills import bundled_skills, is_own_skill

NAME = "graph-memory"
"""The server's name in clients' configuration files."""
_TIMEOUT_SECONDS = 5
"""Time in seconds after which a client may stop a hook. Hooks normally take much less time."""
_OWN_HOOK = re.compile(r"(?<![\w-])graph[-_]memory(?:\.\w+)?[\\\"']* hook \w+ --client [\w-]+")
"""Matches a hook of graph-memory in JSON. The program's name may have an extension and quotation marks."""
_SECRET_NAME = re.compile("PASSWORD|KEY|TOKEN")
"""Matches the names of graph-memory's variables whose values Gemini CLI withholds from servers."""
_PROMPT_KINDS: frozenset[Kind] = frozenset({"start", "prompt", "compaction", "end"})
Document = dict[str, object]


@dataclass(frozen=True, slots=True)
class ClientEntries:
    """The entries to write for a client: the command of the MCP server, and the command of each hook event."""

    server: Sequence[str]
    hooks: Mapping[str, str]
    variables: Sequence[str] = MEMORY_VARIABLES
    """The environment variables that the server needs. Codex passes only listed variables to its servers, and Gemini
    CLI passes variables with secrets only if they are listed."""


def wanted_entries(
    client: str,
    program: Sequence[str],
    quoted_program: str,
    capture: str,
    domain: str,
    variables: Sequence[str] = MEMORY_VARIABLES,
) -> ClientEntries:
    """Return the entries for the client. If `capture` is `off`, include only the hooks that add context.

    `variables` are the names of the environment variables that the server needs.
    """
    server = [*program, "mcp", "--for", "agent", "--domain", domain]
    if client not in CLIENTS:
        return ClientEntries(server, {}, variables)
    hooks = CLIENTS[client]
    kinds = {"off": frozenset(BUDGETS), "prompts": _PROMPT_KINDS}.get(capture, frozenset(hooks.events.values()))
    options = f"--client {client} --capture {capture} --domain {domain}"
    commands = {
        event: f"{quoted_program} hook {event} {options}" for event, kind in hooks.events.items() if kind in kinds
    }
    return ClientEntries(server, commands, variables)


def edit(text: str, file: ConfigFile, client: str, entries_to_write: ClientEntries | None) -> str:
    """Return the file's text with these entries or, if `entries_to_write` is None, without graph-memory's entries.

    Keeps other values, and a user's own skill with the same name. Raises ValueError if the text cannot be edited
    safely.
    """
    if file.skill:
        if not is_own_skill(text) and (text.strip() or entries_to_write is None):
            return text
        return bundled_skills()[file.skill].text if entries_to_write else ""
    if file.is_toml:
        return _edit_toml(text, entries_to_write)
    document = _parse_json(text)
    before = json.dumps(document)
    if file.servers:
        _edit_servers(document, file.servers, client, entries_to_write)
    if file.has_hooks:
        _edit_hooks(document, client, entries_to_write.hooks if entries_to_write else {})
    if json.dumps(document) == before:
        return text
    if entries_to_write is None and document in ({}, {"version": 1}):
        return ""
    new_text = json.dumps(document, indent=_indent_of(text), ensure_ascii=False) + "\n"
    escaped = new_text.encode("utf-8", "backslashreplace").decode()  # half of a surrogate pair is valid only as \\uXXXX
    return escaped.replace("\n", "\r\n") if "\r\n" in text else escaped


def has_entries(text: str, file: ConfigFile) -> Mapping[str, bool]:
    """Return whether the file contains graph-memory's server, hooks and skill.

    The keys are `server`, `hooks` and `skills`. Raises ValueError if the file is invalid.
    """
    if file.skill:
        return {"server": False, "hooks": False, "skills": is_own_skill(text)}
    if file.is_toml:
        return {"server": _server_of(tomllib.loads(text)) is not None, "hooks": False, "skills": False}
    document = _parse_json(text)
    has_server = bool(file.servers) and NAME in _require_object(document.get(file.servers, {}), file.servers)
    has_hooks = file.has_hooks and bool(_OWN_HOOK.search(json.dumps(document.get("hooks"))))
    return {"server": has_server, "hooks": has_hooks, "skills": False}


def _parse_json(text: str) -> Document:
    value: object = json.loads(text, object_pairs_hook=_unique_keys) if text.strip() else {}
    return _require_object(value, "the outermost value")


def _unique_keys(pairs: Sequence[tuple[str, object]]) -> Document:
    """Return the JSON object with these pairs.

    Raises ValueError if a key is repeated, because a value would be lost.
    """
    document = dict(pairs)
    if len(document) < len(pairs):
        names = [name for name, _ in pairs]
        duplicate_key = next(name for name in names if names.count(name) > 1)
        raise ValueError(f"the key {json.dumps(duplicate_key)} occurs twice")
    return document


def _edit_servers(document: Document, key: str, client: str, entries_to_write: ClientEntries | None) -> None:
    servers = _require_object(document.get(key, {}), key)
    if entries_to_write is None:
        if servers.pop(NAME, None) is not None:
            document[key] = servers
            if not servers:
                del document[key]
        return
    command, *arguments = entries_to_write.server
    entry: Document = {"command": command, "args": arguments}
    kind: Mapping[str, Document] = {"servers": {"type": "stdio"}, "context_servers": {"source": "custom"}}
    existing_entry = _require_object(servers.get(NAME, {}), f"{key}.{NAME}")
    if client == "gemini-cli":
        references = {name: f"${{{name}:-}}" for name in entries_to_write.variables if _SECRET_NAME.search(name)}
        entry["env"] = {**references, **_require_object(existing_entry.get("env", {}), f"{key}.{NAME}.env")}
    servers[NAME] = {**kind.get(key, {}), **existing_entry, **entry}
    document[key] = servers


def _edit_hooks(document: Document, client: str, commands: Mapping[str, str]) -> None:
    """Replace graph-memory's hooks. Other hooks keep their positions."""
    is_flat = CLIENTS[client].is_flat
    before = _require_object(document.get("hooks", {}), "hooks")
    events = dict(before)
    for event in [*dict.fromkeys([*events, *commands])]:
        entries = _require_list(events.get(event, []), f"hooks.{event}")
        new_entries = [_hook_entry(client, commands[event])] if event in commands else []
        own_entries = [entry for entry in entries if _is_own(entry)]
        if own_entries == new_entries:
            continue
        kept = [others for entry in entries if (others := _without_own_hooks(entry, event)) is not None]
        if kept or new_entries:
            events[event] = [*kept, *new_entries]
        else:
            events.pop(event)
    if is_flat and commands:
        document.setdefault("version", 1)
    if events:
        document["hooks"] = events
    elif before:
        del document["hooks"]


def _hook_entry(client: str, command: str) -> Document:
    if CLIENTS[client].is_flat:
        return {"command": command, "timeout": _TIMEOUT_SECONDS}
    timeout = _TIMEOUT_SECONDS * 1_000 if client == "gemini-cli" else _TIMEOUT_SECONDS
    return {"hooks": [{"type": "command", "command": command, "timeout": timeout}]}


def _is_own(entry: object) -> bool:
    return _OWN_HOOK.search(json.dumps(entry)) is not None


def _without_own_hooks(entry: object, event: str) -> object | None:
    """Return the entry without graph-memory's hooks, or None if it has no other hooks."""
    if not _is_own(entry):
        return entry
    group = _require_object(entry, f"an entry of hooks.{event}")
    handlers = _require_list(group.get("hooks", []), f"an entry's hooks of hooks.{event}")
    kept = [handler for handler in handlers if not _is_own(handler)]
    return {**group, "hooks": kept} if kept else None


def _edit_toml(text: str, entries_to_write: ClientEntries | None) -> str:
    """Return the TOML text with the server's table, or without that table if `entries_to_write` is None.

    Raises ValueError if other values would change.
    """
    before = tomllib.loads(text)
    current = _server_of(before)
    if entries_to_write is None and current is None:
        return text
    newline = "\r\n" if "\r\n" in text else "\n"
    lines: list[str] = []
    server: Document | None = None
    if entries_to_write:
        command, *arguments = entries_to_write.server
        listed_variables = _require_list((current or {}).get("env_vars", []), f"mcp_servers.{NAME}.env_vars")
        names = {  # Codex accepts a name, or a table with `name` and `source`
            cast("Document", entry).get("name") if isinstance(entry, dict) else entry for entry in listed_variables
        }
        variables = [*listed_variables, *(name for name in entries_to_write.variables if name not in names)]
        written = {"command": command, "args": arguments, "env_vars": variables}
        server = {**(current or {}), **written}
        if server == current:
            return text
        lines = [f"{key} = {_render_toml(value)}{newline}" for key, value in written.items()]
    new_text = _edit_table(text, lines, newline)
    after = tomllib.loads(new_text)
    if _server_of(after) != server or _without_server(after) != _without_server(before):
        raise ValueError("the server is not in a table of its own")
    return new_text


def _render_toml(value: object) -> str:
    """Return the value as TOML in one line. Strings, numbers and booleans are written as in JSON."""
    if isinstance(value, list):
        return f"[{', '.join(map(_render_toml, cast('list[object]', value)))}]"
    if isinstance(value, dict):
        pairs = (f"{json.dumps(name)} = {_render_toml(item)}" for name, item in cast("Document", value).items())
        return f"{{ {', '.join(pairs)} }}"
    return json.dumps(value)


def _edit_table(text: str, lines: Sequence[str], newline: str) -> str:
    """Return the TOML text with these lines in the server's table, or without that table if there are no lines."""
    kept: list[str] = []
    table = None
    is_missing = True
    for part, value in _statements(text.rstrip("\r\n") + newline):
        if is_header := part.lstrip().startswith("["):
            table = _server_of(value)
        is_replaced = value.keys() <= {"command", "args", "env_vars"} and table == {} if lines else table is not None
        if not (value and is_replaced):
            kept.append(part)
        if lines and is_header and table == {}:
            kept.extend(lines)
            is_missing = False
    other_text = "".join(kept).strip("\r\n")
    if lines and is_missing:
        table_lines = "".join([f"[mcp_servers.{NAME}]{newline}", *lines])
        return f"{other_text}{newline * 2}{table_lines}" if other_text else table_lines
    return f"{other_text}{newline}" if other_text else ""


def _statements(text: str) -> Iterator[tuple[str, Document]]:
    """Yield each statement of a TOML text with its parsed value.

    A statement is a header, a key with its value, or another line.
    """
    part = ""
    for line in re.findall(r"[^\n]*\n", text):
        part += line
        with suppress(tomllib.TOMLDecodeError):  # a value that continues on the next line
            yield part, tomllib.loads(part)
            part = ""


def _server_of(document: Mapping[str, object]) -> Document | None:
    servers = _require_object(document.get("mcp_servers", {}), "mcp_servers")
    return _require_object(servers[NAME], f"mcp_servers.{NAME}") if NAME in servers else None


def _without_server(document: Mapping[str, object]) -> Mapping[str, object]:
    servers = {
        name: value
        for name, value in _require_object(document.get("mcp_servers", {}), "mcp_servers").items()
        if name != NAME
    }
    other_values = {name: value for name, value in document.items() if name != "mcp_servers"}
    return {**other_values, **({"mcp_servers": servers} if servers else {})}


def _require_object(value: object, name: str) -> Document:
    """Return a copy of the value. Raises ValueError, with `name` in the message, if it is not a JSON object."""
    if not isinstance(value, dict):
        raise ValueError(f"{name} is not an object")  # noqa: TRY004 - callers expect ValueError
    return dict(cast("Document", value))


def _require_list(value: object, name: str) -> list[object]:
    if not isinstance(value, list):
        raise ValueError(f"{name} is not a list")  # noqa: TRY004 - callers expect ValueError
    return cast("list[object]", value)


def _indent_of(text: str) -> int | str:
    match = re.search(r"^([ \t]+)\S", text, re.MULTILINE)
    return match[1] if match else 2
