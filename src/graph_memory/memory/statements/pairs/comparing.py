"""Compares a new statement about an entity with a known statement: shared words, and hints of a contradiction."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from difflib import SequenceMatcher
from functools import lru_cache

from graph_memory.memory.statements.language.folding import fold_text, words_only
from graph_memory.memory.statements.language.languages import language_of
from graph_memory.memory.statements.language.lexicon.lexicon import Lexicon
from graph_memory.memory.statements.language.stems import stem_of
from graph_memory.memory.statements.single_values import SingleValue
from graph_memory.memory.statements.statement import Statement, parse_statement

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
"""The features that show that two statements cannot both be true."""
_ANOTHER_PERSON = "another person"
_LINKING_FEATURES = frozenset({EVENT, CONFLICT})
_GUARD_CUES = ("wish", "claim", "stand_in", "also")
_MUCH_LONGER, _MIN_LONG = 2.2, 8
_MIN_DENIED_SHARE = 0.5
"""Minimum share of a denied clause's words that must occur in the other statement."""
_MIN_LENGTH, _MIN_RATIO = 5, 0.8
"""Minimum number of letters, and minimum similarity, of two words that may differ by a typing error."""
_FAMILY_PREFIX = 6
"""Number of initial letters shared by words of the same family."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """A comparison of a new statement with a known statement about the same entity."""

    known: Statement
    new: Statement
    known_stems: frozenset[str]
    """The stems of the known statement, without the stems of the entity's name."""
    name: frozenset[str]
    """The stems of the capitalised words in the entity's name."""
    new_stems: frozenset[str]
    shared: frozenset[str]
    """The new statement's stems that occur in the known statement as the same or a similar word."""
    share_of_known: float
    """The share of the known statement's stems that occur in the new statement, from 0 to 1."""
    features: Mapping[str, str] = field(default_factory=dict[str, str])
    """The pair's features, each with the words that show it."""

    @property
    def share_of_new(self) -> float:
        """The share of the new statement's stems that the known statement contains, from 0 to 1."""
        return _overlap_share(self.shared, self.new_stems)

    @property
    def shared_features(self) -> Collection[str]:
        """The shared words, and the features that connect both statements."""
        return self.shared | (_LINKING_FEATURES & self.features.keys())

    def count_lost(self) -> int:
        """Return the number of known stems that do not occur in the new statement."""
        return len(self.known_stems) - round(self.share_of_known * len(self.known_stems))


def compare(known: str, new: str, entity: str = "", language: Lexicon | None = None) -> Comparison:
    """Compare a new statement about an entity with a known statement. By default, the language is detected."""
    language = language or language_of(f"{known}\n{new}")
    known_statement, new_statement = parse_statement(known, language), parse_statement(new, language)
    words = words_only(fold_text(entity)).split()
    name = {stem_of(form, language) for word in words for form in (word, f"{word}s")}
    capitalised_words = " ".join(word for word in entity.split() if word[0].isupper())
    stems, new_stems = frozenset(known_statement.stems) - name, frozenset(new_statement.stems) - name
    comparison = Comparison(
        known=known_statement,
        new=new_statement,
        known_stems=stems,
        new_stems=new_stems,
        name=frozenset(stem_of(word, language) for word in words_only(fold_text(capitalised_words)).split()),
        shared=frozenset(_known_stems(new_stems, stems)),
        share_of_known=_overlap_share(_known_stems(stems, new_stems), stems),
    )
    features = {feature: evidence for feature, evidence in _extract_features(comparison, language) if evidence}
    if features.get(GUARD, "").startswith(("wish", _ANOTHER_PERSON)):
        # the end of a state is only planned, or belongs to another person
        features = {feature: evidence for feature, evidence in features.items() if feature not in (CUE, EVENT)}
    return replace(comparison, features=features)


def _extract_features(pair: Comparison, language: Lexicon) -> Collection[tuple[str, str | None]]:
    known, new = pair.known, pair.new
    return (
        (CUE, _find_ending_or_change(known, new, language)),
        (FLIP, _describe_negation(pair)),
        (ANTONYM, find_antonyms(known, new, language)),
        (EVENT, _find_ending_event(known, new, language)),
        (NOW, _new_cue(known, new, "now", language.now)),
        (CORRECTION, _new_cue(known, new, "correction", language.corrections)),
        (CONFLICT, find_conflict(known, new)),
        (SINGLE, _single_phrase(pair, language)),
        (GUARD, _another_fact_cue(pair, language)),
        (PARALLEL, _find_parallel_labels(known, new, language)),
        (LONGER, _describe_length(pair)),
        (EXCLAIMED, "!" if known.is_exclaimed or new.is_exclaimed else None),
    )


def _new_cue(known: Statement, new: Statement, cue: str, phrases: str) -> str | None:
    return new.find_phrase(phrases) if cue in new.cues and cue not in known.cues else None


def _find_ending_or_change(known: Statement, new: Statement, language: Lexicon) -> str | None:
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
        denied, other = known.denied_stems & pair.known_stems, pair.new_stems
        if new.is_denied:
            denied, other = new.denied_stems & pair.new_stems, pair.known_stems
        if _overlap_share(_known_stems(denied, other), denied) >= _MIN_DENIED_SHARE:
            return _direction(is_new=new.is_denied)
    return None


def _direction(*, is_new: bool) -> str:
    return "denies" if is_new else "no longer denies"


def find_antonyms(known: Statement, new: Statement, language: Lexicon) -> str | None:
    """Return two antonyms as text if each statement contains one of them, otherwise None."""
    for left, right in language.pairs_of_antonyms:
        for phrases, opposites in ((left, right), (right, left)):
            if (
                (known_phrase := known.find_phrase(phrases))
                and (new_phrase := new.find_phrase(opposites))
                and not (known.has(opposites) or new.has(phrases))
            ):
                return f"{known_phrase}, {new_phrase}"
    return None


