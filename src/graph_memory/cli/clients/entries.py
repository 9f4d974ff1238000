"""The entries for graph-memory in a client's configuration files, in the client's own format."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import cast

from graph_memory.cli.clients.places import ConfigFile
from graph_memory.hooks.clients import BUDGETS, CLIENTS, Kind
from graph_memory.skills import bundled_skills, is_own_skill

NAME = "graph-memory"
"""The name of the server in the files of clients."""
_SECONDS = 5
"""Seconds after which a client may stop a hook. A hook ends by itself long before."""
_OURS = re.compile(r"(?<![\w-])graph[-_]memory(?:\.\w+)?[\\\"']* hook \w+ --client [\w-]+")
"""A hook of graph-memory in JSON. The program may have an extension, and may be quoted."""
_OF_PROMPTS: frozenset[Kind] = frozenset({"start", "prompt", "compaction", "end"})
Document = dict[str, object]


@dataclass(frozen=True, slots=True)
class ClientEntries:
    """The entries for a client: the command of the server, and the commands of the hooks by event."""

    server: Sequence[str]
    hooks: Mapping[str, str]


def wanted_entries(
    client: str, program: Sequence[str], quoted_program: str, capture: str, domain: str
) -> ClientEntries:
    """Return the entries for the client. Without capture, there are only hooks that add context."""
    server = [*program, "mcp", "--for", "agent", "--domain", domain]
    if client not in CLIENTS:
        return ClientEntries(server, {})
    hooks = CLIENTS[client]
    kinds = {"off": frozenset(BUDGETS), "prompts": _OF_PROMPTS}.get(capture, frozenset(hooks.events.values()))
    options = f"--client {client} --capture {capture} --domain {domain}"
    commands = {
        event: f"{quoted_program} hook {event} {options}" for event, kind in hooks.events.items() if kind in kinds
    }
    return ClientEntries(server, commands)


def edit(text: str, file: ConfigFile, client: str, wanted: ClientEntries | None) -> str:
    """Return the file's text with the wanted entries or, if `wanted` is None, without ours. The rest keeps its values.

    A user's own skill with the same name is kept. Raises ValueError if the text cannot be edited safely.
    """
    if file.skill:
        if not is_own_skill(text) and (text.strip() or wanted is None):
            return text
        return bundled_skills()[file.skill].text if wanted else ""
    if file.is_toml:
        return _edit_toml(text, wanted)
    document = _parse_json(text)
    before = json.dumps(document)
    if file.servers:
        _edit_servers(document, file.servers, wanted)
    if file.has_hooks:
        _edit_hooks(document, client, wanted.hooks if wanted else {})
    if json.dumps(document) == before:
        return text
    if wanted is None and document in ({}, {"version": 1}):
        return ""
    new = json.dumps(document, indent=_indent_of(text), ensure_ascii=False) + "\n"
    escaped = new.encode("utf-8", "backslashreplace").decode()  # half of a surrogate pair is valid only as \\uXXXX
    return escaped.replace("\n", "\r\n") if "\r\n" in text else escaped


def has_entries(text: str, file: ConfigFile) -> Mapping[str, bool]:
    """Return whether the file has the server, hooks and a skill of graph-memory, by name. Raises ValueError."""
    if file.skill:
        return {"server": False, "hooks": False, "skills": is_own_skill(text)}
    if file.is_toml:
        return {"server": _server_of(tomllib.loads(text)) is not None, "hooks": False, "skills": False}
    document = _parse_json(text)
    has_server = bool(file.servers) and NAME in _require_object(document.get(file.servers, {}), file.servers)
    has_hooks = file.has_hooks and bool(_OURS.search(json.dumps(document.get("hooks"))))
    return {"server": has_server, "hooks": has_hooks, "skills": False}


def _parse_json(text: str) -> Document:
    value: object = json.loads(text, object_pairs_hook=_unique_keys) if text.strip() else {}
    return _require_object(value, "the outermost value")


def _unique_keys(pairs: Sequence[tuple[str, object]]) -> Document:
    """Build a JSON object. Raises ValueError if a key occurs twice, since one value would be lost."""
    document = dict(pairs)
    if len(document) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise ValueError(f"the key {json.dumps(twice)} occurs twice")
    return document


def _edit_servers(document: Document, key: str, wanted: ClientEntries | None) -> None:
    servers = _require_object(document.get(key, {}), key)
    if wanted is None:
        if servers.pop(NAME, None) is not None:
            document[key] = servers
            if not servers:
                del document[key]
        return
    command, *arguments = wanted.server
    entry: Document = {"command": command, "args": arguments}
    kind: Mapping[str, Document] = {"servers": {"type": "stdio"}, "context_servers": {"source": "custom"}}
    own = _require_object(servers.get(NAME, {}), f"{key}.{NAME}")
    servers[NAME] = {**kind.get(key, {}), **own, **entry}
    document[key] = servers


def _edit_hooks(document: Document, client: str, commands: Mapping[str, str]) -> None:
    """Replace our hooks. Other hooks keep their places."""
    is_flat = CLIENTS[client].is_flat
    before = _require_object(document.get("hooks", {}), "hooks")
    events = dict(before)
    for event in [*dict.fromkeys([*events, *commands])]:
        entries = _list(events.get(event, []), f"hooks.{event}")
        new = [_hook_entry(client, commands[event])] if event in commands else []
        ours = [entry for entry in entries if _is_ours(entry)]
        if ours == new:
            continue
        kept = [rest for entry in entries if (rest := _without_ours(entry, event)) is not None]
        if kept or new:
            events[event] = [*kept, *new]
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
        return {"command": command, "timeout": _SECONDS}
    timeout = _SECONDS * 1_000 if client == "gemini-cli" else _SECONDS
    return {"hooks": [{"type": "command", "command": command, "timeout": timeout}]}


def _is_ours(entry: object) -> bool:
    return _OURS.search(json.dumps(entry)) is not None


def _without_ours(entry: object, event: str) -> object | None:
    """Return the entry without our hooks, or None if nothing is left."""
    if not _is_ours(entry):
        return entry
    group = _require_object(entry, f"an entry of hooks.{event}")
    handlers = _list(group.get("hooks", []), f"an entry's hooks of hooks.{event}")
    kept = [handler for handler in handlers if not _is_ours(handler)]
    return {**group, "hooks": kept} if kept else None


def _edit_toml(text: str, wanted: ClientEntries | None) -> str:
    """Set the server's table, or remove it if `wanted` is None. Raises ValueError if other values would change."""
    before = tomllib.loads(text)
    current = _server_of(before)
    if wanted is None and current is None:
        return text
    newline = "\r\n" if "\r\n" in text else "\n"
    lines: list[str] = []
    server: Document | None = None
    if wanted:
        command, *arguments = wanted.server
        server = {**(current or {}), "command": command, "args": arguments}
        if server == current:
            return text
        lines = [f"command = {json.dumps(command)}{newline}", f"args = {json.dumps(arguments)}{newline}"]
    new = _edit_table(text, lines, newline)
    after = tomllib.loads(new)
    if _server_of(after) != server or _without_server(after) != _without_server(before):
        raise ValueError("the server is not in a table of its own")
    return new


