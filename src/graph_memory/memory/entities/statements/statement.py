"""A statement taken apart: its words as stems, its values, its names, and how it is meant. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import pairwise

from graph_memory.memory.entities.statements.folding import plain, words_only
from graph_memory.memory.entities.statements.holding import SingleValue, find_single_values, parse_attribute_value
from graph_memory.memory.entities.statements.lexicon.lexicon import Lexicon
from graph_memory.memory.entities.statements.meanings import meanings
from graph_memory.memory.entities.statements.phrases import finder
from graph_memory.memory.entities.statements.rewording import reworded
from graph_memory.memory.entities.statements.roles import Roles, roles_of
from graph_memory.memory.entities.statements.stems import regular, stem_of, stems_of
from graph_memory.memory.entities.statements.values import Value, values_of

_IDENTIFIER = re.compile(r"`([^`]+)`|\b(\w+)\(\)|\b(\w+_\w+)\b")
_SYMBOL = re.compile(r"\w(?:\++|#|-)(?!\w)|!=|[<>](?!=)|(?<![<>])=|(?<=\w )[A-HJ-Z](?![\w'’.])|(?<=\d)[aA](?![\w.])")
_NAME = re.compile(
    r"(?<![.!?:;] )(?<=[\w,;)\"'] )([A-ZÀ-ÞА-Я][\w.-]*\w|[A-Z])|\b(\w*[a-z]\w*[A-Z]\w*|[A-Z]{2,}\w*|[A-Za-z]+\d\w*)\b"
)
_ENDS = r"(?=[\s\"'”’»)\]!?.…？！]|$)"
_QUESTION, _EXCLAMATION = re.compile(rf"[?？]{_ENDS}"), re.compile(rf"[!！]{_ENDS}")
_CLAUSE = re.compile(r"[,;:.!?、，。；：！？()–—]+|\s-+\s")
_MARK = re.compile(r"(?<=[^\W_])_(?!\w)")
"""What marks the part of a verb."""
_ONE = re.compile(r"\ban? (\w+)")
_FRONT = 4
"""Words at the beginning of which one may be another person."""
_SHORTEST_STEM = 2


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Statement:
    """A statement taken apart."""

    language: Lexicon
    whole: str
    """Its words in lower case without accents and punctuation, as it was said."""
    meant: str
    """The same in other words, without its values and what would mislead."""
    stems: tuple[str, ...]
    """The stems of the words that say something, in order."""
    values: tuple[Value, ...]
    roles: Roles
    names: frozenset[str]
    """The stems of words that look like names."""
    placed: dict[str, str]
    """For each stem, the preposition before it, if there is one."""
    runs: tuple[frozenset[str], ...]
    """Stems of names that stand side by side, with nothing but words like and between."""
    joins: dict[str, set[str]]
    """For each stem, those of its word and the one beside it, written as one."""
    past: frozenset[str | int]
    """The stems of words that have an ending of the past."""
    present: frozenset[str | int]
    """The stems of words that have none, nor that of a participle."""
    tense: str
    """`was` or `is`, where only one of the two is said."""
    light: frozenset[str]
    """The stems of words that add nothing where the rest is said."""
    limited: str
    """The first stem of what is limited: `only Anna`."""
    single: frozenset[str]
    """The stems of what follows `a` at once."""
    plural: frozenset[str]
    """The stems of words in the plural, or of verbs."""
    held: tuple[SingleValue, ...]
    """Names of which there is one at a time."""
    stated: SingleValue | None
    """The value that it states, if it states nothing else."""
    is_alternative: bool
    """Whether it has a word like or."""
    identifiers: frozenset[str]
    symbols: frozenset[str]
    """Signs and lone capitals that tell one thing from another: `C++`, `vitamin D`, `12a`, `x < 5`."""
    is_denied: bool
    """Whether it has a word like not, in other words."""
    is_end_denied: bool
    """Whether it has one beside what says that something ended: `has not sold`, but not `no longer has`."""
    says_not: bool
    """Whether it has one as it was said."""
    denied: frozenset[str]
    """The stems of the clauses with such a word, in other words."""
    said_denied: frozenset[str]
    """The same as they were said."""
    is_question: bool
    is_exclaimed: bool
    cues: frozenset[str]
    """Which cues it has, by the names in `_CUES`."""
    asserted: frozenset[str]
    """The cues that it has before a reason: `Tea instead of coffee because it would be cheaper` is no wish."""
    kin: frozenset[str]
    """Other people at its beginning."""
    looked_for: dict[str, str | None] = field(default_factory=dict[str, str | None])
    """Phrases that were looked for in it, and which of each was found."""

    @property
    def order(self) -> Sequence[str]:
        """Its stems, whoever does something before whom it is done to."""
        return [each.what for each in self.roles.said if isinstance(each.what, str)] or self.stems

    @property
    def is_negative(self) -> bool:
        """Whether something is denied, or is no more: `no longer supports` is as `support was dropped`."""
        return self.is_denied or "ending" in self.cues

    def has(self, phrases: str) -> bool:
        """Say whether one of the phrases is in it."""
        return self.found(phrases) is not None

    def found(self, phrases: str) -> str | None:
        """Return the first of the phrases that is in it."""
        if phrases not in self.looked_for:
            match = finder(phrases, is_written_apart=self.language.is_written_apart).search(self.meant)
            self.looked_for[phrases] = match[0] if match else None
        return self.looked_for[phrases]


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
def statement(text: str, language: Lexicon) -> Statement:
    """Return a text taken apart."""
    apart = language.is_written_apart
    clean = reworded(text, language)
    values, rest = values_of(clean, language)
    words = words_only(rest)
    whole = words_only(plain(text))
    hidden, negated = (finder(each, is_written_apart=apart) for each in (language.misleading, language.negations))
    meant = hidden.sub(_struck, _MARK.sub("", words))
    names = frozenset(stem_of(name, language) for name in _names(text, language))
    return Statement(
        language=language,
        whole=whole,
        meant=meant,
        stems=stems_of(words, language),
        values=values,
        roles=roles_of(clean, rest, values, language),
        names=names,
        placed=_placed(words, language),
        runs=_runs(words, names, language),
        joins=_joins(words, language) if apart else {},
        past=_past(words, language),
        present=_present(words, language),
        tense=_tense(words, language),
        light=frozenset(stem_of(each.split()[0], language) for each in finder(language.light).findall(meant)),
        limited=_limited(meant, language),
        single=_single(rest, language),
        plural=_plural(words, language),
        held=find_single_values(text, clean, language) if apart else (),
        stated=parse_attribute_value(text, language) if apart else None,
        is_alternative=not language.alternative_words.isdisjoint(words.split()),
        identifiers=_identifiers(text),
        symbols=frozenset(_SYMBOL.findall(text)),
        is_denied=negated.search(meant) is not None,
        is_end_denied=negated.search(finder(language.endings, is_written_apart=apart).sub(_struck, meant)) is not None,
        says_not=negated.search(hidden.sub(_struck, whole)) is not None,
        denied=_denied(clean, language),
        said_denied=_denied(plain(text), language),
        is_question=_QUESTION.search(text) is not None,
        is_exclaimed=_EXCLAMATION.search(text) is not None,
        cues=_cues(meant, language),
        asserted=_cues(finder(language.reasons, is_written_apart=apart).split(meant)[0] or meant, language),
        kin=_kin(words, language),
    )


def _cues(meant: str, language: Lexicon) -> frozenset[str]:
    apart = language.is_written_apart
    return frozenset(
        cue for cue, listed in _CUES if finder(getattr(language, listed), is_written_apart=apart).search(meant)
    )


def _denied(text: str, language: Lexicon) -> frozenset[str]:
    """Return the stems of the clauses in which something is denied."""
    apart = language.is_written_apart
    negated = finder(language.negations, is_written_apart=apart)
    hidden = finder(language.misleading, is_written_apart=apart)
    clauses = (words_only(each) for each in _CLAUSE.split(text))
    return frozenset(
        stem for each in clauses if negated.search(hidden.sub(_struck, each)) for stem in stems_of(each, language)
    )


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
            before = "" if word in language.agent_words else word
        elif word not in language.common_words:
            if before:
                found.setdefault(stem_of(word, language), before)
            before = ""
    return found


def _runs(words: str, names: frozenset[str], language: Lexicon) -> tuple[frozenset[str], ...]:
    found: list[frozenset[str]] = []
    run: set[str] = set()
    for word in words.split():
        if (stem := stem_of(word, language)) in names:
            run.add(stem)
        elif word not in language.coordinator_words:
            found.append(frozenset(run))
            run = set[str]()
    return tuple(each for each in (*found, frozenset(run)) if len(each) > 1)


def _joins(words: str, language: Lexicon) -> dict[str, set[str]]:
    found: dict[str, set[str]] = {}
    pairs = list(pairwise(words.split()))
    if language.has_compounds:
        common = language.common_words - language.coordinator_words
        pairs += [(other, one) for one, other in pairwise(word for word in words.split() if word not in common)]
    for one, other in pairs:
        for half in (one, other):
            found.setdefault(stem_of(half, language), set()).add(stem_of(one + other, language))
    return found


def _past(words: str, language: Lexicon) -> frozenset[str | int]:
    """Return the stems of words whose ending says that it was so, where a stem would not tell."""
    passive = language.passive.split()
    return _meant(
        (
            word
            for before, word, after in _windows(words)
            if before not in passive and after not in language.agent_words and _is_past(word, language)
        ),
        language,
    )


def _present(words: str, language: Lexicon) -> frozenset[str | int]:
    """Return the stems of words that may say that it is so."""
    going_on = language.participle_ending or "\0"
    helps = language.tense_words[1]
    said = (
        word
        for before, word in pairwise(["", *words.split()])
        if not _is_past(word, language) and (before in helps or not word.endswith(going_on))
    )
    return _meant(said, language)


def _windows(words: str) -> Iterable[tuple[str, str, str]]:
    """Give each word between the one before it and the one after it."""
    given = ["", *words.split(), ""]
    return zip(given, given[1:], given[2:], strict=False)


def _is_past(word: str, language: Lexicon) -> bool:
    return regular(word, language).endswith(language.past_endings)


def _meant(words: Iterable[str], language: Lexicon) -> frozenset[str | int]:
    """Return the stems of words, and the groups of words that say the same in which they are."""
    stems = frozenset(stem_of(word, language) for word in words)
    known = meanings(language)
    return stems.union(*(known[stem] for stem in stems if stem in known))


def _single(text: str, language: Lexicon) -> frozenset[str]:
    found = _ONE.findall(text) if language.number_code == "en" else ()
    return frozenset(stem_of(word, language) for word in found)


def _limited(words: str, language: Lexicon) -> str:
    match = finder(language.limits, is_written_apart=language.is_written_apart).search(words)
    return next(iter(stems_of(words[match.end() :], language)), "") if match else ""


def _plural(words: str, language: Lexicon) -> frozenset[str]:
    return frozenset(stem_of(word, language) for word in words.split() if word.endswith("s"))


def _tense(words: str, language: Lexicon) -> str:
    said = frozenset(words.split())
    was, now = (not said.isdisjoint(each) for each in language.tense_words)
    return "was" if was and not now else "is" if now and not was else ""


def _identifiers(text: str) -> frozenset[str]:
    return frozenset(name for match in _IDENTIFIER.findall(text) for name in match if name)


def _kin(words: str, language: Lexicon) -> frozenset[str]:
    front = " ".join(words.split()[:_FRONT]) if language.is_written_apart else words[: 2 * _FRONT]
    found = finder(language.kin, is_written_apart=language.is_written_apart).findall(front)
    return frozenset(stem_of(word, language) for word in found)