def _find_ending_event(known: Statement, new: Statement, language: Lexicon) -> str | None:
    if "ending" in known.cues:
        return None
    for state, ends in language.groups_of_states:
        if (event := new.find_phrase(ends)) and (state_phrase := known.find_phrase(state)) and not known.has(ends):
            return f"{event} ends {state_phrase}"
    return None


def find_conflict(known: Statement, new: Statement) -> str | None:
    """Return two different values of the same kind as text, or None if there is no conflict."""
    known_amounts, new_amounts = _amounts_by_kind(known), _amounts_by_kind(new)
    for kind, amounts in new_amounts.items():
        if kind != "year" and amounts.isdisjoint(known_amounts.get(kind, amounts)):
            return f"{kind} {', '.join(sorted(known_amounts[kind]))}, {', '.join(sorted(amounts))}"
    return None


def _amounts_by_kind(parsed: Statement) -> Mapping[str, set[str]]:
    """Return the amounts by kind of value. Ordinals count as numbers."""
    amounts: dict[str, set[str]] = {}
    for value in parsed.values:
        amounts.setdefault("number" if value.kind == "rank" else value.kind, set()).add(value.amount)
    return amounts


def _single_phrase(pair: Comparison, language: Lexicon) -> str | None:
    """Return the phrase of a single-valued attribute whose values differ, such as `lives in`, or None."""
    if pair.new.stated is not None and _states_another(pair):
        return pair.new.stated.phrase
    if pair.share_of_new == 1:
        return None
    for phrases in (language.singles, language.limits):
        if (phrase_in_both := pair.new.find_phrase(phrases)) and pair.known.has(phrases):
            return phrase_in_both
    different_values = (
        value.phrase
        for value in pair.new.single_values
        if any(_is_another(value, known_value, pair) for known_value in pair.known.single_values)
    )
    return next(different_values, None)


def _states_another(pair: Comparison) -> bool:
    """Return whether the statements give different values for the same attribute, such as an address or a day."""
    known, new = pair.known.stated, pair.new.stated
    if known is None or new is None or known.name == new.name:
        return False
    stems = new.stems & pair.new_stems
    return bool(stems) and stems == known.stems & pair.known_stems


def _is_another(new: SingleValue, known: SingleValue, pair: Comparison) -> bool:
    """Return whether two values of the same attribute differ, such as `lives in Hamburg` and `lives in Berlin`."""
    stems, known_stems_of_value = new.stems & pair.new_stems, known.stems & pair.known_stems
    is_named = new.name in pair.known.whole.split() or known.name in pair.new.whole.split()
    return bool(stems) and stems == known_stems_of_value and not is_named


def _another_fact_cue(pair: Comparison, language: Lexicon) -> str | None:
    """Return why the new statement may be about another fact, or None."""
    known, new = pair.known, pair.new
    if other := new.kin - _known_stems(new.kin, known.stems):
        return f"{_ANOTHER_PERSON}: {', '.join(sorted(other))}"
    for guard in _GUARD_CUES:
        if guard in new.asserted and guard not in known.cues and not (guard == "also" and _allows_also(known)):
            return guard
    if ("spoken_to" in new.cues) != ("spoken_to" in known.cues):
        return "one addresses a person"
    years = [{value.amount for value in parsed.values if value.kind == "year"} for parsed in (known, new)]
    if all(years) and years[0].isdisjoint(years[1]) and not _states_another(pair):
        return "two years"
    if "past" in new.asserted and "past" not in known.cues:
        return "past"
    return None


def _allows_also(known: Statement) -> bool:
    """Return whether this statement denies or limits a value, so that `also` in a new statement may contradict it."""
    return known.is_negative or "limit" in known.cues


def _find_parallel_labels(known: Statement, new: Statement, language: Lexicon) -> str | None:
    for line in language.labels.strip().splitlines():
        known_label, new_label = known.find_phrase(line), new.find_phrase(line)
        if (
            known_label
            and new_label
            and known_label != new_label
            and not known.has(new_label)
            and not new.has(known_label)
        ):
            return f"{known_label}, {new_label}"
    if known.identifiers and new.identifiers and known.identifiers.isdisjoint(new.identifiers):
        return f"{min(known.identifiers)}, {min(new.identifiers)}"
    return None


def _describe_length(pair: Comparison) -> str | None:
    new_count, known_count = len(pair.new_stems), len(pair.known_stems)
    return (
        f"{new_count} words beside {known_count}" if new_count >= max(_MIN_LONG, _MUCH_LONGER * known_count) else None
    )


@lru_cache(maxsize=65_536)
def _is_similar(stem: str, other: str) -> bool:
    """Return whether two stems differ only by a typing error, or belong to the same word family."""
    if min(len(stem), len(other)) < _MIN_LENGTH:
        return False
    if stem[:_FAMILY_PREFIX] == other[:_FAMILY_PREFIX] and min(len(stem), len(other)) >= _FAMILY_PREFIX:
        return True
    return stem[0] == other[0] and SequenceMatcher(None, stem, other).ratio() >= _MIN_RATIO


def _known_stems(stems: Collection[str], known: Collection[str]) -> set[str]:
    """Return the stems that equal or resemble one of the known stems."""
    others = frozenset(known)
    return {stem for stem in stems if stem in others or any(_is_similar(stem, other) for other in others)}


def _overlap_share(part: Collection[str], stems: Collection[str]) -> float:
    """Return the share of the stems that are in `part`, from 0 to 1. If there are no stems, it is 0."""
    return len(part) / len(stems) if stems else 0.0
