"""Describes logged changes in words."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import cast

from graph_memory.model.events import Draft, Op
from graph_memory.model.ontology.ontology_diff import describe_type_change
from graph_memory.model.ontology.types import AnyType
from graph_memory.model.projection import type_from_json
from graph_memory.model.subjects.kinds import TYPES, Kind
from graph_memory.model.subjects.protection import PROTECTION, describe_protection
from graph_memory.model.subjects.subjects import PARENT, State
from graph_memory.model.text.name_list import ALIASES, listed_names
from graph_memory.model.text.wording import as_text, format_day, format_last_day, printable, quote
from graph_memory.model.values.exact import same_value
from graph_memory.model.values.strength import IMPORTANCE, STRENGTH

MAX_CHANGES = 6
"""Maximum number of changes per line. Further changes are only counted."""

_ATTRIBUTES = {
    "_entity": "type",
    "_title": "title",
    "_tags": "tags",
    "_path": "path",
    "_namespace": "namespace",
    "_content_summary": "summary",
    "_metadata": "metadata",
    "_content_format": "format",
    "_text": "text",
    "_confidence": "confidence",
    "_open": "open",
    **{name: f"{measure} strength" for name, measure in STRENGTH.items()},
    IMPORTANCE: "importance",
}
_MAX_CHARACTERS = 40
_MAX_ALIASES = 3
_BOUNDS = {"_valid_from": ("began", "begins", "start"), "_valid_to": ("ended", "ends", "end")}
"""The words for the start and end of validity: a verb for a past day, a verb for other days, and a noun."""


@dataclass(frozen=True, slots=True)
class ChangeToDescribe:
    """A change to describe: its draft, the state before it, and the titles of a connection's endpoints."""

    draft: Draft
    before: State | None = None
    from_title: str | None = None
    to_title: str | None = None
    deleted_connections: int = 0
    """Number of connections that were deleted together with the node."""
    at: datetime | None = None
    """The time of the event."""
    batch: str | None = None
    """The id of the batch that wrote the change."""


def summary(change: ChangeToDescribe) -> str:
    """Describe a change in one line, such as `Action "Call contractor": status "next" → "done"`."""
    draft = change.draft
    if draft.erased:
        return _describe_erased(draft)
    if draft.kind is Kind.DOMAIN:
        return _describe_domain(draft.state or {}, change.before)
    if draft.kind is Kind.ONTOLOGY:
        return _describe_ontology(draft.state or {}, change.before)
    name = _describe_subject(change)
    is_type = draft.kind in TYPES
    if draft.op is Op.CREATE:
        return f"{name} {'defined' if is_type else 'created' if draft.previous is None else 'restored'}"
    if draft.op is Op.DELETE:
        count = change.deleted_connections
        count_text = f", with {count:,} connection{'' if count == 1 else 's'}" if count else ""
        return f"{name} {'removed' if is_type else 'deleted'}{count_text}"
    if is_type and change.before and draft.state:
        return f"{name}: {describe_type_change(_type_in(change.before), _type_in(draft.state)) or 'rewritten'}"
    return f"{name}: {_describe_changes(change.before or {}, draft.state or {}, change.at)}"


def _describe_ontology(state: State, before: State | None) -> str:
    if before is None:
        return "Ontology created"
    return "Types removed" if state == before else "Ontology described"


def _type_in(state: State) -> AnyType:
    return type_from_json(str(state["_definition"]))


def _describe_erased(draft: Draft) -> str:
    verb = {Op.CREATE: "created", Op.UPDATE: "changed", Op.DELETE: "deleted"}.get(draft.erased_op or Op.SNAPSHOT)
    return f"{str(draft.kind).capitalize()} {printable(draft.subject)} {f'{verb}, since erased' if verb else 'erased'}"


def _describe_domain(state: State, before: State | None) -> str:
    if before is not None and state.get("_compacted_to") != before.get("_compacted_to"):
        return f"Compacted up to {state.get('_compacted_to')}"
    if before is not None and state.get(PROTECTION) != before.get(PROTECTION):
        return f"Domain {_describe_protection(state.get(PROTECTION))}"
    if before is not None and (fields_text := _describe_fields(state, before)):
        return fields_text
    if before is not None:
        return _describe_merges(_parse_merges(before), _parse_merges(state))
    if "_forked_from" in state:
        return f"Branched from {printable(state['_forked_from'])} as it was at {state.get('_forked_at')}"
    return "Domain created"


def _describe_fields(state: State, before: State) -> str:
    """Describe changes of the parent, description and metadata of a domain. Only the new parent is mentioned."""
    lines = [f"Domain moved under {printable(state[PARENT])}" if PARENT in state else "Domain removed from its parent"]
    lines = lines if state.get(PARENT) != before.get(PARENT) else []
    changed = [name for name in ("description", "metadata") if state.get(f"_{name}") != before.get(f"_{name}")]
    return ", ".join([*lines, *([f"{' and '.join(changed)} changed".capitalize()] if changed else [])])


def _describe_merges(before: Mapping[str, Mapping[str, object]], after: Mapping[str, Mapping[str, object]]) -> str:
    new_merges = [f"Merged {printable(name)} as it was at {merge['source_seq']}" for name, merge in after.items()
              if int(str(merge["source_seq"])) > int(str(before.get(name, {}).get("source_seq", 0)))]  # fmt: skip
    undone_merges = [f"Merge of {printable(name)} undone" for name, merge in before.items() if merge != after.get(name)]
    return ", ".join(new_merges or undone_merges) or "Domain changed"


def _parse_merges(state: State) -> Mapping[str, Mapping[str, object]]:
    return json.loads(str(state.get("_merges", "{}")))


