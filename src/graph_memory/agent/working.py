"""`Working`: a session's current goal, task, tool outputs and notes, kept in the memory of the process."""

from __future__ import annotations

import json
from bisect import bisect_left
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import cast

from anyio import to_thread

from graph_memory.agent.records.writing import fits_reply
from graph_memory.agent.results import WorkingMemory
from graph_memory.memory.search.token_budget import tokens_of_text
from graph_memory.model.errors import Code, GraphError
from graph_memory.model.rights import qualified_name
from graph_memory.model.text.wording import quote
from graph_memory.model.values.arguments import invalid_argument

CONTEXT_WINDOW = 8_000
"""Default maximum number of tokens of a session's working memory."""
_MAX_WINDOW = 200_000
_MAX_VALUE_CHARACTERS = 8 * _MAX_WINDOW
"""Maximum number of characters of a value as JSON, with its key."""
_MOST_SESSIONS = 1_000
"""Maximum number of a caller's sessions in a process. Beyond it, the least recently used session is dropped."""
_MAX_KEYS = 1_000
_OUTPUTS = "recent_outputs"
_WINDOW = "context_window"


@dataclass(slots=True)
class _State:
    texts: dict[str, str] = field(default_factory=dict[str, str])
    outputs: list[object] = field(default_factory=list[object])
    scratchpad: dict[str, object] = field(default_factory=dict[str, object])
    context_window: int = CONTEXT_WINDOW

    def copy(self) -> _State:
        return _State(dict(self.texts), list(self.outputs), dict(self.scratchpad), self.context_window)


@dataclass(frozen=True, slots=True)
class Sessions:
    """The working memories of a caller in this process, by domain and session."""

    entries: dict[tuple[str, str], object]

    def state(self, domain: str, session: str) -> _State:
        """Return the state of a session, and mark the session as most recently used."""
        state = self._states.get((domain, session)) or _State()
        self.keep(domain, session, state)
        return state

    def keep(self, domain: str, session: str, state: _State) -> None:
        """Replace the state of a session. If there are too many sessions, drops the least recently used one."""
        states = self._states
        states[domain, session] = state
        states.move_to_end((domain, session))
        if len(states) > _MOST_SESSIONS:
            states.popitem(last=False)

    @property
    def _states(self) -> OrderedDict[tuple[str, str], _State]:
        empty: OrderedDict[tuple[str, str], _State] = OrderedDict()
        states = self.entries.setdefault(("", qualified_name("working memory")), empty)
        return cast("OrderedDict[tuple[str, str], _State]", states)


class Working:
    """The working memory of a session. `memory.agent.working` is for the caller's session.

    The working memory is never stored, so it is lost when the process ends. `goal` and `active_task` are strings,
    `recent_outputs` is a list, and `context_window` is the maximum number of tokens. All other keys belong to the
    scratchpad. If a new output does not fit into the window, the oldest outputs are dropped.
    """

    def __init__(self, sessions: Sessions, domain: str, session: str) -> None:
        self._sessions = sessions
        self._domain = domain
        self._session = session

    async def set(self, key: str, value: object) -> WorkingMemory:
        """Set a value, and return the working memory and the outputs that were dropped.

        A value for `recent_outputs` is appended to the list. Raises INVALID_ARGUMENT for a value that is not JSON, and
        CONTENT_TOO_LARGE for a value that does not fit into the window. After an error, nothing has changed.
        """
        while True:
            old_state = self._state
            new_state, tokens, dropped = await to_thread.run_sync(_with_value, old_state, key, value)
            if self._state is old_state:  # no other call has changed the session
                self._sessions.keep(self._domain, self._session, new_state)
                return self._result(new_state, tokens, dropped)

    async def get(self, key: str | None = None) -> WorkingMemory:
        """Return the working memory, or only the value of one key. Raises INVALID_ARGUMENT for an unknown key."""
        state = self._state
        values = {**state.scratchpad, **state.texts, _OUTPUTS: state.outputs, _WINDOW: state.context_window}
        if key is not None and key not in values:
            raise invalid_argument("key", f"The key {quote(key)} is not set", "Call without a key to get all values.")
        tokens = await to_thread.run_sync(_count_tokens, state)
        if key is None:
            return self._result(state, tokens)
        return WorkingMemory(
            session=self._session, value=values[key], context_window=state.context_window, used_tokens=tokens
        )

    async def clear(self, key: str | None = None) -> WorkingMemory:
        """Remove the value of one key, or all values, and return the working memory."""
        state = self._state
        remaining = state.copy() if key else _State(context_window=state.context_window)
        remaining.texts.pop(key or "", None)
        remaining.scratchpad.pop(key or "", None)
        remaining.outputs = [] if key == _OUTPUTS else remaining.outputs
        remaining.context_window = CONTEXT_WINDOW if key == _WINDOW else remaining.context_window
        self._sessions.keep(self._domain, self._session, remaining)
        return self._result(remaining, await to_thread.run_sync(_count_tokens, remaining))

    @property
    def _state(self) -> _State:
        """The state of the session. The object is replaced, never changed."""
        return self._sessions.state(self._domain, self._session)

    def _result(self, state: _State, tokens: int, dropped: Sequence[object] = ()) -> WorkingMemory:
        return WorkingMemory(
            session=self._session,
            goal=state.texts.get("goal"),
            active_task=state.texts.get("active_task"),
            recent_outputs=tuple(state.outputs) or None,
            scratchpad=dict(state.scratchpad) or None,
            context_window=state.context_window,
            used_tokens=tokens,
            dropped=tuple(dropped) or None,
        )


