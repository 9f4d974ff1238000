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
_MUCH_LONGER, _MIN_LONG = 2.2, 8
_MIN_DENIED_SHARE = 0.5
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
    share_of_known: float
    """The share of known stems that are among the new ones, 0 to 1."""
    features: Mapping[str, str] = field(default_factory=dict[str, str])
    """The features, each with its evidence."""

    @property
    def share_of_new(self) -> float:
        """The share of the new stems that the known statement contains, 0 to 1."""
        return share(self.shared, self.new_stems)

    @property
    def ties(self) -> Collection[str]:
        """The shared words, and the features that connect the new statement with the known one."""
        return self.shared | (_TIES & self.features.keys())

    def count_lost(self) -> int:
        """Return the number of known stems that are not among the new ones."""
        return len(self.known_stems) - round(self.share_of_known * len(self.known_stems))


def compare(known: str, new: str, entity: str = "", language: Lexicon | None = None) -> Comparison:
    """Return the comparison of a new statement about an entity with a known one."""
    language = language or language_of(f"{known}\n{new}")
    known_statement, new_statement = statement(known, language), statement(new, language)
    words = words_only(plain(entity)).split()
    name = {stem_of(form, language) for word in words for form in (word, f"{word}s")}
    stems, new_stems = frozenset(known_statement.stems) - name, frozenset(new_statement.stems) - name
    comparison = Comparison(
        known=known_statement,
        new=new_statement,
        known_stems=stems,
        new_stems=new_stems,
        name=frozenset(stem_of(word, language) for word in words_only(plain(_capitals(entity))).split()),
        shared=frozenset(known_stems(new_stems, stems)),
        share_of_known=share(known_stems(stems, new_stems), stems),
    )
    features = _drop_inapplicable(
        {feature: evidence for feature, evidence in _features(comparison, language) if evidence}
    )
    return replace(comparison, features=features)


def _capitals(name: str) -> str:
    return " ".join(word for word in name.split() if word[0].isupper())


def _features(pair: Comparison, language: Lexicon) -> Collection[tuple[str, str | None]]:
    known, new = pair.known, pair.new
    return (
        (CUE, _cue(known, new, language)),
        (FLIP, _describe_negation(pair)),
        (ANTONYM, antonym(known, new, language)),
        (EVENT, _event(known, new, language)),
        (NOW, _new_cue(known, new, "now", language.now)),
        (CORRECTION, _new_cue(known, new, "correction", language.corrections)),
        (CONFLICT, conflict(known, new)),
        (SINGLE, _single_phrase(pair, language)),
        (GUARD, _another_fact_cue(pair, language)),
        (PARALLEL, _parallel(known, new, language)),
        (LONGER, _longer(pair)),
        (EXCLAIMED, "!" if known.is_exclaimed or new.is_exclaimed else None),
    )


def _drop_inapplicable(features: dict[str, str]) -> Mapping[str, str]:
    """Drop the end of a state from the features if the state is only planned, or is another person's."""
    if not features.get(GUARD, "").startswith(("wish", _ANOTHER)):
        return features
    return {feature: evidence for feature, evidence in features.items() if feature not in (CUE, EVENT)}


def _new_cue(known: Statement, new: Statement, cue: str, phrases: str) -> str | None:
    return new.find_phrase(phrases) if cue in new.cues and cue not in known.cues else None


def _cue(known: Statement, new: Statement, language: Lexicon) -> str | None:
    is_denied_twice = known.is_negative and new.is_denied
    ends = None if is_denied_twice else _new_cue(known, new, "ending", language.endings)
    return ends or _new_cue(known, new, "change", language.changes)


def _describe_negation(pair: Comparison) -> str | None:
    """Describe which statement denies the other, or return None. `others too` denies `only these`."""
    known, new = pair.known, pair.new
    if "limit" in known.cues and "also" in new.cues and "limit" not in new.cues:
        return "a limit that no longer holds"
    if "ending" in known.cues & new.cues:
        return (
            _direction(is_new=new.is_end_denied)
            if known.is_end_denied != new.is_end_denied and pair.share_of_new
            else None
        )
    if known.is_denied != new.is_denied and (pair.share_of_new or pair.share_of_known):
        known_denied, new_denied = known.denied_stems & pair.known_stems, new.denied_stems & pair.new_stems
        return _describe_denial(pair, known_denied, new_denied, is_new=new.is_denied)
    return None


def _describe_denial(
    pair: Comparison, known_denied: frozenset[str], new_denied: frozenset[str], *, is_new: bool
) -> str | None:
    """Describe which statement denies the other, or return None. Both denials are given as stems."""
    denied, other = (new_denied, pair.known_stems) if is_new else (known_denied, pair.new_stems)
    if share(known_stems(denied, other), denied) < _MIN_DENIED_SHARE:
        return None
    return _direction(is_new=is_new)


