"""`graph-memory hook`: captures a client's event, and answers with facts from the memory. Always exits with 0."""

from __future__ import annotations

import json
import os
import signal
import sys
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from threading import Timer
from typing import NoReturn, cast

from graph_memory.hooks.clients import BUDGETS, CLIENTS, SHORT_BUDGET, Client
from graph_memory.hooks.events import HookEvent, event_of, is_captured
from graph_memory.hooks.shown import add_shown, claim_answer, forget_shown, read_shown
from graph_memory.hooks.spool import Spool, database_key
from graph_memory.remote import ask_server, home_folder, request

_LARGEST_INPUT = 16 << 20
"""Maximum number of bytes of an event that are read. A larger one is ignored."""
_STARTUP_SECONDS = 0.1
"""Seconds that the start of the process takes from the budget."""
_RESERVE_SECONDS = 0.05
"""Seconds of the budget that are kept to print the answer after a server has replied."""
CAPTURE = "GRAPH_MEMORY_CAPTURE"
"""An environment variable for single projects. If it and `--capture` differ, less is stored."""
_OPTIONS = {"client", "capture", "domain"}


def run_hook(arguments: Sequence[str]) -> NoReturn:
    """Capture the event on standard input, print the answer if there is one, and end the process with status 0."""
    try:
        _run(arguments)
    except Exception:  # noqa: BLE001, S110 - whatever happens, the client goes on as if there were no hook
        pass
    finally:
        os._exit(0)


def _run(arguments: Sequence[str]) -> None:
    name, options = _parse(arguments)
    client = CLIENTS[options["client"]]
    budget = BUDGETS.get(client.events[name], SHORT_BUDGET) - _STARTUP_SECONDS
    _end_after(budget)
    deadline = time.monotonic() + budget - _RESERVE_SECONDS
    payload: object = json.loads(sys.stdin.buffer.read(_LARGEST_INPUT + 1))
    if not isinstance(payload, dict):
        return
    if answer := _handle(name, options, client, cast("dict[str, object]", payload), deadline):
        sys.stdout.write(f"{json.dumps(answer)}\n")
        sys.stdout.flush()


def _parse(arguments: Sequence[str]) -> tuple[str, Mapping[str, str]]:
    """Return the name of the event, and the options by name. Raises ValueError."""
    name, *rest = arguments
    words = [word for argument in rest for word in argument.split("=", 1)]
    options = {option.removeprefix("--"): value for option, value in zip(words[::2], words[1::2], strict=True)}
    if not {"client"} <= set(options) <= _OPTIONS:
        raise ValueError(arguments)
    return name, {"capture": "all", **options}


def _end_after(seconds: float) -> None:
    """End the process with status 0 after this time, even if it is busy.

    The alarm can interrupt a search for secrets. The thread can end a process that is blocked in a system call.
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
) -> Mapping[str, object] | None:
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
    if kind in ("start", "end"):
        forget_shown(spool.folder, event.session)
    if name not in client.adds_context or payload.get("agent_id"):
        return None
    if not claim_answer(spool.folder, event.session, f"{kind} {event.text}"):
        return None
    text, ids = _ask(event, read_shown(spool.folder, event.session), deadline)
    if ids:
        with suppress(OSError):
            add_shown(spool.folder, event.session, ids)
    return client.answer(name, text) if text else None


def _ask(event: HookEvent, shown: Sequence[str], deadline: float) -> tuple[str, Sequence[str]]:
    """Ask the running server which text to add to the conversation after this event.

    Returns the text and the ids of its nodes. Both are empty if no server runs.
    """
    session = f"--session={event.session}"
    if event.kind == "start":
        command = ["session", "briefing", session, f"--project={Path(event.folder).name}", "--json"]
    else:
        command = ["session", "context", session, f"--shown={','.join(shown)}", "--json", "--", event.text]
    reply = ask_server(request(command, event.folder), max(deadline - time.monotonic(), 0.01))
    if reply is None or reply.get("status") != 0:
        return "", ()
    result = json.loads(str(reply["stdout"]))
    return str(result.get("text", "")), [str(id_) for id_ in result.get("ids", ())]
