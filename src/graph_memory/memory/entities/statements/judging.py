"""What becomes of a new statement beside those that are known: nothing new, to be asked about, or neither. Pure."""

from __future__ import annotations

from enum import StrEnum

from graph_memory.memory.entities.statements.comparing import ANTONYM, CONFLICT, EVENT, FLIP, GUARD, Comparison
from graph_memory.memory.entities.statements.likeness import known_stems, share
from graph_memory.memory.entities.statements.statement import stem_of

ASK_FROM = 0.6
"""The score from which on a known statement is asked about."""
_WITHOUT_SIGN = 0.7
"""The same for two that are only alike."""
_RELATED_FROM = 0.2
"""The cosine from which on two statements have something in common without a word."""
_RELATED = frozenset({FLIP, ANTONYM, EVENT, CONFLICT})
_COVERED, _NEAR, _SHARED = 0.7, 0.8, 3
_MEANT = frozenset({"wish", "claim", "stand_in", "past", "limit", "ending"})
"""Cues that both must have, or neither, if they say the same."""


class Rule(StrEnum):
    """How a statement was judged."""

    EQUAL_TEXT = "equal text"
    ALL_KNOWN = "all known"
    NEARLY_THE_SAME = "nearly the same"
    MAY_CONTRADICT = "may contradict"
    NEW = "new"


SAYS_NOTHING_NEW = frozenset({Rule.EQUAL_TEXT, Rule.ALL_KNOWN, Rule.NEARLY_THE_SAME})
"""The rules of a statement that is known."""


def judged(pair: Comparison) -> Rule:
    """Return what a new statement is beside a known one."""
    if pair.known.whole == pair.new.whole and pair.known.is_question == pair.new.is_question:
        return Rule.EQUAL_TEXT
    if same := _says_nothing_new(pair):
        return same
    return Rule.MAY_CONTRADICT if _is_asked(pair) and not _is_fuller(pair) else Rule.NEW


def asked_from(pair: Comparison) -> float:
    """Return the score from which on the known statement is asked about, were it the only one."""
    return ASK_FROM if pair.has_sign else _WITHOUT_SIGN


def _is_asked(pair: Comparison) -> bool:
    """Say whether a known statement may be out of date, of which both say something in common."""
    if pair.known.is_question or pair.new.is_question:
        return False
    is_near = pair.cosine is None or pair.cosine >= _RELATED_FROM
    if not (pair.forth or pair.back or is_near or _RELATED & pair.features.keys()):
        return False
    return pair.score >= asked_from(pair)


def _says_nothing_new(pair: Comparison) -> Rule | None:
    known, new = pair.known, pair.new
    if _differs(pair):
        return None
    fresh = pair.new_stems - known_stems(pair.new_stems, pair.known_stems, new.language, soft=False) - _of_ending(pair)
    said = len(pair.new_stems) + len(new.values)
    if not fresh and said > 1 and (_is_mutual(pair) or not (known.is_negative or "limit" in known.cues)):
        return Rule.ALL_KNOWN
    shared = len(pair.new_stems) - len(fresh) + len(set(new.values))
    is_near = pair.cosine is not None and pair.cosine >= _NEAR
    if is_near and shared >= _SHARED and _is_mutual(pair):
        return Rule.NEARLY_THE_SAME
    return None


def _of_ending(pair: Comparison) -> set[str]:
    """Return the stems of the words that say that it ended, where both say so."""
    language = pair.new.language
    if "ending" not in pair.known.cues & pair.new.cues:
        return set()
    found = f"{pair.known.found(language.endings)} {pair.new.found(language.endings)}"
    return {stem_of(word, language) for word in found.split()}


def _is_mutual(pair: Comparison) -> bool:
    """Say whether each of the two is nearly all in the other."""
    both, language = _of_ending(pair), pair.new.language
    known, new = pair.known_stems - both, pair.new_stems - both
    sides = ((known, new), (new, known))
    return all(not one or share(known_stems(one, other, language, soft=True), one) >= _COVERED for one, other in sides)


def _differs(pair: Comparison) -> bool:
    """Say whether anything keeps two statements from saying the same."""
    known, new = pair.known, pair.new
    language = new.language
    new_names = {name for name in new.names & pair.new_stems if name not in known.stems}
    return (
        known.is_question != new.is_question
        or known.is_negative != new.is_negative
        or not {FLIP, ANTONYM, CONFLICT, GUARD}.isdisjoint(pair.features)
        or bool((known.cues ^ new.cues) & _MEANT)
        or not _in_order(list(new.values), list(known.values))
        or bool(new_names - known_stems(new_names, pair.known_stems, language, soft=True))
        or _are_placed_otherwise(pair)
        or bool(new.kin ^ known.kin)
        or bool((known.past ^ new.past) & set(known.stems) & set(new.stems))
        or (known.has(language.ordering) and not new.has(language.ordering))
    )


def _in_order(some: list[object], every: list[object]) -> bool:
    """Say whether values are among others, in the same order for each kind."""
    places = [every.index(value) if value in every else -1 for value in some]
    return -1 not in places


def _are_placed_otherwise(pair: Comparison) -> bool:
    """Say whether a name stands elsewhere: `to Oslo` is not `from Oslo`, and who manages whom has an order."""
    known, new = pair.known, pair.new
    shared = {stem for stem in new.names | known.names if stem in new.stems and stem in known.stems}
    before = [(known.placed.get(name), new.placed.get(name)) for name in shared]
    if any(mine != yours and ((mine and yours) or len(shared) > 1) for mine, yours in before):
        return True
    order = [known.stems.index(stem) for stem in dict.fromkeys(new.stems) if stem in known.stems]
    return new.has(new.language.ordering) and order != sorted(order)


def _is_fuller(pair: Comparison) -> bool:
    """Say whether the new one says all that the known one does, and more, without a sign against it."""
    if pair.has_sign:
        return False
    return not pair.known_stems - known_stems(pair.known_stems, pair.new_stems, pair.new.language, soft=False)