def _direction(*, is_new: bool) -> str:
    return "denies" if is_new else "no longer denies"


def antonym(known: Statement, new: Statement, language: Lexicon) -> str | None:
    """Return two opposites of which each statement contains one, as text, or None."""
    for left, right in language.pairs_of_antonyms:
        for mine, yours in ((left, right), (right, left)):
            if (
                (was := known.find_phrase(mine))
                and (now := new.find_phrase(yours))
                and not (known.has(yours) or new.has(mine))
            ):
                return f"{was}, {now}"
    return None


def _event(known: Statement, new: Statement, language: Lexicon) -> str | None:
    if "ending" in known.cues:
        return None
    for state, ends in language.groups_of_states:
        if (event := new.find_phrase(ends)) and (was := known.find_phrase(state)) and not known.has(ends):
            return f"{event} ends {was}"
    return None


def conflict(known: Statement, new: Statement) -> str | None:
    """Return two different values of the same kind, as text, or None."""
    mine, yours = _amounts_by_kind(known), _amounts_by_kind(new)
    for kind, amounts in yours.items():
        if kind != "year" and amounts.isdisjoint(mine.get(kind, amounts)):
            return f"{kind} {', '.join(sorted(mine[kind]))}, {', '.join(sorted(amounts))}"
    return None


def _amounts_by_kind(parsed: Statement) -> Mapping[str, set[str]]:
    """Return the amounts by kind of value. Ordinals count as numbers."""
    amounts: dict[str, set[str]] = {}
    for value in parsed.values:
        amounts.setdefault("number" if value.kind == "rank" else value.kind, set()).add(value.amount)
    return amounts


def _single_phrase(pair: Comparison, language: Lexicon) -> str | None:
    """Return the phrase of an attribute with a single value that differs: `the main road is`, `lives in`."""
    if pair.new.stated is not None and _states_another(pair):
        return pair.new.stated.phrase
    if pair.share_of_new == 1:
        return None
    phrases = (language.singles, language.limits)
    phrase_in_both = next(
        (
            phrase_in_both
            for phrase in phrases
            if (phrase_in_both := pair.new.find_phrase(phrase)) and pair.known.has(phrase)
        ),
        None,
    )
    names = (
        value.phrase
        for value in pair.new.single_values
        if any(_is_another(value, known_value, pair) for known_value in pair.known.single_values)
    )
    return phrase_in_both or next(names, None)


def _states_another(pair: Comparison) -> bool:
    """Return whether the statements give different values for the same attribute, such as an address or a day."""
    known, new = pair.known.stated, pair.new.stated
    if known is None or new is None or known.name == new.name:
        return False
    stems = new.stems & pair.new_stems
    return bool(stems) and stems == known.stems & pair.known_stems


def _is_another(new: SingleValue, known: SingleValue, pair: Comparison) -> bool:
    """Return whether two values differ for the same attribute: `lives in Hamburg`, `lives in Berlin`."""
    stems, was = new.stems & pair.new_stems, known.stems & pair.known_stems
    is_named = new.name in pair.known.whole.split() or known.name in pair.new.whole.split()
    return bool(stems) and stems == was and not is_named


def _another_fact_cue(pair: Comparison, language: Lexicon) -> str | None:
    """Return why the new statement may be about another fact, or None."""
    known, new = pair.known, pair.new
    if other := new.kin - known_stems(new.kin, known.stems):
        return f"{_ANOTHER}: {', '.join(sorted(other))}"
    for guard in _GUARDS:
        if guard in new.asserted and guard not in known.cues and not (guard == "also" and _allows_also(known)):
            return guard
    if ("spoken_to" in new.cues) != ("spoken_to" in known.cues):
        return "one is to somebody"
    years = [{value.amount for value in parsed.values if value.kind == "year"} for parsed in (known, new)]
    if all(years) and years[0].isdisjoint(years[1]) and not _states_another(pair):
        return "two years"
    if "past" in new.asserted and "past" not in known.cues:
        return "past"
    return None


def _allows_also(known: Statement) -> bool:
    """Return whether `also` in a new statement may contradict this statement, which denies or limits a value."""
    return known.is_negative or "limit" in known.cues


def _parallel(known: Statement, new: Statement, language: Lexicon) -> str | None:
    for line in language.labels.strip().splitlines():
        mine, yours = known.find_phrase(line), new.find_phrase(line)
        if mine and yours and mine != yours and not known.has(yours) and not new.has(mine):
            return f"{mine}, {yours}"
    if known.identifiers and new.identifiers and known.identifiers.isdisjoint(new.identifiers):
        return f"{min(known.identifiers)}, {min(new.identifiers)}"
    return None


def _longer(pair: Comparison) -> str | None:
    many, few = len(pair.new_stems), len(pair.known_stems)
    return f"{many} words beside {few}" if many >= max(_MIN_LONG, _MUCH_LONGER * few) else None
