"""Compares the parts of two statements that must be identical if both have the same meaning.

Words are compared by their stems, and numbers, dates and units by their values. All other parts are literals: symbols,
emoji, capitals inside words, hyphens, accents and vowel signs, addresses and versions. A literal equals only itself.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import Enum, auto
from functools import lru_cache
from itertools import pairwise

from graph_memory.memory.statements.language.folding import fold_text, words_only
from graph_memory.memory.statements.language.lexicon.lexicon import Lexicon
from graph_memory.memory.statements.language.stems import stem_of
from graph_memory.memory.statements.values.values import values_of

_TOKEN = re.compile(r"(\S+?)((?:[.,。，、]|(?<=\w\w)[;:])?)(?=\s|$)")
"""A part of a text between spaces, and the punctuation at its end."""
_SENTENCE_ENDS = frozenset(".!?…。！？")
_PART_OF_VALUE = re.compile(r"(?:[^\W\d_]|[0-9 $€£%.,:/]|(?<=[a-z])-(?=[a-z])|(?<![^ ])-(?=\d)|(?<=\d)-(?=\d\d))+")
"""Characters of a number, date, time or unit. Other hyphens, quotation marks and digits are literals."""
_DIGITS_WITH_SEPARATOR = re.compile(r"\d[.,]\d")
_TIME_KINDS = frozenset({"clock", "day", "month", "weekday", "weekdays", "year"})
"""Kinds of values in which capitals have no meaning, such as `10 PM` and `May`."""
_MAX_TOKENS = 3
"""Maximum number of tokens of a value, as in `3 May 2026`."""
_MIN_UNIT_LENGTH = 4
"""Minimum number of letters of a unit or number that can have a capital: `Euro`, but neither `MB` nor `Mb`."""

_CONTRACTED = re.compile(r"[^\W\d_]+n['’]t")


class Case(Enum):
    """The case of a word's first letter."""

    CAPITAL = auto()
    CAPITAL_AT_START = auto()
    """A capital at the start of a sentence."""
    LOWER = auto()
    LOWER_AT_START = auto()


class Kind(Enum):
    """How a token is compared: by its stem, by its value, or literally."""

    WORD = auto()
    VALUE = auto()
    TIME = auto()
    """A value in which capitals have no meaning, such as `10 PM` and `May`."""
    LITERAL = auto()


@dataclass(frozen=True, slots=True)
class Token:
    """A part of a statement between spaces, without punctuation at its end."""

    text: str
    end: str
    starts_sentence: bool
    kind: Kind

    @property
    def case(self) -> Case:
        """The case of the token's first letter."""
        if self.text[:1] == self.text[:1].lower():
            return Case.LOWER_AT_START if self.starts_sentence else Case.LOWER
        return Case.CAPITAL_AT_START if self.starts_sentence else Case.CAPITAL

    @property
    def spelling(self) -> str:
        """The literal's text, in lower case if case is ignored."""
        lowered = self.text.lower()
        has_only_first = self.text[1:] == lowered[1:]
        may_have_capital = self.starts_sentence or len(lowered) >= _MIN_UNIT_LENGTH
        return lowered if self.kind is Kind.TIME or (has_only_first and may_have_capital) else self.text


def same_text(text: str, other: str) -> bool:
    """Return whether two texts are equal except for the encoding of accents, white space and a final full stop."""
    return text == other or folded_text(text) == folded_text(other)


@lru_cache(maxsize=65_536)
def folded_text(text: str) -> str:
    """Return a text in NFC with single spaces, without a final full stop."""
    return " ".join(unicodedata.normalize("NFC", text).split()).removesuffix(".").rstrip()


@lru_cache(maxsize=4_096)
def split_tokens(text: str, language: Lexicon) -> Sequence[Token]:
    """Return a text's tokens with their kinds."""
    results = _TOKEN.findall(unicodedata.normalize("NFC", text))
    parts = [part for part, _ in results]
    ends = ["", *(end or part[-1:] for part, end in results)]
    return tuple(
        Token(part, end, number == 0 or ends[number] in _SENTENCE_ENDS, _kind(parts, number, language))
        for number, (part, end) in enumerate(results)
    )


def _kind(parts: Sequence[str], at: int, language: Lexicon) -> Kind:
    kinds = _value_kinds(parts, at, language)
    if kinds:
        return Kind.TIME if kinds <= _TIME_KINDS else Kind.VALUE
    return Kind.WORD if _is_word(parts[at]) else Kind.LITERAL


def _is_word(token: str) -> bool:
    """Return whether a token is a plain word: only letters without accents, and no capital except at its start.

    Contractions such as `don't` are plain words.
    """
    if _CONTRACTED.fullmatch(token):
        return fold_text(token).endswith(" not")
    is_plain = token[1:] == token[1:].lower() and words_only(fold_text(token)) == token.lower()
    return token.isalpha() and is_plain


