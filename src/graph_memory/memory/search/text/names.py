"""Names that stand whole in a text: of nodes, of documents, of whatever else bears one."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import takewhile

import regex

from graph_memory.memory.search.text.segmentation import ALONE, SYLLABLES, composed

COMMON = 5
COMMON_PART = 0.01
"""A name in more texts than these, and than this part of them, says too little to lead anywhere."""
_SIMPLE = re.compile(r"[\0-\u02c1\u1e00-\u1eff\u2010-\u2027]*+")
_SIMPLE_WORD = re.compile(r"[^\W_]+")
_WORD = regex.compile(
    rf"(?=\p{{LB=SA}})\X|[{ALONE}{SYLLABLES}]\p{{M}}*+|(?![\p{{M}}\u200c\u200d])(?:(?![\p{{LB=SA}}{ALONE}{SYLLABLES}_])[\w\p{{N}}])++",
    regex.VERSION1,
)
"""A word; of scripts that put no spaces between words or endings on names, a grapheme."""
_QUALIFIER = re.compile(r"\s*\([^()]*\)\s*$")


@dataclass(frozen=True, slots=True)
class Mention:
    """A name that stands in a text, and how many bear it."""

    name: str
    namesakes: int


Word = re.Match[str] | regex.Match[str]
"""A word where it stands in a text."""
_MOST_SIGNS = 16
_SIGNS = frozenset("+#%&@-−±°")
"""Signs that belong to the name beside which they stand, as currencies and combining marks do: `C++`, `O-`."""
_Key = tuple[tuple[str, ...], str, str]
"""The words of a name, and the signs before and after them."""


def words(text: str) -> list[str]:
    """Return the words of a text in order, folded: what names are compared by.

    A row of a name holds the longest of them, which few names share, so that those of a text find every name that may
    stand in it.
    """
    return [_folded(word[0]) for word in _find_words(text)]


def _find_words(text: str) -> list[Word]:
    """Return the words of a text as written, however their accents are encoded."""
    text = composed(text)
    return list((_SIMPLE_WORD if _SIMPLE.fullmatch(text) else _WORD).finditer(text))


def _key(written: Sequence[Word]) -> _Key:
    """Return what a run of words is compared by."""
    first, last = written[0], written[-1]
    start, end = first.start(), last.end()
    before, after = first.string[max(0, start - _MOST_SIGNS) : start][::-1], last.string[end : end + _MOST_SIGNS]
    return tuple(_folded(word[0]) for word in written), _adjacent_symbols(before)[::-1], _adjacent_symbols(after)


def _adjacent_symbols(beside: str) -> str:
    """Return the symbols next to a word, nearest first; none if they join it to another word, as in `C-based`."""
    signs = "".join(takewhile(_is_sign, beside))
    return "" if beside[len(signs) : len(signs) + 1].isalnum() else signs


def _is_sign(character: str) -> bool:
    category = unicodedata.category(character)
    return character in _SIGNS or category == "Sc" or category.startswith("M")


def forms(name: str) -> tuple[str, ...]:
    """Return a name, and the name without what only tells it from others, as in `Mercury (planet)`."""
    short = _QUALIFIER.sub("", name)
    return (name,) if short in ("", name) else (name, short)


def is_common(having: int, texts: int) -> bool:
    """Whether a name that so many of the texts of a domain have is no name to go by."""
    return having > max(COMMON, COMMON_PART * texts)


def mentioned(text: str, names: Mapping[str, Collection[str]], *, capitalised: bool = True) -> dict[str, Mention]:
    """Return the owners whose names stand whole in a text, each with the name that the fewest bear.

    `names` says who bears a name. Upper and lower case are the same, but a name of one word counts only where the text
    has it with a capital, since many names are words as well; `capitalised` switches that off.
    """
    mentions: dict[str, Mention] = {}
    for name, owners in _standing(text, names, capitalised=capitalised):
        mention = Mention(name, len(owners))
        for owner in owners:
            if owner not in mentions or _rank(mention) < _rank(mentions[owner]):
                mentions[owner] = mention
    return mentions


def _standing(
    text: str, names: Mapping[str, Collection[str]], *, capitalised: bool
) -> Iterator[tuple[str, frozenset[str]]]:
    """Give the names that stand in a text, with all who bear them however they write them."""
    bearers: dict[_Key, set[str]] = {}
    written: dict[_Key, str] = {}
    for name in sorted(names):
        if results := _find_words(name):
            key = _key(results)
            bearers.setdefault(key, set()).update(names[name])
            written.setdefault(key, name)
    plain = _find_words(text)
    folded = [_folded(word[0]) for word in plain]
    for key in _match_names(plain, folded, {key[0] for key in bearers}).keys() & bearers.keys():
        if len(key[0]) > 1 or not capitalised or _has_capital("".join(key[0]), plain, folded):
            yield written[key], frozenset(bearers[key])


def _match_names(plain: Sequence[Word], folded: Sequence[str], wanted: Collection[tuple[str, ...]]) -> dict[_Key, None]:
    """Return the keys of the word sequences in a text that equal a name."""
    lengths = {len(each) for each in wanted}
    runs = ((start, start + length) for length in lengths for start in range(len(folded) - length + 1))
    return {_key(plain[start:end]): None for start, end in runs if tuple(folded[start:end]) in wanted}


def _has_capital(word: str, plain: Sequence[Word], folded: Sequence[str]) -> bool:
    return any(
        each[0][0].isupper() or each[0][0].istitle() for each, same in zip(plain, folded, strict=True) if same == word
    )


def _folded(word: str) -> str:
    return unicodedata.normalize("NFKC", word).casefold()


def _rank(mention: Mention) -> tuple[int, int, str]:
    return mention.namesakes, -len(mention.name), mention.name
