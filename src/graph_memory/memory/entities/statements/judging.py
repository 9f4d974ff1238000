"""What becomes of a new statement beside those that are known: nothing new, to be asked about, or neither. Pure."""

from __future__ import annotations

from collections.abc import Collection
from enum import StrEnum

from graph_memory.memory.entities.statements.comparing import (
    ANTONYM,
    CONFLICT,
    FLIP,
    GUARD,
    Comparison,
    compared,
)
from graph_memory.memory.entities.statements.likeness import known_stems, share
from graph_memory.memory.entities.statements.literals import count_literals, has_same_literals, with_names
from graph_memory.memory.entities.statements.ordering import are_placed_otherwise, aside, is_put_otherwise
from graph_memory.memory.entities.statements.statement import Statement
from graph_memory.memory.entities.statements.stems import stem_of

ASK_FROM = 0.6
"""The score from which on a known statement is asked about."""
_WITHOUT_SIGN = 0.65
"""The same for two that are only alike."""
_COVERED = 0.7
_MEANT = frozenset({"able", "wish", "claim", "stand_in", "past", "limit"})
"""Cues that both must have, or neither, if they say the same."""


class Rule(StrEnum):
    """How a statement was judged."""

    EQUAL_TEXT = "equal text"
    ALL_KNOWN = "all known"
    MAY_CONTRADICT = "may contradict"
    NEW = "new"


SAYS_NOTHING_NEW = frozenset({Rule.EQUAL_TEXT, Rule.ALL_KNOWN})
"""The rules of a statement that is known."""


def judged(pair: Comparison) -> Rule:
    """Return what a new statement is beside a known one."""
    if _says_nothing_new(pair):
        return Rule.ALL_KNOWN if _is_proved(pair) else Rule.MAY_CONTRADICT
    return Rule.MAY_CONTRADICT if _is_asked(pair) and not _is_fuller(pair) else Rule.NEW


def _is_proved(pair: Comparison) -> bool:
    """Say whether no telling character differs: a sign, a capital, an accent, a hyphen or a digit."""
    known, new = pair.texts
    language = pair.new.language
    if not has_same_literals(known, new, language):
        return False
    if not count_literals(new, language):
        return True
    return _says_nothing_new(compared(*with_names(known, new, language), pair.entity, language=language))


def asked_from(pair: Comparison) -> float:
    """Return the score from which on the known statement is asked about, were it the only one."""
    return ASK_FROM if pair.has_sign else _WITHOUT_SIGN


def _is_asked(pair: Comparison) -> bool:
    """Say whether a known statement may be out of date, of which both say something in common."""
    if pair.known.is_question or pair.new.is_question:
        return False
    return pair.score >= asked_from(pair)


def _says_nothing_new(pair: Comparison) -> bool:
    known, new = pair.known, pair.new
    if (known.whole, known.is_question, known.values, known.symbols) == (
        new.whole,
        new.is_question,
        new.values,
        new.symbols,
    ):
        return True
    if _differs(pair) or _find_new_stems(pair):
        return False
    said = len(pair.new_stems) + len(new.values)
    is_whole = pair.forth == pair.back == 1 and not (new.is_question or new.is_exclaimed)
    is_said = said > 1 or is_whole or bool(new.values and new.stems)
    return is_said and (_is_mutual(pair) or not (known.is_negative or "limit" in known.cues))


def _find_new_stems(pair: Comparison) -> set[str]:
    """Return the stems of the new statement that the known one lacks, even as two separate words."""
    known, new = pair.known, pair.new
    among = pair.known_stems.union(*known.joins.values())
    fresh = set(pair.new_stems) - known_stems(pair.new_stems, among, new.language) - aside(pair)
    return {stem for stem in fresh if pair.known_stems.isdisjoint(new.joins.get(stem, ()))}


