"""Whether each way to find substrings finds what a scan in Python finds, in texts that are hard to search."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from neo4j.exceptions import Neo4jError

from benchmarks.choices.servers import Bench
from benchmarks.choices.texts import holding, odd_needles, odd_texts
from benchmarks.choices.windows import AWAIT, FILLED, SCHEMA, SIDES, finders
from graph_memory.model.text.search_windows import GRAM, fold

DOMAIN = "odd"
TEXTS, NEEDLES = 300, 1_500
ALL = 1_000_000
WORDS = "CREATE FULLTEXT INDEX words FOR (w:TextWindow) ON EACH [w._text]"
BY_WORDS = """CALL db.index.fulltext.queryNodes('words', $query) YIELD node
WHERE node._domain = $domain RETURN DISTINCT node._owner AS id ORDER BY id"""
SPECIAL = '+-!(){}[]^"~*?:\\/&|<> \t\n\r'


def exactness(bench: Bench) -> str:
    """Return the number of wrong results of each way. Half of the texts are not indexed yet."""
    bench.apply([*SCHEMA, WORDS])
    texts = {f"o{place:04}": text for place, text in enumerate(odd_texts(TEXTS))}
    _write(bench, texts)
    bench.run(AWAIT)
    needles = dict.fromkeys(odd_needles(list(texts.values()), NEEDLES))
    long = [needle for needle in needles if len(fold(needle)) >= GRAM]
    short = [needle for needle in needles if 0 < len(fold(needle)) < GRAM]
    folded = {owner: fold(text) for owner, text in texts.items()}
    lines = [
        f"| {name} | {_wrong(find, folded, long)} | {_wrong(find, folded, short) if _takes_short(name) else 'scans'} |"
        for name, find in _all_finders(bench).items()
    ]
    heading = f"| wrong answers, {TEXTS} texts | of {len(long):,} needles | of {len(short)} of 1 or 2 characters |"
    return "\n".join([heading, "|---|--:|--:|", *lines, ""])


def _write(bench: Bench, texts: Mapping[str, str]) -> None:
    halves = dict(list(texts.items())[::2]), dict(list(texts.items())[1::2])
    for side in FILLED:
        for half in halves:
            waits = side == "trigrams in the commit" and half is halves[1]
            SIDES["trigrams behind the searches (as built)" if waits else side].write(bench, DOMAIN, half)


def _takes_short(name: str) -> bool:
    return not name.startswith("trigrams")


def _all_finders(bench: Bench) -> Mapping[str, Callable[[str, str, int], Sequence[str]]]:
    def by_words(domain: str, needle: str, _: int) -> Sequence[str]:
        escaped = "".join(f"\\{text}" if text in SPECIAL else text for text in fold(needle))
        return [str(row["id"]) for row in bench.run(BY_WORDS, query=f"*{escaped}*", domain=domain)]

    return {**finders(bench), "full-text index of words, `*needle*`": by_words}


def _wrong(find: Callable[[str, str, int], Sequence[str]], texts: Mapping[str, str], needles: Sequence[str]) -> str:
    missed = added = refused = 0
    for needle in needles:
        right = set(holding(texts, needle))
        try:
            results = set(find(DOMAIN, needle, ALL))
        except Neo4jError:
            refused += 1
            continue
        missed += bool(right - results)
        added += bool(results - right)
    counts = {"missed": missed, "too many": added, "refused": refused}
    return ", ".join(f"{count} {label}" for label, count in counts.items() if count) or "none"
