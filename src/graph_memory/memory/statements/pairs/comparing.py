"""Compares a new statement about an entity with a known one: shared words, and signs of a contradiction. Pure."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace

from graph_memory.memory.statements.language.folding import plain, words_only
from graph_memory.memory.statements.language.languages import language_of
from graph_memory.memory.statements.language.lexicon.lexicon import Lexicon
from graph_memory.memory.statements.language.stems import stem_of
from graph_memory.memory.statements.pairs.likeness import known_stems, share
from graph_memory.memory.statements.single_values import SingleValue
from graph_memory.memory.statements.statement import Statement, statement

CUE, FLIP, ANTONYM, EVENT, NOW, CORRECTION, CONFLICT, SINGLE = (
    "ending or change",
    "polarity",
    "antonym",
    "event that ends it",
    "now",
    "correction",
    "other value",
    "one of its kind",
)
GUARD, PARALLEL, LONGER, EXCLAIMED = "guard", "parallel", "much longer", "exclamation"
SIGNS = (CUE, FLIP, ANTONYM, EVENT, NOW, CORRECTION, CONFLICT, SINGLE, GUARD, PARALLEL, LONGER, EXCLAIMED)
EXCLUDING = frozenset({FLIP, ANTONYM, SINGLE})
"""The features of two statements that cannot hold at the same time."""
_ANOTHER = "another person"
_TIES = frozenset({EVENT, CONFLICT})
_GUARDS = ("wish", "claim", "stand_in", "also")
_MUCH_LONGER, _LONG = 2.2, 8
_DENIED = 0.5
"""Minimum share of the denied words that the other statement must contain."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """A comparison of a new statement with a known one."""

    known: Statement
    new: Statement
    known_stems: frozenset[str]
    """The stems of the known statement without the stems of the entity's name."""
    name: frozenset[str]
    """The stems of the capitalised words in the entity's name."""
    new_stems: frozenset[str]
    shared: frozenset[str]
    """The new stems that are known, as the same or a similar word."""
    back: float
    """The share of known stems that are among the new ones, 0 to 1."""
    features: Mapping[str, str] = field(default_factory=dict[str, str])
    """The features, each with its evidence."""

    @property
    def forth(self) -> float:
        """The share of new stems that are known, 0 to 1."""
        return share(self.shared, self.new_stems)

    @property
    def ties(self) -> Collection[str]:
        """The shared words, and the features that connect the new statement with the known one."""
        return self.shared | (_TIES & self.features.keys())

    def count_lost(self) -> int:
        """Return the number of known stems that are not among the new ones."""
        return len(self.known_stems) - round(self.back * len(self.known_stems))


def compared(known: str, new: str, entity: str = "", language: Lexicon | None = None) -> Comparison:
    """Return the comparison of a new statement about an entity with a known one."""
    language = language or language_of(f"{known}\n{new}")
    one, other = statement(known, language), statement(new, language)
    words = words_only(plain(entity)).split()
    name = {stem_of(each, language) for word in words for each in (word, f"{word}s")}
    stems, new_stems = frozenset(one.stems) - name, frozenset(other.stems) - name
    comparison = Comparison(
        known=one,
        new=other,
        known_stems=stems,
        new_stems=new_stems,
        name=frozenset(stem_of(word, language) for word in words_only(plain(_capitals(entity))).split()),
        shared=frozenset(known_stems(new_stems, stems)),
        back=share(known_stems(stems, new_stems), stems),
    )
    features = _meant({feature: evidence for feature, evidence in _features(comparison, language) if evidence})
    return replace(comparison, features=features)


def _capitals(name: str) -> str:
    return " ".join(word for word in name.split() if word[0].isupper())


def _features(pair: Comparison, language: Lexicon) -> Collection[tuple[str, str | None]]:
    known, new = pair.known, pair.new
    return (
        (CUE, _cue(known, new, language)),
        (FLIP, _flip(pair)),
        (ANTONYM, antonym(known, new, language)),
        (EVENT, _event(known, new, language)),
        (NOW, _new_cue(known, new, "now", language.now)),
        (CORRECTION, _new_cue(known, new, "correction", language.corrections)),
        (CONFLICT, conflict(known, new)),
        (SINGLE, _single(pair, language)),
        (GUARD, _guard(pair, language)),
        (PARALLEL, _parallel(known, new, language)),
        (LONGER, _longer(pair)),
        (EXCLAIMED, "!" if known.is_exclaimed or new.is_exclaimed else None),
    )


def _meant(features: dict[str, str]) -> Mapping[str, str]:
    """Return the features without those that do not apply: a planned end, or an end that concerns another person."""
    if not features.get(GUARD, "").startswith(("wish", _ANOTHER)):
        return features
    return {feature: evidence for feature, evidence in features.items() if feature not in (CUE, EVENT)}


def _new_cue(known: Statement, new: Statement, cue: str, phrases: str) -> str | None:
    return new.found(phrases) if cue in new.cues and cue not in known.cues else None


def _cue(known: Statement, new: Statement, language: Lexicon) -> str | None:
    is_denied_twice = known.is_negative and new.is_denied
    ends = None if is_denied_twice else _new_cue(known, new, "ending", language.endings)
    return ends or _new_cue(known, new, "change", language.changes)


