"""Parses a statement: its word stems, values, names and cues."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import lru_cache

from graph_memory.memory.statements.language.folding import fold_text, words_only
from graph_memory.memory.statements.language.lexicon.lexicon import Lexicon
from graph_memory.memory.statements.language.phrases import compile_phrases
from graph_memory.memory.statements.language.stems import stem_of, stems_of
from graph_memory.memory.statements.single_values import SingleValue, find_single_values, parse_attribute_value
from graph_memory.memory.statements.values.values import Value, values_of

_IDENTIFIER = re.compile(r"`([^`]+)`|\b(\w+)\(\)|\b(\w+_\w+)\b")
_NAME = re.compile(
    r"(?<![.!?:;] )(?<=[\w,;)\"'] )([A-ZÀ-ÞА-Я][\w.-]*\w|[A-Z])|\b(\w*[a-z]\w*[A-Z]\w*|[A-Z]{2,}\w*|[A-Za-z]+\d\w*)\b"
)
_SENTENCE_END = r"(?=[\s\"'”’»)\]!?.…？！]|$)"
_QUESTION, _EXCLAMATION = re.compile(rf"[?？]{_SENTENCE_END}"), re.compile(rf"[!！]{_SENTENCE_END}")
_CLAUSE = re.compile(r"[,;:.!?、，。；：！？()–—]+|\s-+\s")
_WORDS_AT_START = 4
"""Number of words at the beginning in which another person may be mentioned."""
_MIN_STEM_LENGTH = 2


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Statement:
    """A parsed statement."""

    language: Lexicon
    whole: str
    """The statement's words in lower case, without accents and punctuation."""
    text_without_values: str
    """The same text as `whole`, without values and misleading phrases."""
    stems: tuple[str, ...]
    """The words' stems in order, without function words."""
    values: tuple[Value, ...]
    names: frozenset[str]
    """The stems of words that look like names."""
    tense: str
    """`was` or `is` if all the statement's auxiliary verbs have the same tense, otherwise empty."""
    single_values: tuple[SingleValue, ...]
    """The statement's values of single-valued attributes."""
    stated: SingleValue | None
    """The attribute's value, if the text states only this value."""
    identifiers: frozenset[str]
    is_denied: bool
    """Whether the statement contains a negation."""
    is_end_denied: bool
    """Whether a negation denies the end of a state, as in `has not sold`, but not in `no longer has`."""
    denied_stems: frozenset[str]
    """The stems of clauses with a negation."""
    is_question: bool
    is_exclaimed: bool
    cues: frozenset[str]
    """The names of the statement's cues, from `_CUES`."""
    asserted: frozenset[str]
    """The cues before the statement's reason, because a reason is not part of the statement. For example, `Tea instead
    of coffee because it would be cheaper` is not a wish."""
    kin: frozenset[str]
    """The stems of words for other people at the statement's beginning."""
    found_phrases: dict[str, str | None] = field(default_factory=dict[str, str | None])
    """Cached results of phrase searches."""

    @property
    def is_negative(self) -> bool:
        """Whether the statement denies a fact or says that it ended, as in `no longer supports`."""
        return self.is_denied or "ending" in self.cues

    def has(self, phrases: str) -> bool:
        """Return whether the statement contains one of the phrases."""
        return self.find_phrase(phrases) is not None

    def find_phrase(self, phrases: str) -> str | None:
        """Return the first occurrence of any of the phrases in the statement, or None."""
        if phrases not in self.found_phrases:
            match = compile_phrases(phrases, has_spaces=self.language.has_spaces_between_words).search(
                self.text_without_values
            )
            self.found_phrases[phrases] = match[0] if match else None
        return self.found_phrases[phrases]


_CUES = (
    ("ending", "endings"),
    ("change", "changes"),
    ("now", "now"),
    ("wish", "wishes"),
    ("claim", "claims"),
    ("stand_in", "stand_ins"),
    ("also", "also"),
    ("past", "past"),
    ("limit", "limits"),
    ("correction", "corrections"),
    ("spoken_to", "spoken_to"),
    ("able", "abilities"),
)


@lru_cache(maxsize=16_384)
def parse_statement(text: str, language: Lexicon) -> Statement:
    """Parse a text as a statement."""
    has_spaces = language.has_spaces_between_words
    values, remaining_text = values_of(text, language)
    words = words_only(remaining_text)
    misleading, negated, endings, reasons = (
        compile_phrases(phrases, has_spaces=has_spaces)
        for phrases in (language.misleading, language.negations, language.endings, language.reasons)
    )
    text_without_values = misleading.sub(_blank_out, words)
    names = frozenset(stem_of(name, language) for name in _likely_names(text, language))
    return Statement(
        language=language,
        whole=words_only(fold_text(text)),
        text_without_values=text_without_values,
        stems=stems_of(words, language),
        values=values,
        names=names,
        tense=_tense(words, language),
        single_values=find_single_values(text, language) if has_spaces else (),
        stated=parse_attribute_value(text, language) if has_spaces else None,
        identifiers=frozenset(name for match in _IDENTIFIER.findall(text) for name in match if name),
        is_denied=negated.search(text_without_values) is not None,
        is_end_denied=negated.search(endings.sub(_blank_out, text_without_values)) is not None,
        denied_stems=_denied_stems(fold_text(text), language),
        is_question=_QUESTION.search(text) is not None,
        is_exclaimed=_EXCLAMATION.search(text) is not None,
        cues=_cues(text_without_values, language),
        asserted=_cues(reasons.split(text_without_values)[0] or text_without_values, language),
        kin=_kinship_words(words, language),
    )


def _cues(words: str, language: Lexicon) -> frozenset[str]:
    has_spaces = language.has_spaces_between_words
    return frozenset(
        cue for cue, listed in _CUES if compile_phrases(getattr(language, listed), has_spaces=has_spaces).search(words)
    )


def _denied_stems(text: str, language: Lexicon) -> frozenset[str]:
    has_spaces = language.has_spaces_between_words
    negated = compile_phrases(language.negations, has_spaces=has_spaces)
    misleading = compile_phrases(language.misleading, has_spaces=has_spaces)
    clauses = (words_only(part) for part in _CLAUSE.split(text))
    return frozenset(
        stem
        for clause in clauses
        if negated.search(misleading.sub(_blank_out, clause))
        for stem in stems_of(clause, language)
    )


def _blank_out(match: re.Match[str]) -> str:
    """Replace a misleading phrase with the same number of placeholder words."""
    return " ".join("_" for _ in match[0].split())


def _likely_names(text: str, language: Lexicon) -> set[str]:
    """Return the words that look like names. In German, initial capitals are ignored, because all nouns have them."""
    names = (match[2] if language.analyser == "german" else match[1] or match[2] for match in _NAME.finditer(text))
    return {
        word for name in names if name for word in words_only(fold_text(name)).split() if len(word) >= _MIN_STEM_LENGTH
    }


def _tense(words: str, language: Lexicon) -> str:
    word_set = frozenset(words.split())
    was, now = (not word_set.isdisjoint(word) for word in language.tense_words)
    return "was" if was and not now else "is" if now and not was else ""


def _kinship_words(words: str, language: Lexicon) -> frozenset[str]:
    front = (
        " ".join(words.split()[:_WORDS_AT_START]) if language.has_spaces_between_words else words[: 2 * _WORDS_AT_START]
    )
    matches = compile_phrases(language.kin, has_spaces=language.has_spaces_between_words).findall(front)
    return frozenset(stem_of(word, language) for word in matches)
