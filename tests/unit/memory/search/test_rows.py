"""Changes of an edit to the rows of a subject: they keep the order of the text, and few rows change."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from graph_memory.memory.domains.lineage import END
from graph_memory.memory.search.index.rows import Changes, OpenPassage, Passage, SubjectRows, _orders, version_of
from graph_memory.model.events import Draft, Event, Op, Origin
from graph_memory.model.subjects.kinds import Kind
from graph_memory.model.values.content import Content

BEGIN = datetime(2026, 5, 8, tzinfo=UTC)
PLACES = [f"content/{number}" for number in range(12)]
ARRANGED = st.lists(st.sampled_from(PLACES), unique=True, max_size=12)
EDITS = st.lists(
    st.tuples(st.sampled_from(["insert", "delete", "move", "replace"]), st.integers(0, 999), st.integers(0, 999)),
    max_size=40,
)


def grows(orders: Sequence[float]) -> bool:
    return all(before < after for before, after in pairwise(orders))


@given(ARRANGED, ARRANGED)
def test_orders_are_those_of_the_places_whatever_they_were(before: list[str], after: list[str]) -> None:
    present = dict(zip(before, _orders(before, {}), strict=True))
    orders = _orders(after, present)
    assert len(orders) == len(after)
    assert grows(orders)
    if after == [place for place in before if place in after]:
        assert orders == [present[place] for place in after]


@given(ARRANGED, EDITS)
def test_one_that_stays_between_the_same_ones_keeps_its_order(places: list[str], edits: list[tuple[str, int, int]]):
    present, made = dict(zip(places, _orders(places, {}), strict=True)), 0
    for text, number, other in edits:
        before = list(places)
        if text in ("delete", "move", "replace") and places:
            moved = places.pop(number % len(places))
            if text == "move":
                places.insert(other % (len(places) + 1), moved)
        if text in ("insert", "replace"):
            made += 1
            places.insert(other % (len(places) + 1), f"content/new{made}")
        orders = dict(zip(places, _orders(places, present), strict=True))
        assert grows(list(orders.values()))
        if text != "move":
            assert {place: order for place, order in orders.items() if place in before} == {
                place: present[place] for place in places if place in before
            }
        present = orders


def test_where_no_number_lies_between_two_all_are_numbered_anew() -> None:
    places, present = ["a", "b"], {"a": 0.0, "b": 1.0}
    renumbered = 0
    for number in range(200):
        places.insert(-1, f"n{number}")
        after = dict(zip(places, _orders(places, present), strict=True))
        assert grows(list(after.values()))
        renumbered += after["b"] != present["b"]
        present = after
    assert 1 <= renumbered <= 5


PARAGRAPHS = [f"Paragraph {number} tells that {f'word{number} ' * 70}ends here." for number in range(8)]


class Followed:
    """The rows of one node, made from one text after the other."""

    def __init__(self) -> None:
        self.rows: list[dict[str, object]] = []
        self.seq = 0

    def becomes(self, *texts: str | None) -> tuple[int, int]:
        """Go through a page of texts, None for a deletion; tell how many rows it made and how many it ended."""
        owner, changes = SubjectRows("d", [_open(row) for row in self.current()], []), Changes()
        for text in texts:
            self.seq += 1
            owner.add_changes(version_of(_event(self.seq, text), text, None), changes)
        owner.add_current_rows(changes)
        for row in self.current():
            if ended := changes.closed.get("a", {}).get(str(row["_place"])):
                row["_until"] = ended["until"]  # type: ignore[index]
        made = [created["passage"] for created in changes.created]
        self.rows += made  # type: ignore[arg-type]
        return len(made), len(changes.closed.get("a", {}))

    def current(self, at: int = END - 1) -> list[dict[str, object]]:
        return [row for row in self.rows if int(str(row["_since"])) <= at < int(str(row["_until"]))]

    def texts_at(self, at: int) -> list[tuple[str, str]]:
        rows = sorted(self.current(at), key=lambda row: float(str(row["_order"])))
        return [(str(row["_place"]), str(row["_text"])) for row in rows]


def _open(row: dict[str, object]) -> OpenPassage:
    return OpenPassage(Passage.from_row(row), int(str(row["_since"])), int(str(row["_at"])))


def _event(seq: int, text: str | None) -> Event:
    at = BEGIN + timedelta(seconds=seq)
    content = Content(data=(text or "").encode(), encoding="utf-8", format="text")
    state = {
        "_title": "Note",
        "_created": BEGIN,
        "_modified": at,
        "_content_sha256": content.sha256,
        "_content_format": content.format,
        "_content_encoding": content.encoding,
        "_content_size": content.size,
    }
    op = Op.DELETE if text is None else Op.CREATE if seq == 1 else Op.UPDATE
    draft = Draft(op=op, kind=Kind.NODE, subject="a", type="Note", state=None if text is None else state)
    return Event(domain="d", seq=seq, id=f"e{seq}", at=at, batch="b", origin=Origin(), draft=draft)


TEXT = st.one_of(st.none(), st.lists(st.sampled_from(PARAGRAPHS), max_size=8).map("\n\n".join))


@given(st.lists(st.tuples(TEXT, st.booleans()), min_size=1, max_size=8))
def test_versions_in_any_pages_leave_the_rows_that_each_would_by_itself(texts: list[tuple[str | None, bool]]) -> None:
    one_by_one, in_pages = Followed(), Followed()
    page: list[str | None] = []
    for text, is_last in texts:
        one_by_one.becomes(text)
        page.append(text)
        if is_last:
            in_pages.becomes(*page)
            page = []
    in_pages.becomes(*page)
    for seq, (text, _) in enumerate(texts, 1):
        alone = Followed()
        alone.becomes(text)
        assert one_by_one.texts_at(seq) == in_pages.texts_at(seq) == alone.texts_at(1)


def test_a_paragraph_on_top_touches_few_of_a_hundred_rows() -> None:
    text = "\n\n".join(f"Paragraph {number} says {f'word{number} ' * 80}." for number in range(100))
    followed = Followed()
    assert followed.becomes(text)[0] >= 100
    made, ended = followed.becomes(f"New on top. {'more ' * 80}.\n\n{text}")
    assert made <= 3
    assert ended <= 2
