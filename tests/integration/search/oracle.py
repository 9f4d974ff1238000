"""What the rows of search must be: made anew from the state of a moment, without those of any other."""

from __future__ import annotations

import json
from collections.abc import Iterable
from itertools import pairwise
from typing import Any

from anyio.from_thread import BlockingPortal
from neo4j.time import DateTime

from graph_memory.memory.core import Core
from graph_memory.memory.domains.lineage import END
from graph_memory.memory.search.index.index_filters import domain_token, until_token
from graph_memory.memory.search.index.rows import Version, passages_of, text_to_embed, version_of
from graph_memory.memory.search.passages.own_names import names as own_names
from graph_memory.memory.search.text import names
from graph_memory.model.events import Event, Op
from graph_memory.model.subjects.kinds import DATA
from graph_memory.model.subjects.subjects import content_ref
from graph_memory.model.text.analysers import ENGLISH, LABELS, label_of
from integration.search.fakes import vector
from integration.search.rows import Rows

Told = tuple[str, ...]
STATES = (
    "MATCH (e:_Event {_domain: $domain}) WHERE e._seq <= $at WITH e ORDER BY e._seq "
    "WITH e._subject AS subject, last(collect(e)) AS e "
    "OPTIONAL MATCH (c:_Content {_domain: $domain, _sha256: e._content_sha256}) RETURN properties(e), c._text"
)
ROWS = "MATCH (p:_Passage {_domain: $domain}) WHERE p._since <= $at AND p._until > $at RETURN p {.*} AS p"
NAMES = (
    "MATCH (n:_Name {_domain: $domain}) WHERE n._since <= $at AND n._until > $at "
    "RETURN n._owner, n._words, n._name, n._key"
)
OF_ALL = ("_since", "_until", "_at", "_filter", "_sha256", "_embedding", "_model", "_domain")
"""What a row has beside what the state of a moment says."""
BY_HISTORY = ("_sequence", "_position", "_order")
"""What it has by those before it."""


def versions(portal: BlockingPortal, rows: Rows, at: int) -> list[Version]:
    """The subjects of a domain as they were after a number of the log."""
    found = [(Event.from_row(_native(event)), text) for event, text in rows.run(STATES, at=at)]
    living = [(event, text) for event, text in found if event.draft.kind in DATA and event.draft.op is not Op.DELETE]
    types = {event.draft.subject: event.draft.type for event, _ in living}
    return [
        version_of(event, _text(portal, rows.core, event, text), types.get(event.draft.from_id or ""))
        for event, text in living
    ]


def _native(row: dict[str, Any]) -> dict[str, Any]:
    return {key: value.to_native() if isinstance(value, DateTime) else value for key, value in row.items()}


def _text(portal: BlockingPortal, core: Core, event: Event, inline: str | None) -> str | None:
    ref = content_ref(event.draft.state or {})
    if ref is None or not ref.is_text:
        return None
    return portal.call(core.contents.fetch, event.domain, ref, inline).text


def expected(found: Iterable[Version]) -> tuple[list[str], list[Told], dict[str, list[str]]]:
    """Return the rows as JSON without what they have by history, the names, and the places of each in order."""
    rows: list[str] = []
    named: list[Told] = []
    orders: dict[str, list[str]] = {}
    for one in found:
        for each in passages_of(one, ()):
            about = {"_owner": one.owner, "_owner_kind": str(one.kind), "_unit": one.unit, "_type": one.type}
            times = {"_created": each.created, "_valid_from": each.valid_from, "_valid_to": each.valid_to}
            told = {"_place": each.place, "_head": each.head, "_text": each.text, "_date": each.date}
            rows.append(json.dumps(about | times | told, sort_keys=True))
            if each.order is not None:
                orders.setdefault(one.owner, []).append(each.place)
        bears = own_names(one.state, one.text) if one.state is not None else []
        written = [form for name in reversed(bears) for form in names.forms(name)]
        forms = {tuple(words): form for form in written if (words := names.words(form))}
        named += [(one.owner, f" {' '.join(words)} ", form, max(words, key=len)) for words, form in forms.items()]
    return sorted(rows), sorted(named), orders


def check(portal: BlockingPortal, rows: Rows, at: int) -> int:
    """Assert that the rows current after a number of the log are those of the state then, and count them."""
    wanted, named, orders = expected(versions(portal, rows, at))
    found = [row for [row] in rows.run(ROWS, at=at)]
    told = [{key: value for key, value in row.items() if key not in (*OF_ALL, *BY_HISTORY)} for row in found]
    assert sorted(json.dumps(row, sort_keys=True) for row in told) == wanted, at
    assert sorted(tuple(name) for name in rows.run(NAMES, at=at)) == named, at
    in_order: dict[str, list[dict[str, Any]]] = {}
    for row in sorted((row for row in found if "_order" in row), key=lambda row: row["_order"]):
        in_order.setdefault(row["_owner"], []).append(row)
    assert {owner: [row["_place"] for row in of_owner] for owner, of_owner in in_order.items()} == orders, at
    for of_owner in in_order.values():
        assert len({(row["_sequence"], row["_position"]) for row in of_owner}) == 1, at
        assert all(before["_order"] < after["_order"] for before, after in pairwise(of_owner)), at
    return len(found)


def check_filters(rows: Rows, model: str | None, analyser: str = label_of(ENGLISH)) -> None:
    """Assert of all rows, ended ones too, that they are found by what they say, and have the vector of their words."""
    for [row, labels] in rows.run("MATCH (p:_Passage {_domain: $domain}) RETURN p {.*}, labels(p)"):
        tokens = row["_filter"].split()
        assert until_token(row["_until"]) in tokens
        assert domain_token(rows.domain) in tokens
        assert row["_since"] < row["_until"]
        assert set(labels) & set(LABELS) == {analyser}, labels
        if model is not None:
            assert "_NewPassage" not in labels
            own = vector(text_to_embed(row["_head"], row["_text"]))
            is_short = row["_until"] < END and "_embedding" not in row
            assert is_short or (row["_model"], row["_embedding"]) == (model, own)
