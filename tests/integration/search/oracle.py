"""The expected rows of search, computed from the state of one moment alone."""

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

Places = tuple[str, ...]
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
"""Columns of a row that the state of a moment does not determine."""
BY_HISTORY = ("_sequence", "_position", "_order")
"""Columns that depend on earlier rows."""


def versions(portal: BlockingPortal, rows: Rows, at: int) -> list[Version]:
    """The subjects of a domain as they were after a number of the log."""
    pairs = [(Event.from_row(_native(event)), text) for event, text in rows.run(STATES, at=at)]
    living = [(event, text) for event, text in pairs if event.draft.kind in DATA and event.draft.op is not Op.DELETE]
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


def expected_rows(versions: Iterable[Version]) -> tuple[list[str], list[Places], dict[str, list[str]]]:
    """Return the rows as JSON without what they have by history, the names, and the places of each in order."""
    rows: list[str] = []
    named: list[Places] = []
    orders: dict[str, list[str]] = {}
    for version in versions:
        for passage in passages_of(version, ()):
            about = {
                "_owner": version.owner,
                "_owner_kind": str(version.kind),
                "_unit": version.unit,
                "_type": version.type,
            }
            times = {"_created": passage.created, "_valid_from": passage.valid_from, "_valid_to": passage.valid_to}
            rendered = {"_place": passage.place, "_head": passage.head, "_text": passage.text, "_date": passage.date}
            rows.append(json.dumps(about | times | rendered, sort_keys=True))
            if passage.order is not None:
                orders.setdefault(version.owner, []).append(passage.place)
        bears = own_names(version.state, version.text) if version.state is not None else []
        written = [form for name in reversed(bears) for form in names.name_variants(name)]
        forms = {tuple(words): form for form in written if (words := names.split_words(form))}
        named += [(version.owner, f" {' '.join(words)} ", form, max(words, key=len)) for words, form in forms.items()]
    return sorted(rows), sorted(named), orders


def check(portal: BlockingPortal, rows: Rows, at: int) -> int:
    """Return the number of rows current after a number of the log. Asserts that they fit the state then."""
    wanted, named, orders = expected_rows(versions(portal, rows, at))
    results = [row for [row] in rows.run(ROWS, at=at)]
    answer = [{key: value for key, value in row.items() if key not in (*OF_ALL, *BY_HISTORY)} for row in results]
    assert sorted(json.dumps(row, sort_keys=True) for row in answer) == wanted, at
    assert sorted(tuple(name) for name in rows.run(NAMES, at=at)) == named, at
    in_order: dict[str, list[dict[str, Any]]] = {}
    for row in sorted((row for row in results if "_order" in row), key=lambda row: row["_order"]):
        in_order.setdefault(row["_owner"], []).append(row)
    assert {owner: [row["_place"] for row in of_owner] for owner, of_owner in in_order.items()} == orders, at
    for of_owner in in_order.values():
        assert len({(row["_sequence"], row["_position"]) for row in of_owner}) == 1, at
        assert all(before["_order"] < after["_order"] for before, after in pairwise(of_owner)), at
    return len(results)


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
