"""Choice B: substrings found by a TEXT index on folded windows, or by their trigrams in a full-text index.

Each side keeps windows under a label of its own. `behind` is as built: a write adds the window without trigrams and
with a second label, and windows are indexed later, some at a time. What is indexed within the commit, or within that
transaction, shares one index with it.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass

from benchmarks.choices.report import table
from benchmarks.choices.servers import Bench, Row
from benchmarks.choices.statements import exchange_names, schema, together
from benchmarks.choices.texts import holding, needles, text_of
from benchmarks.choices.turns import Call, in_turns
from graph_memory.memory.graph.substring import BY_GRAMS, BY_SCAN, INDEX_WINDOWS, NEW_WINDOWS, NewWindow
from graph_memory.model.subjects.kinds import Step
from graph_memory.model.text.search_windows import Needle, fold, trigram_text, windows

BATCH = 500
AT_ONCE = 250
WAITING = 250
PAGE = 101
LARGE, SMALL, WRITES = "large", "small", "written"
"""Domains: what is asked, one of a tenth of its size beside it, and where measured writes go."""
EVENTUAL = "{`fulltext.analyzer`: 'whitespace', `fulltext.eventually_consistent`: true}"
AWAIT = "CALL db.index.fulltext.awaitEventuallyConsistentIndexRefresh()"
NONE, TEXT = {"_Window": "NoneWindow", "_NewWindow": "NoneNew"}, {"_NewWindow": "TextNew", "_Window": "TextWindow"}
LATE = {"_NewWindow": "LateNew", "_window_grams": "late_grams", "_Window": "LateWindow"}
BY_TEXT = exchange_names(BY_SCAN.text, TEXT).replace("WHERE", "USING TEXT INDEX w:TextWindow(_text)\nWHERE", 1)
TEXT_LATER = """MATCH (w:TextNew) WHERE w._domain = $domain AND w._owner > ''
WITH w LIMIT $limit SET w:TextWindow REMOVE w:TextNew RETURN count(*) AS found"""
"""How windows would be put into a TEXT index behind the searches: it needs nothing but the label."""


@dataclass(frozen=True)
class Side:
    """How windows are written."""

    labels: str
    grams: bool = False

    def write(self, bench: Bench, domain: str, texts: Mapping[str, str]) -> None:
        """Write nodes with their windows, in one statement."""
        nodes = [_node(domain, owner) for owner in texts]
        self._run(bench, together(Step.PUT_NODES, Step.PUT_WINDOWS), domain, texts, nodes)

    def fill(self, bench: Bench, domain: str, texts: Mapping[str, str]) -> None:
        """Write windows without nodes."""
        self._run(bench, together(Step.PUT_WINDOWS), domain, texts, ())

    def _run(self, bench: Bench, put: str, domain: str, texts: Mapping[str, str], nodes: Sequence[Row]) -> None:
        rows = [row for owner, text in texts.items() for row in self._rows(domain, owner, text)]
        statement = put.replace(NEW, self.labels)
        bench.run(statement, domain=domain, rows={"put_nodes": nodes, "put_windows": rows})

    def _rows(self, domain: str, owner: str, text: str) -> Sequence[Row]:
        rows: list[Row] = [
            {"_domain": domain, "_owner": owner, "_type": "Thing", "_place": place, "_text": window}
            for place, window in enumerate(windows(text))
        ]
        return [row | {"_grams": trigram_text(domain, str(row["_text"]))} for row in rows] if self.grams else rows


def _node(domain: str, owner: str) -> Row:
    state = {"_domain": domain, "_id": owner, "_type": "Thing", "_version": 1, "_title": f"Thing {owner}"}
    return {"id": owner, "type": "Thing", "content": None, "state": state}


NEW = ":_Window:_NewWindow"
SIDES = {
    "no search index": Side(":NoneWindow"),
    "trigrams behind the searches (as built)": Side(NEW),
    "TEXT in the commit": Side(":TextWindow"),
    "trigrams in the commit": Side(":_Window", grams=True),
    "trigrams, eventually consistent (unsafe)": Side(":LateWindow", grams=True),
}
FILLED = [name for name in SIDES if "as built" not in name]
"""The sides with windows of their own: what was indexed behind is as what was indexed in the commit."""
SCHEMA = (
    *schema(),
    "CREATE INDEX none_owner FOR (w:NoneWindow) ON (w._domain, w._owner)",
    "CREATE INDEX text_owner FOR (w:TextWindow) ON (w._domain, w._owner)",
    "CREATE INDEX text_new FOR (w:TextNew) ON (w._domain, w._owner)",
    "CREATE TEXT INDEX text_windows FOR (w:TextWindow) ON (w._text)",
    "CREATE INDEX late_owner FOR (w:LateWindow) ON (w._domain, w._owner)",
    "CREATE INDEX late_new FOR (w:LateNew) ON (w._domain, w._owner)",
    f"CREATE FULLTEXT INDEX late_grams FOR (w:LateWindow) ON EACH [w._grams] OPTIONS {{indexConfig: {EVENTUAL}}}",
)
Find = Callable[[str, str, int], Sequence[str]]
"""Looks for a needle in a domain, at most so many."""


def finders(bench: Bench) -> Mapping[str, Find]:
    """Return the function of each side that finds a needle of three characters or more."""

    def by_grams(statement: str) -> Find:
        def find(domain: str, needle: str, limit: int) -> Sequence[str]:
            parsed = Needle.of(needle)
            row, _ = bench.run(statement, grams=parsed.lucene(domain), **_parameters(domain, parsed, limit))
            return sorted({node_id for ids, _ in row["_rows"] for node_id in ids})  # pyright: ignore

        return find

    def by_text(statement: str) -> Find:
        def find(domain: str, needle: str, limit: int) -> Sequence[str]:
            return [str(row["id"]) for row in bench.run(statement, **_parameters(domain, Needle.of(needle), limit))]

        return find

    late = by_grams(exchange_names(BY_GRAMS.text, LATE))

    def await_and_find(domain: str, needle: str, limit: int) -> Sequence[str]:
        bench.run(AWAIT)
        return late(domain, needle, limit)

    return {
        "trigrams (as built)": by_grams(BY_GRAMS.text),
        "TEXT": by_text(BY_TEXT),
        "trigrams, eventually consistent": await_and_find,
        "no index (scan of the domain)": by_text(exchange_names(BY_SCAN.text, NONE)),
    }


def _parameters(domain: str, needle: Needle, limit: int) -> Row:
    return {"domain": domain, "needle": needle.probe, "type": None, "after": "", "limit": limit}


def measure_windows(bench: Bench, size: int, rounds: int) -> Iterator[str]:
    """Yield what choice B measures at a size."""
    bench.apply(SCHEMA)
    texts = {f"n{place:07}": text_of(place) for place in range(size + size // 10)}
    yield _disk(size + size // 10, _fill_sides(bench, size, texts))
    yield from _reads(bench, size, texts, rounds)
    yield from _writes(bench, rounds)
    yield _later(bench, rounds)


INDEXES = dict(zip(FILLED, ("", "text_windows", "_window_grams", "late_grams"), strict=True))


def _fill_sides(bench: Bench, size: int, texts: Mapping[str, str]) -> Mapping[str, tuple[int, int]]:
    """Write all sides, one after the other; return the bytes that each added, without and in its search index."""
    owners, sizes = list(texts), dict[str, tuple[int, int]]()
    before = _stored_bytes(bench)[0]
    for name in FILLED:
        for domain, some in ((LARGE, owners[:size]), (SMALL, owners[size:])):
            for start in range(0, len(some), BATCH):
                SIDES[name].fill(bench, domain, {owner: texts[owner] for owner in some[start : start + BATCH]})
        after, indexes = _stored_bytes(bench)
        sizes[name], before = (after - before, indexes.get(INDEXES[name], 0)), after
    return sizes


def _stored_bytes(bench: Bench) -> tuple[int, Mapping[str, int]]:
    """Return the bytes on disk without the search indexes, which merge at their own times, and of each index."""
    size, indexes = bench.stored_bytes(), bench.index_sizes()
    return size - sum(indexes.get(name, 0) for name in INDEXES.values()), indexes


def _reads(bench: Bench, size: int, texts: Mapping[str, str], rounds: int) -> Iterator[str]:
    folded = [(owner, fold(text)) for owner, text in texts.items()]
    large, small = dict(folded[:size]), dict(folded[size:])
    needles_by_label = needles(list(texts.values())[:size])
    for label, needle in needles_by_label.items():
        yield _read(bench, LARGE, needle, (f"{size:,} nodes: {label}", large), rounds)
    common = f"{len(small):,} nodes of another domain: the word of 1 in 10 texts"
    yield _read(bench, SMALL, needles_by_label["a word of 1 in 10 texts"], (common, small), rounds)
    new = {f"new{place}": text_of(-place - 1) for place in range(WAITING)}
    SIDES["trigrams behind the searches (as built)"].write(bench, LARGE, new)
    waiting = f"{size:,} nodes: the word of one text, while {WAITING} new windows wait (as built)"
    yield _read(bench, LARGE, needles_by_label["a word of one text"], (waiting, large), rounds)


def _read(bench: Bench, domain: str, needle: str, labelled_texts: tuple[str, Mapping[str, str]], rounds: int) -> str:
    heading, texts = labelled_texts
    right = holding(texts, needle)

    def asking(name: str, find: Find) -> Call:
        def ask() -> None:
            results = find(domain, needle, PAGE)
            assert list(results) == right[:PAGE], (name, heading, needle, sorted({*results} ^ {*right[:PAGE]}))

        return ask

    sides = {name: asking(name, find) for name, find in finders(bench).items()}
    return table(f"{heading} ({len(right):,} hits)", in_turns(bench.server.pid, sides, rounds=rounds, turn=20))


def _writes(bench: Bench, rounds: int) -> Iterator[str]:
    def writing(side: Side, count: int) -> Call:
        def write() -> None:
            texts = {secrets.token_hex(8): text_of(secrets.randbelow(10**6)) for _ in range(count)}
            side.write(bench, WRITES, texts)

        return write

    def settle() -> None:
        bench.run(AWAIT)

    single = {name: writing(side, 1) for name, side in SIDES.items()}
    batch = {name: writing(side, BATCH) for name, side in SIDES.items()}
    pid = bench.server.pid
    yield table("A new node with one window", in_turns(pid, single, rounds=rounds, turn=20, settle=settle))
    yield table(f"{BATCH} of them in one write", in_turns(pid, batch, rounds=rounds, turn=1, settle=settle))


def _later(bench: Bench, rounds: int) -> str:
    """Return the cost of indexing behind the searches."""
    while _index_grams(bench):
        pass
    text = Side(":TextNew")

    def after(side: Side, index: Callable[[Bench], int]) -> Call:
        def call() -> None:
            assert index(bench) == AT_ONCE

        for _ in range(rounds + 2):
            side.write(bench, WRITES, {secrets.token_hex(8): text_of(secrets.randbelow(10**6)) for _ in range(AT_ONCE)})
        return call

    sides = {
        "trigrams (as built)": after(SIDES["trigrams behind the searches (as built)"], _index_grams),
        "TEXT": after(text, _index_text),
    }
    return table(f"Indexing {AT_ONCE} new windows", in_turns(bench.server.pid, sides, rounds=rounds, turn=1))


def _index_grams(bench: Bench) -> int:
    new = [NewWindow(**row) for row in bench.run(NEW_WINDOWS.text, domain=WRITES, limit=AT_ONCE)]  # pyright: ignore[reportArgumentType]
    rows = [asdict(window) | {"grams": trigram_text(WRITES, window.text)} for window in new]
    [row] = bench.run(INDEX_WINDOWS.text, domain=WRITES, rows=rows)
    return int(str(row["found"]))


def _index_text(bench: Bench) -> int:
    [row] = bench.run(TEXT_LATER, domain=WRITES, limit=AT_ONCE)
    return int(str(row["found"]))


def _disk(count: int, sizes: Mapping[str, tuple[int, int]]) -> str:
    lines = [
        f"| {name} | {rows / 2**20:.1f} | {index / 2**20:.1f} | {(rows + index) / count:,.0f} |"
        for name, (rows, index) in sizes.items()
    ]
    heading = f"| {count:,} windows on disk | rows, MiB | search index, MiB | bytes a window |"
    return "\n".join([heading, "|---|--:|--:|--:|", *lines, ""])
