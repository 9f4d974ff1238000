"""Tokenizers that mirror the analysers of Neo4j's full-text indexes, for the word scores of a domain.

Each tokenizer splits words with `segmentation`, and removes its language's stop words and endings. Tokenizers are used
for scoring and may differ from Lucene, but they match wherever Lucene matches.
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
    has_apostrophe,
    is_unspaced,
    lower_case,
    needs_splitting,
    normalise_text,
    split_run,
    split_words_and_runs,
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

# Question words and auxiliary verbs say nothing about the answer. Pronouns are kept, because conversations often
# contain them.
_QUESTION_WORDS = """
    what when where who whom whose which why how do does did is are was were be been being am has have had having can
    could will would shall should may might must
"""


@dataclass(frozen=True, eq=False)
class Analyser:
    """A tokenizer that turns words into the same terms as one of Neo4j's analysers."""

    name: str
    """The name of the analyser in Neo4j."""
    stop_words: frozenset[str]
    stem_of: Stem = str
    plain: Callable[[str], str] = lower_case
    """Returns a word in lower case, without possessive endings and attached articles."""
    asking: frozenset[str] = frozenset()
    """Question words and auxiliary verbs that are excluded from queries."""
    in_pairs: bool = False
    """Whether each pair of adjacent ideographs or syllables is a term."""
    widths: bool = False
    """Whether half-width and full-width letters are equal."""
    keeps_initials: bool = False
    """Whether each term begins with its word's first letter."""

    def words(self, text: str) -> list[str]:
        """Return a text's words in lower case, without possessive endings and attached articles."""
        return [self.plain(word) for word in self._find_runs(text)]

    def terms(self, text: str, of: Callable[[str], str] | None = None) -> list[str]:
        """Return a text's terms in order, with an empty string for each stop word.

        `of` replaces the function that returns a word's term.
        """
        words = self._find_runs(text)
        if not text.isascii():
            words = [part for word in words for part in ((word,) if word.isascii() else self.parts(word))]
        if has_apostrophe(text):
            stems = {word: self._stem_before(word) for word in words if not word.isalnum()}
            if any(stems.values()):
                words = [part for word in words for part in (word, *stems.get(word, ()))]
        return list(map(of or self.term_of, words))

    def _stem_before(self, word: str) -> list[str]:
        """Return the part of a word before an apostrophe, or an empty list if the analyser removes the ending."""
        part = before_apostrophe(word)
        return [part] if part and self.plain(part) != self.plain(word) else []

    def parts(self, word: str) -> list[str]:
        """Return a word's index terms. Words of a script without spaces are split, and other words stay whole."""
        if not needs_splitting(word):
            return [word]
        groups = self._group_units(word)
        return [part for paired, group in groups for part in (_bigrams(group) if paired and self.in_pairs else group)]

    def search_units(self, word: str) -> list[str]:
        """Return a word's search units.

        In scripts without spaces, these are the pairs of adjacent units. In other scripts, it is the word itself.
        """
        if not needs_splitting(word):
            return [word]
        return [
            part
            for paired, group in self._group_units(word)
            for part in (_bigrams(group, "" if paired else " ") if paired or is_unspaced(group[0]) else group)
        ]

    def _group_units(self, word: str) -> Iterator[tuple[bool, list[str]]]:
        """Yield a word's units in groups, each with a flag for ideographs."""
        units = split_run(word)
        if self.in_pairs:
            units = [part for unit in units for part in (_SYLLABLE.findall(unit) if _SYLLABLE.match(unit) else [unit])]
        kinds = ((_script_kind(unit, is_syllabic=self.in_pairs), unit) for unit in units)
        for kind, group in groupby(kinds, key=itemgetter(0)):
            members = [unit for _, unit in group]
            yield from [(kind == "pairable", members)] if kind else ((False, [unit]) for unit in members)

    def stem(self, word: str) -> str:
        """Return the term of a word from `words`, or an empty string for a stop word."""
        return "" if word in self.stop_words else self.stem_of(word)

    def _find_runs(self, text: str) -> list[str]:
        text = normalise_text(text)
        if self.widths and not text.isascii():
            text = _WIDE.sub(lambda wide: unicodedata.normalize("NFKC", wide[0]), text)
        return split_words_and_runs(text)

    @cached_property
    def term_of(self) -> Callable[[str], str]:
        """A function that returns a word's term, or an empty string for a stop word."""

        def term(word: str) -> str:
            return self.stem(self.plain(word))

        return lru_cache(maxsize=_CACHED)(term)

    @cached_property
    def has_no_term(self) -> Callable[[str], bool]:
        """A function that returns whether a word has no term: it is a stop word, or has no stem."""

        def nothing(word: str) -> bool:
            return (plain := self.plain(word)) in self.stop_words or plain == "s"

        return lru_cache(maxsize=_CACHED)(nothing)


def _bigrams(group: Sequence[str], between: str = "") -> list[str]:
    """Return each pair of adjacent units. A single unit is returned unchanged."""
    return [f"{first}{between}{second}" for first, second in pairwise(group)] or list(group)


def _script_kind(unit: str, *, is_syllabic: bool) -> str:
    """Return the kind of a unit in a script without spaces, or "" in other scripts."""
    if _IDEOGRAPH.match(unit) or (is_syllabic and _SYLLABLE.match(unit)):
        return "pairable"
    return "" if unit.isascii() or not is_unspaced(unit) else "unspaced"


def _without(affix: re.Pattern[str]) -> Callable[[str], str]:
    return lambda word: affix.sub("", lower_case(word))


def _of_language(name: str, stem: Stem, plain: Callable[[str], str] = lower_case) -> Analyser:
    return Analyser(name, STOP_WORDS[name], stem, plain)


ENGLISH = Analyser(
    "english",
    STOP_WORDS["english"],
    stemming.snowball("porter"),
    _without(_POSSESSIVE),
    asking=frozenset(_QUESTION_WORDS.split()),
    keeps_initials=True,
)
_ALL = (
    ENGLISH,
    Analyser("standard-folding", STOP_WORDS["english"], stemming.fold),
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
ANALYSERS = {analyser.name: analyser for analyser in _ALL}
"""The analysers that a domain can use, by name."""
