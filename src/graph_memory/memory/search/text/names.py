"""Finds the names of nodes, documents and other subjects in a text. A name must occur as whole words."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import takewhile

import regex

from graph_memory.memory.search.text.segmentation import ALONE, SYLLABLES, normalise_text

COMMON = 5
COMMON_PART = 0.01
"""A name in more than this number of texts, and in more than this share of all texts, is too common to identify a
node."""
_SIMPLE = re.compile(r"[\0-\u02c1\u1e00-\u1eff\u2010-\u2027]*+")
_SIMPLE_WORD = re.compile(r"[^\W_]+")
_WORD = regex.compile(
    rf"(?=\p{{LB=SA}})\X|[{ALONE}{SYLLABLES}]\p{{M}}*+|(?![\p{{M}}\u200c\u200d])(?:(?![\p{{LB=SA}}{ALONE}{SYLLABLES}_])[\w\p{{N}}])++",
    regex.VERSION1,
)
"""A word. In scripts without spaces, or with endings on names, each grapheme is a word."""
_QUALIFIER = re.compile(r"\s*\([^()]*\)\s*$")


@dataclass(frozen=True, slots=True)
class Mention:
    """A name that occurs in a text, and how many nodes have it."""

    name: str
    namesakes: int


Word = re.Match[str] | regex.Match[str]
"""A word and its position in a text."""
_MOST_SIGNS = 16
_SIGNS = frozenset("+#%&@-−±°")
"""Symbols that are part of the adjacent name, as in `C++` and `O-`, besides currency signs and combining marks."""
_Key = tuple[tuple[str, ...], str, str]
"""A name's words, and the symbols before and after them."""


def split_words(text: str) -> list[str]:
    """Return a text's case-folded words in order. Names are compared by these words.

    A name's row contains its longest word, which few names share. The words of a text therefore select every name that
    may occur in it.
    """
    return [*iterate_words(text)]


def iterate_words(text: str) -> Iterator[str]:
    """Yield the words that `split_words` returns, one by one, so that a caller can stop early."""
    return (_fold(word[0]) for word in _find_words(text))


def _find_words(text: str) -> Iterator[Word]:
    """Yield a text's words as written, in any encoding of accents."""
    text = normalise_text(text)
    return (_SIMPLE_WORD if _SIMPLE.fullmatch(text) else _WORD).finditer(text)


def _name_key(name_words: Sequence[Word]) -> _Key:
    """Return a name's comparison key: its folded words, and the symbols before and after them."""
    first, last = name_words[0], name_words[-1]
    start, end = first.start(), last.end()
    before, after = first.string[max(0, start - _MOST_SIGNS) : start][::-1], last.string[end : end + _MOST_SIGNS]
    return tuple(_fold(word[0]) for word in name_words), _adjacent_symbols(before)[::-1], _adjacent_symbols(after)


def _adjacent_symbols(beside: str) -> str:
    """Return the symbols at the start of `beside`, or "" if they join the word to another word, as in `C-based`.

    `beside` is the text next to the word, nearest character first.
    """
    signs = "".join(takewhile(_is_sign, beside))
    return "" if beside[len(signs) : len(signs) + 1].isalnum() else signs


def _is_sign(character: str) -> bool:
    category = unicodedata.category(character)
    return character in _SIGNS or category == "Sc" or category.startswith("M")


def name_variants(name: str) -> tuple[str, ...]:
    """Return a name, and the name without its qualifier, such as `Mercury` for `Mercury (planet)`."""
    short = _QUALIFIER.sub("", name)
    return (name,) if short in ("", name) else (name, short)


def is_common(having: int, texts: int) -> bool:
    """Return whether a name occurs in too many of a domain's texts to identify a node."""
    return having > max(COMMON, COMMON_PART * texts)


def find_mentions(text: str, names: Mapping[str, Collection[str]], *, capitalised: bool = True) -> dict[str, Mention]:
    """Return the owners whose full names occur in a text, each with its rarest name.

    `names` maps names to their owners. Case is ignored. However, many names are also ordinary words, so a one-word name
    counts only if it is capitalised in the text. `capitalised=False` disables this rule.
    """
    mentions: dict[str, Mention] = {}
    for name, owners in _find_names(text, names, capitalised=capitalised):
        mention = Mention(name, len(owners))
        for owner in owners:
            if owner not in mentions or _rank(mention) < _rank(mentions[owner]):
                mentions[owner] = mention
    return mentions


def _find_names(
    text: str, names: Mapping[str, Collection[str]], *, capitalised: bool
) -> Iterator[tuple[str, frozenset[str]]]:
    """Yield the names in a text, each with the owners of all its spellings."""
    owners_by_key: dict[_Key, set[str]] = {}
    name_by_key: dict[_Key, str] = {}
    for name in sorted(names):
        if name_words := list(_find_words(name)):
            key = _name_key(name_words)
            owners_by_key.setdefault(key, set()).update(names[name])
            name_by_key.setdefault(key, name)
    text_words = list(_find_words(text))
    folded_words = [_fold(word[0]) for word in text_words]
    for key in _match_names(text_words, folded_words, {key[0] for key in owners_by_key}).keys() & owners_by_key.keys():
        if len(key[0]) > 1 or not capitalised or _has_capital("".join(key[0]), text_words, folded_words):
            yield name_by_key[key], frozenset(owners_by_key[key])


def _match_names(
    text_words: Sequence[Word], folded_words: Sequence[str], keys: Collection[tuple[str, ...]]
) -> dict[_Key, None]:
    """Return a key for each position in a text at which a name's words occur in sequence."""
    lengths = {len(key) for key in keys}
    runs = ((start, start + length) for length in lengths for start in range(len(folded_words) - length + 1))
    return {_name_key(text_words[start:end]): None for start, end in runs if tuple(folded_words[start:end]) in keys}


def _has_capital(folded_name: str, text_words: Sequence[Word], folded_words: Sequence[str]) -> bool:
    return any(
        match[0][0].isupper() or match[0][0].istitle()
        for match, folded_word in zip(text_words, folded_words, strict=True)
        if folded_word == folded_name
    )


def _fold(word: str) -> str:
    return unicodedata.normalize("NFKC", word).casefold()


def _rank(mention: Mention) -> tuple[int, int, str]:
    return mention.namesakes, -len(mention.name), mention.name
