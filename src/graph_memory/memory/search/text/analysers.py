"""Words as the analysers of Neo4j's full-text indexes make them, by which the words of a domain are scored.

Each has the words of `segmentation`, and then leaves out stop words and endings as its language does. It is meant for
scores, not for exact agreement. What Lucene finds, these find too.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import groupby, pairwise
from operator import itemgetter

from graph_memory.memory.search.text import stemming
from graph_memory.memory.search.text.segmentation import (
    ALONE,
    SYLLABLES,
    before_apostrophe,
    composed,
    has_apostrophe,
    is_unspaced,
    lower,
    needs_splitting,
    runs,
    split_run,
)
from graph_memory.memory.search.text.stemming import Stem
from graph_memory.memory.search.text.stop_words import STOP_WORDS

_POSSESSIVE = re.compile(r"['’]s$")
_FRENCH_ARTICLE = re.compile(r"^(?:[lmtnsjdc]|qu|jusqu|quoiqu|lorsqu|puisqu)['’]")
_ITALIAN_ARTICLE = re.compile(r"^(?:[clmtsvd]|un|(?:[dns]e|a|da|su|co|pe)ll|(?:[dns]e|a|da|su)?gl)['’]")
_WIDE = re.compile(r"[\uff10-\uff19\uff21-\uff3a\uff41-\uff5a\uff66-\uff9f]+")
"""Letters of half or full width."""
_IDEOGRAPH = re.compile(f"[{ALONE}]")
_SYLLABLE = re.compile(f"[{SYLLABLES}]")
_CACHED = 65_536

# What asks and what only helps to ask says nothing of the answer. Pronouns stay: they are the words of a conversation.
_ASKING = """
    what when where who whom whose which why how do does did is are was were be been being am has have had having can
    could will would shall should may might must
