"""`graph-memory hook`: captures a client's event, and answers from the memory. Always exits with status 0."""

from __future__ import annotations

import json
import os
import signal
import sys
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from threading import Timer
from typing import NoReturn, cast

from graph_memory.hooks.clients import BUDGETS, CLIENTS, SHORT_BUDGET, Client, Kind
from graph_memory.hooks.events import HookEvent, event_of, is_captured
from graph_memory.hooks.shown import (
    add_shown,
    claim_answer,
    forget_shown,
    is_briefed,
    note_briefed,
    read_shown,
    take_turn,
)
from graph_memory.hooks.spool import Spool, database_key
from graph_memory.remote import ask_server, home_folder, request

_MAX_INPUT_BYTES = 16 << 20
"""Maximum size of an event in bytes. Larger events are ignored."""
_STARTUP_SECONDS = 0.1
"""The part of the time budget for starting the process, in seconds."""
_RESERVE_SECONDS = 0.05
"""The part of the time budget for printing the server's answer, in seconds."""
CAPTURE = "GRAPH_MEMORY_CAPTURE"
"""An environment variable that limits capture in a project. Events must also be allowed by `--capture`."""
_OPTION_NAMES = {"client", "capture", "domain"}


def run_hook(arguments: Sequence[str]) -> NoReturn:
    """Capture the event on standard input, print the answer, if any, and exit with status 0."""
    try:
        _run(arguments)
    except Exception:  # noqa: BLE001, S110 - an error of any kind must not disturb the client, which shows what a hook prints
        pass
    finally:
        os._exit(0)


def _run(arguments: Sequence[str]) -> None:
    name, options = _parse(arguments)
    client = CLIENTS[options["client"]]
    budget = BUDGETS.get(client.events[name], SHORT_BUDGET) - _STARTUP_SECONDS
    _end_after(budget)
    deadline = time.monotonic() + budget - _RESERVE_SECONDS
    payload: object = json.loads(sys.stdin.buffer.read(_MAX_INPUT_BYTES + 1))
    if not isinstance(payload, dict):
        return
    answer = _handle(name, options, client, cast("dict[str, object]", payload), deadline)
    if answer is None:
        return
    if answer.text:
        sys.stdout.write(f"{json.dumps(client.answer(name, answer.text))}\n")
        sys.stdout.flush()
    answer.record_shown()


def _parse(arguments: Sequence[str]) -> tuple[str, Mapping[str, str]]:
    """Return the event's name, and the options by name. Raises ValueError if an option is unknown or missing."""
    name, *option_arguments = arguments
    words = [word for argument in option_arguments for word in argument.split("=", 1)]
    options = {option.removeprefix("--"): value for option, value in zip(words[::2], words[1::2], strict=True)}
    if not {"client"} <= set(options) <= _OPTION_NAMES:
        raise ValueError(arguments)
    return name, {"capture": "all", **options}


def _end_after(seconds: float) -> None:
    """Exit with status 0 after this number of seconds, even if the process is busy.

    An alarm can interrupt a search for secrets, and a thread can end a process that is blocked in a system call. Both
    are therefore used.
    """

    def end(*_: object) -> None:
        os._exit(0)

    timer = Timer(seconds, end)
    timer.daemon = True
    timer.start()
    if hasattr(signal, "setitimer"):
        signal.signal(signal.SIGALRM, end)
        signal.setitimer(signal.ITIMER_REAL, seconds)


def _handle(
    name: str, options: Mapping[str, str], client: Client, payload: Mapping[str, object], deadline: float
) -> _Answer | None:
    kind = client.events[name]
    if domain := options.get("domain"):
        os.environ["GRAPH_MEMORY_DOMAIN"] = domain
    spool = Spool.of(home_folder())
    event = event_of(options["client"], kind, payload, domain=os.environ.get("GRAPH_MEMORY_DOMAIN") or "default")
    if event is None:
        return None
    if all(is_captured(kind, choice) for choice in (options["capture"], os.environ.get(CAPTURE) or "all")):
        with suppress(OSError):  # a failure to store the event must not stop the briefing
            key = database_key(os.environ.get("NEO4J_URI"), os.environ.get("NEO4J_DATABASE"))
            spool.add(replace(event, database=key).to_json())
    if kind == "end":
        forget_shown(spool.folder, event.session)
    if name not in client.adds_context or payload.get("agent_id"):
        return None
    if not claim_answer(spool.folder, event.session, f"{kind} {event.text}"):
        return None
    if kind == "start":  # only after the claim: a second hook for the event must not delete what the first has noted
        forget_shown(spool.folder, event.session)
    return _answer_for(spool, event, deadline)


@dataclass(frozen=True, slots=True)
class _Answer:
    """Text to add to a conversation, and what to record as shown after it is printed."""

    spool: Spool
    session: str
    text: str
    is_briefing: bool
    """Whether a server has returned a briefing, possibly an empty one."""
    ids: Sequence[str]

    def record_shown(self) -> None:
        """Record the shown nodes and briefing of the session. Raises OSError."""
        if self.is_briefing:
            note_briefed(self.spool.folder, self.session)
        if self.ids:
            add_shown(self.spool.folder, self.session, self.ids)


def _answer_for(spool: Spool, event: HookEvent, deadline: float) -> _Answer:
    """Return the answer to the event. A session that was not briefed at its start is briefed now.

    There may be no answer at the start of a session, because the client has only just started the server. The first
    prompt then requests the memories that are relevant to it, and the briefing, which is slower, in the remaining time.
    If that time is too short, the next prompt requests the briefing first. Further prompts alternate.
    """
    kinds: list[Kind] = [event.kind]
    if event.kind != "start" and not is_briefed(spool.folder, event.session):
        kinds.insert(0 if take_turn(spool.folder, event.session) else 1, "start")
    texts: dict[Kind, str] = {}
    ids: list[str] = []
    for kind in kinds:
        if time.monotonic() >= deadline:
            break
        if answer := _ask(kind, event, read_shown(spool.folder, event.session), deadline):
            texts[kind], new_ids = answer
            ids += new_ids
    in_order = [texts[kind] for kind in ("start", "prompt") if kind in texts]
    return _Answer(spool, event.session, "\n\n".join(filter(None, in_order)), "start" in texts, ids)


def _ask(kind: Kind, event: HookEvent, shown: Sequence[str], deadline: float) -> tuple[str, Sequence[str]] | None:
    """Ask the running server for the briefing (kind `start`) or for memories that are relevant to the prompt.

    Returns the text and the ids of its nodes, or None if no server answers or the answer is not valid.
    """
    session = f"--session={event.session}"
    if kind == "start":
        command = ["session", "briefing", session, f"--project={Path(event.folder).name}", "--json"]
    else:
        command = ["session", "context", session, f"--shown={','.join(shown)}", "--json", "--", event.text]
    reply = ask_server(request(command, event.folder), max(deadline - time.monotonic(), 0.01))
    if reply is None or reply.get("status") != 0:
        return None
    try:
        result = json.loads(str(reply["stdout"]))
        return str(result.get("text", "")), [str(id_) for id_ in result.get("ids", ())]
    except (ValueError, LookupError, AttributeError, TypeError):  # an invalid answer must not prevent the other one
        return None
