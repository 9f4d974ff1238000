"""A statement taken apart: its words as stems, its values, its names, and how it is meant. Pure."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

from graph_memory.memory.entities.statements.folding import plain, words_only
from graph_memory.memory.entities.statements.lexicon.lexicon import Lexicon
from graph_memory.memory.entities.statements.phrases import finder
from graph_memory.memory.entities.statements.values import Value, values_of
from graph_memory.memory.recall.analysers import ANALYSERS

_IDENTIFIER = re.compile(r"`([^`]+)`|\b(\w+)\(\)|\b(\w+_\w+)\b")
_NAME = re.compile(
    r"(?<![.!?:;] )(?<=[\w,;)\"'] )([A-ZÀ-ÞА-Я][\w.-]*\w|[A-Z])|\b(\w*[a-z]\w*[A-Z]\w*|[A-Z]{2,}\w*|[A-Za-z]+\d\w*)\b"
)
_ENDS = r"(?=[\s\"'”’»)\]!?.…？！]|$)"
_QUESTION, _EXCLAMATION = re.compile(rf"[?？]{_ENDS}"), re.compile(rf"[!！]{_ENDS}")
_CLAUSE = re.compile(r"[,;:.!?、，。；：！？()–—]+|\s-+\s")
_WORD, _STOP = re.compile(r"\w+"), re.compile(r"[,;:(] |[;(]| - ")
_FRONT = 4
"""Words at the beginning of which one may be another person."""
_SHORTEST_STEM = 2


@dataclass(frozen=True, slots=True)
class Said:
    """A stem or a value where it stands."""

    what: str | Value
    before: str
    """The preposition of the words among which it is, if there is one."""
    is_first: bool
    """Whether nothing but words is before it: no comma, no colon."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Statement:
    """A statement taken apart."""

    language: Lexicon
    words: str
    """Its words in lower case without accents and punctuation, but for its values."""
    whole: str
    """The same with them."""
    meant: str
    """The same without what would mislead."""
    stems: tuple[str, ...]
    """The stems of the words that say something, in order."""
    values: tuple[Value, ...]
    said: tuple[Said, ...]
    """The stems and the values together, in order, where words have spaces between them."""
    names: frozenset[str]
    """The stems of words that look like names."""
    placed: dict[str, str]
    """For each stem, the preposition before it, if there is one."""
    runs: tuple[frozenset[str], ...]
    """Stems of names that stand side by side, with nothing but words like and between."""
    joins: dict[str, set[str]]
    """For each stem, those of its word and the next or the last one, written as one."""
    past: frozenset[str]
    """The stems of words that have an ending of the past."""
    identifiers: frozenset[str]
    is_denied: bool
    """Whether it has a word like not."""
    denied: frozenset[str]
    """The stems of the clauses with such a word."""
    is_question: bool
    is_exclaimed: bool
    cues: frozenset[str]
    """Which cues it has, by the names in `_CUES`."""
    kin: frozenset[str]
    """Other people at its beginning."""

    @property
    def is_negative(self) -> bool:
        """Whether something is denied, or is no more: `no longer supports` is as `support was dropped`."""
        return self.is_denied or "ending" in self.cues

    def has(self, phrases: str) -> bool:
        """Say whether one of the phrases is in it."""
        return self.found(phrases) is not None

    def found(self, phrases: str) -> str | None:
        """Return the first of the phrases that is in it."""
        match = finder(phrases, is_written_apart=self.language.is_written_apart).search(self.meant)
        return match[0] if match else None


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
)


@lru_cache(maxsize=16_384)
def statement(text: str, language: Lexicon) -> Statement:
    """Return a text taken apart."""
    apart = language.is_written_apart
    values, rest = values_of(text, language)
    words, whole = words_only(rest), words_only(plain(text))
    meant = finder(language.misleading, is_written_apart=apart).sub(_struck, whole)
    names = frozenset(stem_of(name, language) for name in _names(text, language))
    return Statement(
        language=language,
        words=words,
        whole=whole,
        meant=meant,
        stems=_stems(words, language),
        values=values,
        said=_said(rest, values, plain(text), language) if apart else (),
        names=names,
        placed=_placed(words, language),
        runs=_runs(words, names, language),
        joins=_joins(words, language) if apart else {},
        past=_past(words, language),
        identifiers=_identifiers(text),
        is_denied=finder(language.negations, is_written_apart=apart).search(meant) is not None,
        denied=_denied(text, language),
        is_question=_QUESTION.search(text) is not None,
        is_exclaimed=_EXCLAMATION.search(text) is not None,
        cues=frozenset(
            cue for cue, listed in _CUES if finder(getattr(language, listed), is_written_apart=apart).search(meant)
        ),
        kin=_kin(words, language),
    )