"""


@dataclass(frozen=True, eq=False)
class Analyser:
    """An analyser of Neo4j, and how to make terms of words as it does."""

    name: str
    """Its name in Neo4j."""
    stop_words: frozenset[str]
    stem_of: Stem = str
    plain: Callable[[str], str] = lower
    """Gives a word in lower case, without what says nothing about it."""
    asking: frozenset[str] = frozenset()
    """Words that only ask."""
    in_pairs: bool = False
    """Whether each two ideographs or syllables that stand together are a term."""
    widths: bool = False
    """Whether letters of half and full width are the same."""
    keeps_initials: bool = False
    """Whether each term begins with the letter with which its words begin."""

    def words(self, text: str) -> list[str]:
        """Return the words of a text in lower case, without possessives or articles that stand with them."""
        return [self.plain(word) for word in self._found(text)]

    def terms(self, text: str, of: Callable[[str], str] | None = None) -> list[str]:
        """Return the terms of a text in order, nothing in the place of a stop word; `of` may know terms of its own."""
        results = self._found(text)
        if not text.isascii():
            results = [part for word in results for part in ((word,) if word.isascii() else self.parts(word))]
        if has_apostrophe(text):
            results = [each for word in results for each in (word, *self._stem_before(word))]
        return list(map(of or self.term_of, results))

    def _stem_before(self, word: str) -> list[str]:
        """Return the part of a word before an apostrophe, if it is not the whole term of the word already."""
        part = before_apostrophe(word)
        return [part] if part and self.plain(part) != self.plain(word) else []

    def parts(self, word: str) -> list[str]:
        """Split a word of a script without spaces into the terms that the index stores; keep other words."""
        if not needs_splitting(word):
            return [word]
        groups = self._grouped(word)
        return [part for paired, group in groups for part in (_bigrams(group) if paired and self.in_pairs else group)]

    def runs(self, word: str) -> list[str]:
        """Return a word, or of a script without spaces what is looked for: each two units that stand together."""
        if not needs_splitting(word):
            return [word]
        return [
            part
            for paired, group in self._grouped(word)
            for part in (_bigrams(group, "" if paired else " ") if paired or is_unspaced(group[0]) else group)
        ]

    def _grouped(self, word: str) -> Iterator[tuple[bool, list[str]]]:
        """Give the units of a word in groups, and whether each is of ideographs and the like; others stand alone."""
        every = split_run(word)
        if self.in_pairs:
            every = [part for unit in every for part in (_SYLLABLE.findall(unit) if _SYLLABLE.match(unit) else [unit])]
        kinds = ((_kind_of(unit, is_syllabic=self.in_pairs), unit) for unit in every)
        for kind, group in groupby(kinds, key=itemgetter(0)):
            results = [unit for _, unit in group]
            yield from [(kind == "pairable", results)] if kind else ((False, [unit]) for unit in results)

    def stem(self, word: str) -> str:
        """Return the term of a word that `words` gives, or nothing for a stop word."""
        return "" if word in self.stop_words else self.stem_of(word)

    def _found(self, text: str) -> list[str]:
        text = composed(text)
        if self.widths and not text.isascii():
            text = _WIDE.sub(lambda wide: unicodedata.normalize("NFKC", wide[0]), text)
        return runs(text)

    @cached_property
    def term_of(self) -> Callable[[str], str]:
        """Gives the term of a word as it stands in a text, or nothing for a stop word."""

        def term(word: str) -> str:
            return self.stem(self.plain(word))

        return lru_cache(maxsize=_CACHED)(term)

    @cached_property
    def is_nothing(self) -> Callable[[str], bool]:
        """Says whether a word as it stands in a text has no term: stop words, and what a stemmer leaves nothing of."""

        def nothing(word: str) -> bool:
            return (plain := self.plain(word)) in self.stop_words or plain == "s"

        return lru_cache(maxsize=_CACHED)(nothing)


def _bigrams(group: Sequence[str], between: str = "") -> list[str]:
    """Return each pair of adjacent units, or the only unit."""
    return [f"{first}{between}{second}" for first, second in pairwise(group)] or list(group)


def _kind_of(unit: str, *, is_syllabic: bool) -> str:
    """Return what a unit of a script without spaces is; nothing for a word between spaces."""
    if _IDEOGRAPH.match(unit) or (is_syllabic and _SYLLABLE.match(unit)):
        return "pairable"
    return "" if unit.isascii() or not is_unspaced(unit) else "unspaced"


def _without(affix: re.Pattern[str]) -> Callable[[str], str]:
    return lambda word: affix.sub("", lower(word))


def _of_language(name: str, stem: Stem, plain: Callable[[str], str] = lower) -> Analyser:
    return Analyser(name, STOP_WORDS[name], stem, plain)


ENGLISH = Analyser(
    "english",
    STOP_WORDS["english"],
    stemming.snowball("porter"),
    _without(_POSSESSIVE),
    asking=frozenset(_ASKING.split()),
    keeps_initials=True,
)
_EVERY = (
    ENGLISH,
    Analyser("standard-folding", STOP_WORDS["english"], stemming.folded),
    Analyser("cjk", STOP_WORDS["cjk"], in_pairs=True, widths=True),
    _of_language("danish", stemming.snowball("danish")),
    _of_language("dutch", stemming.snowball("dutch_porter")),
    _of_language("finnish", stemming.snowball("finnish")),
    _of_language("french", stemming.french, _without(_FRENCH_ARTICLE)),
    _of_language("german", stemming.german),
    _of_language("italian", stemming.italian, _without(_ITALIAN_ARTICLE)),
    _of_language("norwegian", stemming.snowball("norwegian")),
    _of_language("portuguese", stemming.portuguese),
    _of_language("russian", stemming.snowball("russian")),
    _of_language("spanish", stemming.spanish),
    _of_language("swedish", stemming.snowball("swedish")),
)
ANALYSERS = {each.name: each for each in _EVERY}
"""Those that a domain may have."""