def _is_mutual(pair: Comparison) -> bool:
    """Say whether each of the two is nearly all in the other."""
    both = aside(pair)
    known = _not_joined(pair.known_stems, pair.known, pair.new_stems, pair.new) - both
    new = _not_joined(pair.new_stems, pair.new, pair.known_stems, pair.known) - both
    sides = ((one, known_stems(one, other, pair.new.language)) for one, other in ((known, new), (new, known)))
    return all(not one or share(covered, one) >= _COVERED for one, covered in sides)


def _not_joined(stems: frozenset[str], one: Statement, others: frozenset[str], other: Statement) -> frozenset[str]:
    """Return the stems of a statement of which the other has no word that is written as one with the next."""
    apart = stems.difference(*other.joins.values())
    return frozenset(stem for stem in apart if others.isdisjoint(one.joins.get(stem, ())))


def _differs(pair: Comparison) -> bool:
    """Say whether anything keeps two statements from saying the same."""
    known, new = pair.known, pair.new
    language = new.language
    new_names = {name for name in new.names & pair.new_stems if name not in known.stems}
    return (
        known.is_question != new.is_question
        or _is_denied_otherwise(pair)
        or not {FLIP, ANTONYM, CONFLICT, GUARD}.isdisjoint(pair.features)
        or bool((known.cues ^ new.cues) & _MEANT)
        or not {*new.values} <= {*known.values}
        or not new.symbols <= known.symbols
        or bool(new_names - known_stems(new_names, pair.known_stems, language))
        or _is_said_of_others(pair)
        or not (language.is_written_apart or _is_mutual(pair))
        or bool(new.kin - known_stems(new.kin, known.stems, language))
        or bool(known.kin - known_stems(known.kin, new.stems, language))
        or ("past" not in known.cues and _is_of_another_time(known, new))
        or known.is_alternative != new.is_alternative
        or not (known.single.isdisjoint(new.plural) and new.single.isdisjoint(known.plural))
        or bool(known.limited and new.limited and known.limited != new.limited)
        or (known.has(language.ordering) and not new.has(language.ordering))
    )


def _is_said_of_others(pair: Comparison) -> bool:
    """Say whether the same words do something else: who lent what to whom, what is from where."""
    return are_placed_otherwise(pair) or (pair.new.language.is_written_apart and is_put_otherwise(pair))


def _is_of_another_time(known: Statement, new: Statement) -> bool:
    """Say whether one says that it was so, and the other that it is."""
    if {known.tense, new.tense} == {"was", "is"}:
        return True
    return not (known.past.isdisjoint(new.present) and new.past.isdisjoint(known.present))


def _is_denied_otherwise(pair: Comparison) -> bool:
    """Say whether one denies, or says to be over, what the other does not: `no longer has` is as `was dropped`."""
    known, new = pair.known, pair.new
    if known.is_denied and new.is_denied and not _is_the_same(known.denied, new.denied, pair):
        return True
    if "ending" in known.cues & new.cues:
        return known.is_end_denied != new.is_end_denied
    ends = [_says_an_end(known, new), _says_an_end(new, known)]
    return ends[0] != ends[1] or (known.is_denied or ends[0]) != (new.is_denied or ends[1])


def _is_the_same(some: Collection[str], others: Collection[str], pair: Comparison) -> bool:
    """Say whether of two groups of stems each has nothing but what adds nothing beyond the other."""
    out = aside(pair) | pair.name
    sides = ((set(some) - out, others), (set(others) - out, some))
    return all(len(known_stems(one, other, pair.new.language)) == len(one) for one, other in sides)


def _says_an_end(one: Statement, other: Statement) -> bool:
    """Say whether a statement says that something ended, in words that the other has not: `finished`, `completed`."""
    if "ending" not in one.cues:
        return False
    stems = {stem_of(word, one.language) for word in (one.found(one.language.endings) or "").split()}
    return "ending" in other.cues or stems != known_stems(stems, other.stems, one.language)


def _is_fuller(pair: Comparison) -> bool:
    """Say whether the new one says all that the known one does, and more, without a sign against it."""
    if pair.has_sign or (pair.forth == 1 and _is_said_of_others(pair)):
        return False
    return not pair.known_stems - known_stems(pair.known_stems, pair.new_stems, pair.new.language)
