"""Texts with the words of Python's own documentation, as often as they occur there, and needles to look for in them."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from itertools import accumulate
from pydoc_data.topics import topics

from graph_memory.model.text.search_windows import fold, split_trigrams

WORDS = 80


@cache
def _vocabulary() -> tuple[Sequence[str], Sequence[int]]:
    counts = Counter(word for topic in topics.values() for word in topic.split())
    return list(counts), list(accumulate(counts.values()))


def text_of(place: int) -> str:
    """Return the text of a place: about 80 words, one of them its own."""
    words, weights = _vocabulary()
    return " ".join([*random.Random(place).choices(words, cum_weights=weights, k=WORDS - 1), f"ticket-{place:07}"])


def needles(texts: Sequence[str]) -> Mapping[str, str]:
    """Return the needles by their label. A tenth of the texts is enough to choose them."""
    some = [fold(text) for text in texts[: max(len(texts) // 10, 100)]]
    words = Counter(word for text in some for word in set(text.split()) if len(word) > 3)
    tokens = Counter(token for text in some for token in split_trigrams(text) if token.isalpha())
    middle = len(texts) // 2
    return {
        "a word of one text": f"ticket-{middle:07}",
        "a word of 1 in 10 texts": _nearest(words, some, 0.1),
        "a word of most texts": _nearest(words, some, 1.0),
        "3 characters of 1 in 100 texts": _nearest(tokens, some, 0.01),
        "a phrase of 150 characters": texts[middle][100:250],
        "nothing, but each half is there": texts[middle][100:140] + texts[middle - 1][100:140],
    }


def _nearest(counts: Mapping[str, int], texts: Sequence[str], share: float) -> str:
    """Return the candidate whose share of the texts is nearest; the likely ones are counted as substrings."""
    wanted = share * len(texts)
    likely = sorted(counts, key=lambda candidate: (abs(counts[candidate] - wanted), candidate))[:50]
    return min(likely, key=lambda candidate: (abs(sum(candidate in text for text in texts) - wanted), candidate))


def holding(texts: Mapping[str, str], needle: str) -> Sequence[str]:
    """Return the owners of the folded texts that hold a needle, in order: a scan, which is what must be found."""
    probe = fold(needle)
    return sorted(owner for owner, text in texts.items() if probe in text)


ODD = [
    *"aAbBßẞſﬁﬀİıiIΣσςÅéŉǰ漢字かな한글אבعر .,:;-_/\\\"'`*?+!(){}[]^~&|<>$%#@=\t\n",
    *["e\u0301", "\u0301", "क्षि", "İstanbul", "straße", "STRASSE", "ﬁne", "fine", "AND", "OR", "NOT", " && "],
    *[
        "\u00a0",
        "\u2003",
        "\u2028",
        "\u3000",
        "\u200b",
        "\ufeff",
        "\r\n",
        "🧠",
        "👩‍👩‍👧",
        "🏳️‍🌈",
        "\U0010ffff",
        "\ue000",
        "\x00",
    ],
]


def odd_texts(count: int) -> Sequence[str]:
    """Return texts of what is hard to search: scripts, ligatures, folding, punctuation, operators, white space."""
    chance = random.Random(1)
    return ["".join(chance.choices(ODD, k=chance.choice([5, 40, 400, 3_000]))) for _ in range(count)]


def odd_needles(texts: Sequence[str], count: int) -> Iterable[str]:
    """Yield needles cut from the texts, in changed case, and some that were made in the same way as the texts."""
    chance = random.Random(2)
    changes: Sequence[Callable[[str], str]] = (str, str.upper, str.swapcase, str.casefold)
    for place in range(count):
        text, length = chance.choice(texts), chance.choice([1, 2, 3, 4, 5, 8, 20, 100])
        start = chance.randrange(max(len(text) - length, 1))
        made = "".join(chance.choices(ODD, k=chance.randrange(1, 4)))
        yield chance.choice(changes)(made if place % 5 == 0 else text[start : start + length])