def _denied(text: str, language: Lexicon) -> frozenset[str]:
    """Return the stems of the clauses in which something is denied."""
    apart = language.is_written_apart
    negated = finder(language.negations, is_written_apart=apart)
    hidden = finder(language.misleading, is_written_apart=apart)
    clauses = (words_only(plain(each)) for each in _CLAUSE.split(text))
    return frozenset(
        stem for each in clauses if negated.search(hidden.sub(_struck, each)) for stem in _stems(each, language)
    )


def stem_of(word: str, language: Lexicon) -> str:
    """Return the stem of a word that is plain."""
    return ANALYSERS[language.analyser].stem_of(word) or word


def _stems(words: str, language: Lexicon) -> tuple[str, ...]:
    if not language.is_written_apart:
        found = ANALYSERS["cjk"].terms(words)
        return tuple(term for term in found if term and term not in language.common_words)
    negations = finder(language.negations)
    return tuple(
        stem_of(word, language)
        for word in words.split()
        if word not in language.common_words and not negations.fullmatch(word)
    )


def _said(rest: str, values: tuple[Value, ...], text: str, language: Lexicon) -> tuple[Said, ...]:
    """Return stems and values in order; words after a preposition are its own up to the next word that says nothing."""
    end = stop.start() if (stop := _STOP.search(text)) else len(text)
    found: list[tuple[int, str | Value]] = [(value.at, value) for value in values]
    found += [(word.start(), word[0]) for word in _WORD.finditer(rest)]
    said, before, is_open = list[Said](), "", False
    for at, each in sorted(found, key=lambda one: one[0]):
        if isinstance(each, str) and each in language.placing:
            before, is_open = each, True
            continue
        whats = [each] if isinstance(each, Value) else _stems(each, language)
        said += [Said(what, before, at < end) for what in whats]
        before, is_open = (before, False) if whats else (before if is_open else "", is_open)
    return tuple(said)


def _struck(match: re.Match[str]) -> str:
    """Return what stands for a phrase that misleads: as many words, which mean nothing."""
    return " ".join("_" for _ in match[0].split())


def _names(text: str, language: Lexicon) -> set[str]:
    """Return words that look like names; in German every noun begins with a capital."""
    found = (match[2] if language.analyser == "german" else match[1] or match[2] for match in _NAME.finditer(text))
    return {word for name in found if name for word in words_only(plain(name)).split() if len(word) >= _SHORTEST_STEM}


def _placed(words: str, language: Lexicon) -> dict[str, str]:
    """Return for each stem the preposition before it, as `to` in `moved to the old Oslo`, for its first word."""
    found, before = dict[str, str](), ""
    for word in words.split():
        if word in language.placing:
            before = word
        elif word not in language.common_words:
            if before:
                found.setdefault(stem_of(word, language), before)
            before = ""
    return found


def _runs(words: str, names: frozenset[str], language: Lexicon) -> tuple[frozenset[str], ...]:
    between = language.coordinators.split()
    found: list[frozenset[str]] = []
    run: set[str] = set()
    for word in words.split():
        if (stem := stem_of(word, language)) in names:
            run.add(stem)
        elif word not in between:
            found.append(frozenset(run))
            run = set[str]()
    return tuple(each for each in (*found, frozenset(run)) if len(each) > 1)


def _joins(words: str, language: Lexicon) -> dict[str, set[str]]:
    found: dict[str, set[str]] = {}
    for one, other in pairwise(words.split()):
        for half in (one, other):
            found.setdefault(stem_of(half, language), set()).add(stem_of(one + other, language))
    return found


def _past(words: str, language: Lexicon) -> frozenset[str]:
    """Return the stems of words whose ending says that it was so, where a stem would not tell."""
    ending, passive = language.past_ending, language.passive.split()
    return frozenset(
        stem_of(word, language)
        for before, word in pairwise(["", *words.split()])
        if ending and word.endswith(ending) and before not in passive
    )


def _identifiers(text: str) -> frozenset[str]:
    return frozenset(name for match in _IDENTIFIER.findall(text) for name in match if name)


def _kin(words: str, language: Lexicon) -> frozenset[str]:
    front = " ".join(words.split()[:_FRONT]) if language.is_written_apart else words[: 2 * _FRONT]
    found = finder(language.kin, is_written_apart=language.is_written_apart).findall(front)
    return frozenset(stem_of(word, language) for word in found)