def _value_kinds(parts: Sequence[str], at: int, language: Lexicon) -> frozenset[str]:
    """Return the kinds of the values around a token, if they can be parsed completely."""
    windows = (
        parts[start:end]
        for start in range(max(0, at - _MAX_TOKENS + 1), at + 1)
        for end in range(at + 1, min(len(parts), start + _MAX_TOKENS) + 1)
    )
    return next((kinds for window in windows if (kinds := _kinds_of(" ".join(window), language))), frozenset[str]())


@lru_cache(maxsize=4_096)
def _kinds_of(text: str, language: Lexicon) -> frozenset[str]:
    """Return the kinds of the values in a text, or an empty set if the text has other parts."""
    if not _PART_OF_VALUE.fullmatch(text) or unicodedata.normalize("NFKC", text) != text:
        return frozenset()
    values, remaining_text = values_of(text, language)
    kinds = frozenset(value.kind for value in values)
    if remaining_text.strip() or (kinds & {"number", "rank"} and _DIGITS_WITH_SEPARATOR.search(text)):
        return frozenset()
    words = [word for word in re.findall(r"[^\W\d_]+", text) if len(word) == 1 or not kinds <= _TIME_KINDS]
    return kinds if all(map(_has_regular_case, words)) else frozenset()


def _has_regular_case(word: str) -> bool:
    return word == word.lower() or (len(word) >= _MIN_UNIT_LENGTH and word[1:] == word[1:].lower())


def count_literals(text: str, language: Lexicon) -> Counter[str]:
    """Count each literal in a text."""
    return Counter(token.text for token in split_tokens(text, language) if token.kind is Kind.LITERAL)


def has_same_literals(known: str, new: str, language: Lexicon) -> bool:
    """Return whether two statements have the same literals, and their common words the same spelling and separators."""
    return (
        count_literals(known, language) == count_literals(new, language)
        and not _differs_in_separators(known, new, language)
        and not _differs_in_case(known, new, language)
        and not _differs_in_spelling(known, new, language)
    )


def _differs_in_separators(known: str, new: str, language: Lexicon) -> bool:
    """Return whether two words are adjacent in both statements, with different punctuation between them."""
    known_marks, new_marks = _separators(known, language), _separators(new, language)
    return any(known_marks[words] != new_marks[words] for words in known_marks.keys() & new_marks.keys())


def _separators(text: str, language: Lexicon) -> Mapping[tuple[str, str], set[str]]:
    """Return the punctuation marks between adjacent words. After the last word, the second text is empty."""
    marks: dict[tuple[str, str], set[str]] = {}
    for token, after in pairwise([*split_tokens(folded_text(text), language), None]):
        if token is not None:
            words = fold_text(token.text), fold_text(after.text) if after else ""
            marks.setdefault(words, set()).add(token.end)
    return marks


def _differs_in_spelling(known: str, new: str, language: Lexicon) -> bool:
    """Return whether the statements spell a word of a value differently, such as `Mg` and `mg`."""
    known_spellings, new_spellings = _spellings(known, language), _spellings(new, language)
    folded_values = {
        _normalize_spelling(token.text)
        for text in (known, new)
        for token in split_tokens(text, language)
        if token.kind in (Kind.VALUE, Kind.TIME)
    }
    return any(
        known_spellings[word] != new_spellings[word]
        for word in folded_values & known_spellings.keys() & new_spellings.keys()
    )


def _spellings(text: str, language: Lexicon) -> Mapping[str, set[str]]:
    spellings: dict[str, set[str]] = {}
    for token in split_tokens(text, language):
        spellings.setdefault(_normalize_spelling(token.text), set()).add(token.spelling)
    return spellings


def _normalize_spelling(word: str) -> str:
    """Return a value's word without accents and capitals, and with a uniform decimal sign."""
    return fold_text(word).replace(",", ".")


def _differs_in_case(known: str, new: str, language: Lexicon) -> bool:
    """Return whether a word is capitalised in only one statement, except at the start of a sentence.

    A capital makes a common word a name, as in `asked Will`. The other statement must therefore have the capital too.
    """
    known_cases, new_cases = _cases(known, language), _cases(new, language)
    return any(
        (Case.CAPITAL in cases and word in language.common_words and word not in known_cases)
        or (
            word in known_cases and not _is_explained(cases, known_cases[word], is_ordinary=word in language.vocabulary)
        )
        for word, cases in new_cases.items()
    )


def _is_explained(cases: set[Case], others: set[Case], *, is_ordinary: bool) -> bool:
    """Return whether the capitals in both statements can belong to the same word.

    If both words start a sentence, this is certain only for ordinary words.
    """
    if cases == others:
        return True
    both = {*cases, *others}
    if Case.CAPITAL in both and not both.isdisjoint({Case.LOWER, Case.LOWER_AT_START}):
        return False
    return is_ordinary or not both.issuperset({Case.CAPITAL_AT_START, Case.LOWER_AT_START})


def _cases(text: str, language: Lexicon) -> Mapping[str, set[Case]]:
    cases: dict[str, set[Case]] = {}
    for token in split_tokens(text, language):
        if token.kind is Kind.WORD:
            word = fold_text(token.text)
            cases.setdefault(word if word in language.common_words else stem_of(word, language), set()).add(token.case)
    return cases