def _edit_table(text: str, lines: Sequence[str], newline: str) -> str:
    """Return the TOML text with these lines in the server's table. Without lines, the table is removed."""
    kept: list[str] = []
    table = None
    is_missing = True
    for part, value in _statements(text.rstrip("\r\n") + newline):
        if is_header := part.lstrip().startswith("["):
            table = _server_of(value)
        is_replaced = value.keys() <= {"command", "args"} and table == {} if lines else table is not None
        if not (value and is_replaced):
            kept.append(part)
        if lines and is_header and table == {}:
            kept.extend(lines)
            is_missing = False
    rest = "".join(kept).strip("\r\n")
    if lines and is_missing:
        table_lines = "".join([f"[mcp_servers.{NAME}]{newline}", *lines])
        return f"{rest}{newline * 2}{table_lines}" if rest else table_lines
    return f"{rest}{newline}" if rest else ""


def _statements(text: str) -> Iterator[tuple[str, Document]]:
    """Yield the statements of a TOML text (headers, keys with values, other lines), each as text and parsed."""
    part = ""
    for line in re.findall(r"[^\n]*\n", text):
        part += line
        with suppress(tomllib.TOMLDecodeError):  # a value that goes on in the next line
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
    rest = {name: value for name, value in document.items() if name != "mcp_servers"}
    return {**rest, **({"mcp_servers": servers} if servers else {})}


def _require_object(value: object, name: str) -> Document:
    """Return a copy of the value. Raises ValueError if it is not an object."""
    if not isinstance(value, dict):
        raise ValueError(f"{name} is not an object")  # noqa: TRY004 - callers expect ValueError
    return dict(cast("Document", value))


def _list(value: object, name: str) -> list[object]:
    if not isinstance(value, list):
        raise ValueError(f"{name} is not a list")  # noqa: TRY004 - callers expect ValueError
    return cast("list[object]", value)


def _indent_of(text: str) -> int | str:
    match = re.search(r"^([ \t]+)\S", text, re.MULTILINE)
    return match[1] if match else 2