def _flip(pair: Comparison) -> str | None:
    """Return which statement denies the other. `others too` denies `only these`."""
    known, new = pair.known, pair.new
    if "limit" in known.cues and "also" in new.cues and "limit" not in new.cues:
        return "a limit that no longer holds"
    if "ending" in known.cues & new.cues:
        return _told(is_new=new.is_end_denied) if known.is_end_denied != new.is_end_denied and pair.forth else None
    if known.is_denied != new.is_denied and (pair.forth or pair.back):
        mine, yours = known.denied & pair.known_stems, new.denied & pair.new_stems
        return _denial(pair, mine, yours, is_new=new.is_denied)
    return None


def _denial(pair: Comparison, mine: frozenset[str], yours: frozenset[str], *, is_new: bool) -> str | None:
    """Return which statement denies the other, given the stems that each denies."""
    said, other = (yours, pair.known_stems) if is_new else (mine, pair.new_stems)
    if share(known_stems(said, other), said) < _DENIED:
        return None
    return _told(is_new=is_new)


def _told(*, is_new: bool) -> str:
    return "denies" if is_new else "no longer denies"


def antonym(known: Statement, new: Statement, language: Lexicon) -> str | None:
    """Return two opposites, each in one statement only."""
    for left, right in language.pairs_of_antonyms:
        for mine, yours in ((left, right), (right, left)):
            if (was := known.found(mine)) and (now := new.found(yours)) and not (known.has(yours) or new.has(mine)):
                return f"{was}, {now}"
    return None


def _event(known: Statement, new: Statement, language: Lexicon) -> str | None:
    if "ending" in known.cues:
        return None
    for state, ends in language.groups_of_states:
        if (event := new.found(ends)) and (was := known.found(state)) and not known.has(ends):
            return f"{event} ends {was}"
    return None


def conflict(known: Statement, new: Statement) -> str | None:
    """Return two different values of one kind."""
    mine, yours = _amounts(known), _amounts(new)
    for kind, amounts in yours.items():
        if kind != "year" and amounts.isdisjoint(mine.get(kind, amounts)):
            return f"{kind} {', '.join(sorted(mine[kind]))}, {', '.join(sorted(amounts))}"
    return None


def _amounts(one: Statement) -> Mapping[str, set[str]]:
    """Return the amounts of each kind of value. Ordinals count as numbers."""
    found: dict[str, set[str]] = {}
    for value in one.values:
        found.setdefault("number" if value.kind == "rank" else value.kind, set()).add(value.amount)
    return found


def _single(pair: Comparison, language: Lexicon) -> str | None:
    """Return the phrase of a single-valued attribute for which the values differ: `the main road is`, `lives in`."""
    if pair.new.stated is not None and _states_another(pair):
        return pair.new.stated.said
    if pair.forth == 1:
        return None
    phrases = (language.singles, language.limits)
    said = next((said for phrase in phrases if (said := pair.new.found(phrase)) and pair.known.has(phrase)), None)
    names = (value.said for value in pair.new.held if any(_is_another(value, was, pair) for was in pair.known.held))
    return said or next(names, None)


def _states_another(pair: Comparison) -> bool:
    """Return whether both state different values of one attribute: an address, a number, a day."""
    known, new = pair.known.stated, pair.new.stated
    if known is None or new is None or known.name == new.name:
        return False
    what = new.what & pair.new_stems
    return bool(what) and what == known.what & pair.known_stems


def _is_another(new: SingleValue, known: SingleValue, pair: Comparison) -> bool:
    """Return whether two single values are different values of one attribute: `lives in Hamburg`, `lives in Berlin`."""
    what, was = new.what & pair.new_stems, known.what & pair.known_stems
    is_named = new.name in pair.known.whole.split() or known.name in pair.new.whole.split()
    return bool(what) and what == was and not is_named


def _guard(pair: Comparison, language: Lexicon) -> str | None:
    """Return why the new statement may not be about the same fact as the known one."""
    known, new = pair.known, pair.new
    if other := new.kin - known_stems(new.kin, known.stems):
        return f"{_ANOTHER}: {', '.join(sorted(other))}"
    for guard in _GUARDS:
        if guard in new.asserted and guard not in known.cues and not (guard == "also" and _allows_also(known)):
            return guard
    if ("spoken_to" in new.cues) != ("spoken_to" in known.cues):
        return "one is to somebody"
    years = [{value.amount for value in each.values if value.kind == "year"} for each in (known, new)]
    if all(years) and years[0].isdisjoint(years[1]) and not _states_another(pair):
        return "two years"
    if "past" in new.asserted and "past" not in known.cues:
        return "past"
    return None


def _allows_also(known: Statement) -> bool:
    """Return whether `also` may contradict the statement: it is denied or limited."""
    return known.is_negative or "limit" in known.cues


def _parallel(known: Statement, new: Statement, language: Lexicon) -> str | None:
    for line in language.labels.strip().splitlines():
        mine, yours = known.found(line), new.found(line)
        if mine and yours and mine != yours and not known.has(yours) and not new.has(mine):
            return f"{mine}, {yours}"
    if known.identifiers and new.identifiers and known.identifiers.isdisjoint(new.identifiers):
        return f"{min(known.identifiers)}, {min(new.identifiers)}"
    return None


def _longer(pair: Comparison) -> str | None:
    many, few = len(pair.new_stems), len(pair.known_stems)
    return f"{many} words beside {few}" if many >= max(_LONG, _MUCH_LONGER * few) else None