def _with_value(old_state: _State, key: str, value: object) -> tuple[_State, int, Sequence[object]]:
    """Return the state after setting a value, its number of tokens, and the outputs that were dropped.

    Raises INVALID_ARGUMENT if the key or value is invalid, and CONTENT_TOO_LARGE if the value does not fit.
    """
    state = old_state.copy()
    _set_value(state, key, value)
    drop_count = _excess_outputs(state, len(state.outputs) - (key == _OUTPUTS))
    dropped, state.outputs = state.outputs[:drop_count], state.outputs[drop_count:]
    if (tokens := _count_tokens(state)) > state.context_window:
        limit = f"{state.context_window:,} in context_window"
        message = f"With {quote(key)}, the working memory would have {tokens:,} tokens, more than the limit of {limit}"
        hint = "Clear other keys, or set a larger context_window."
        raise GraphError(Code.CONTENT_TOO_LARGE, message, {"hint": hint})
    return state, tokens, dropped


def _excess_outputs(state: _State, limit: int) -> int:
    """Return the number of oldest outputs that must be dropped to make the state fit, at most `limit`."""

    def fits(drop_count: int) -> bool:
        return _count_tokens(replace(state, outputs=state.outputs[drop_count:])) <= state.context_window

    lower = upper = 0
    while upper < limit and not fits(upper):
        lower, upper = upper + 1, min(2 * upper + 1, limit)
    return bisect_left(range(upper), x=True, lo=lower, key=fits)


def _set_value(state: _State, key: str, value: object) -> None:
    match key, _json_value(key, value):
        case "", _:
            raise invalid_argument("key", "The key is empty", "Pass a key, such as goal, or one of your own.")
        case (("goal" | "active_task"), str(text)):
            state.texts[key] = text
        case (("goal" | "active_task"), _):
            raise invalid_argument("value", f"The value of {key} is not a string", "Pass a string.")
        case "recent_outputs", output:
            state.outputs.append(output)
        case "context_window", int(tokens) if not isinstance(tokens, bool) and 0 < tokens <= _MAX_WINDOW:
            state.context_window = tokens
        case "context_window", _:
            message = f"context_window cannot be {quote(value)}"
            raise invalid_argument("value", message, f"Pass a number of tokens from 1 to {_MAX_WINDOW:,}.")
        case _, entry:
            state.scratchpad[key] = entry
            if len(state.scratchpad) > _MAX_KEYS:
                raise invalid_argument(
                    "key", f"The scratchpad already has {_MAX_KEYS:,} keys, the maximum", "Clear a key first."
                )


def _json_value(key: str, value: object) -> object:
    """Return a copy of a value. Raises INVALID_ARGUMENT if it is not JSON, and CONTENT_TOO_LARGE if it is too long."""
    try:
        text = json.dumps(value, ensure_ascii=False, allow_nan=False)
        copy: object = json.loads(text)
    except (TypeError, ValueError, RecursionError) as error:
        raise invalid_argument("value", "The value is not JSON", "Pass text, a number, a list or an object.") from error
    if (length := len(key) + len(text)) > _MAX_VALUE_CHARACTERS:
        message = f"{quote(key)} has {length:,} characters with its value, over the limit of {_MAX_VALUE_CHARACTERS:,}"
        raise GraphError(Code.CONTENT_TOO_LARGE, message, {"hint": "Keep only the part that the task needs."})
    if not fits_reply({key: copy}):
        message = f"{quote(key)} or its value contains a lone surrogate, or is nested too deeply"
        raise invalid_argument("value", message, "Pass Unicode text, and nest objects less deeply.")
    return copy


def _count_tokens(state: _State) -> int:
    """Return the number of tokens of the working memory as compact JSON, or 0 if it is empty."""
    fields = {**state.texts, _OUTPUTS: state.outputs, "scratchpad": state.scratchpad}
    non_empty = {name: value for name, value in fields.items() if value}
    return tokens_of_text(json.dumps(non_empty, ensure_ascii=False, separators=(",", ":"))) if non_empty else 0