def _describe_subject(change: ChangeToDescribe) -> str:
    draft, state = change.draft, change.draft.state or change.before or {}
    match draft.kind:
        case Kind.NODE:
            return f"{printable(draft.type)} {quote(state.get('_title', draft.subject))}"
        case Kind.CONNECTION:
            ends = (change.from_title or draft.from_id, change.to_title or draft.to_id)
            return f"{quote(ends[0])} {printable(draft.type)} {quote(ends[1])}"
        case Kind.OBSERVATION:
            node = quote(change.from_title or draft.from_id)
            return f"Observation {_shorten(state.get('_text', draft.subject))} on {node}"
        case Kind.LINK:
            source = quote(change.from_title or draft.from_id)
            target = f"{state.get('_target_domain')}:{state.get('_target')}"
            return f"Link {printable(state.get('_link_type', draft.subject))} from {source} to {target}"
        case _:
            return f"{str(draft.kind).replace('_', ' ').capitalize()} {printable(draft.subject.partition('/')[2])}"


def _describe_changes(before: State, after: State, at: datetime | None) -> str:
    keys = sorted({*before, *after}, key=lambda key: (key.startswith("_"), key))
    lines = [line for key in keys if (line := _describe_change(key, before, after, at))]
    more = [f"{len(lines) - MAX_CHANGES} more changes"] if len(lines) > MAX_CHANGES else []
    return ", ".join(lines[:MAX_CHANGES] + more) or "rewritten"


def _describe_change(key: str, before: State, after: State, at: datetime | None) -> str | None:
    old_value, new_value = before.get(key), after.get(key)
    if same_value(old_value, new_value):
        return None
    if key == "_content_sha256":
        old_value, new_value = _describe_size(before), _describe_size(after)
        return f"content rewritten, {new_value}" if old_value == new_value else f"content {old_value} → {new_value}"
    if key == PROTECTION:
        return _describe_protection(new_value)
    if key in ("_asks", "_supersedes"):
        return _describe_decisions(key, old_value, new_value)
    if key in _BOUNDS:
        return bound_words(key, old_value, new_value, at)
    if key in ALIASES:
        return alias_words(old_value, new_value)
    if key.startswith("_") and key not in _ATTRIBUTES:
        return None
    name = _ATTRIBUTES.get(key, printable(key))
    if old_value is None:
        return f"{name} {_shorten(new_value)} added"
    return f"{name} removed" if new_value is None else f"{name} {_shorten(old_value)} → {_shorten(new_value)}"


def bound_words(key: str, before: object, after: object, at: datetime | None) -> str:
    """Describe the change of a validity bound, such as `ended on 26 November 2026`."""
    past_verb, future_verb, noun = _BOUNDS[key]
    if not isinstance(after, datetime):
        return f"{noun} removed"
    verb = past_verb if at is not None and after <= at else future_verb
    text = f"{verb} on {_format_day(key, after)}"
    if not isinstance(before, datetime):
        return text
    if _format_day(key, before) != _format_day(key, after):
        return f"{text}, not on {_format_day(key, before)}"
    now, then = _format_times(key, after, before)
    return f"{text} at {now}, not at {then} (UTC)"


def _format_day(key: str, at: datetime) -> str:
    return format_day(at) if key == "_valid_from" else format_last_day(at)


def _format_times(key: str, *times: datetime) -> list[str]:
    """Return times of one day as texts, precise enough to differ. A validity that ends at midnight ends at 24:00."""
    lines: list[str] = []
    for precision in ("minutes", "seconds", "microseconds"):
        lines = [at.astimezone(UTC).time().isoformat(precision) for at in times]
        if len({*lines}) == len(lines):
            break
    return ["24:00" if key == "_valid_to" and clock.strip("0:.") == "" else clock for clock in lines]


def alias_words(before: object, after: object, quote_name: Callable[[str], str] | None = None) -> str:
    """List the added and removed aliases, such as `alias "Ines" added`. After the first three, only count them."""
    old, new = ([name.strip() for name in listed_names(value) if name.strip()] for value in (before, after))
    words = quote_name or _shorten
    lines = [f"alias {words(name)} added" for name in new if name not in old]
    lines += [f"alias {words(name)} removed" for name in old if name not in new]
    more = [f"and {len(lines) - _MAX_ALIASES} more"] if len(lines) > _MAX_ALIASES else []
    return ", ".join([*lines[:_MAX_ALIASES], *more]) or _whole_aliases(before, after, words)


def _whole_aliases(before: object, after: object, words: Callable[[str], str]) -> str:
    """Describe a change of the property `aliases` that neither added nor removed a name, such as another order."""
    now, then = (
        words(value) if isinstance(value, str) else "" if value is None else as_text(value) for value in (after, before)
    )
    return f"aliases {then} → {now}" if now and then else f"aliases {now} added" if now else "aliases removed"


def _describe_decisions(key: str, before: object, after: object) -> str:
    has_fewer = len(cast("Sequence[str]", after or ())) < len(cast("Sequence[str]", before or ()))
    if key == "_asks":
        return "question answered" if has_fewer else "question asked"
    return "replaces fewer observations" if has_fewer else "replaces another observation"


def _describe_protection(after: object) -> str:
    return "no longer protected" if after is None else describe_protection(str(after))


def _describe_size(state: Mapping[str, object]) -> str:
    size = state.get("_content_size")
    return "none" if size is None else f"{size:,} bytes"


def _shorten(value: object) -> str:
    if isinstance(value, str) and len(value) > _MAX_CHARACTERS:
        return quote(value[: _MAX_CHARACTERS - 1] + "…")
    return quote(value)
