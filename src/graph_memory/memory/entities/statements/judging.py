"""What becomes of a new statement beside those that are known: nothing new, to be asked about, or neither. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import StrEnum
from itertools import combinations, pairwise

from graph_memory.memory.entities.statements.comparing import ANTONYM, CONFLICT, EVENT, FLIP, GUARD, Comparison
from graph_memory.memory.entities.statements.likeness import known_stems, share, state_stems
from graph_memory.memory.entities.statements.statement import Said, Statement, stem_of
from graph_memory.memory.entities.statements.values import Value

ASK_FROM = 0.6
"""The score from which on a known statement is asked about."""
_WITHOUT_SIGN = 0.7
"""The same for two that are only alike."""
_RELATED_FROM = 0.2
"""The cosine from which on two statements have something in common without a word."""
_RELATED = frozenset({FLIP, ANTONYM, EVENT, CONFLICT})
_COVERED, _NEAR, _SHARED = 0.7, 0.8, 3
_MEANT = frozenset({"wish", "claim", "stand_in", "past", "limit"})
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
    fresh = _fresh(pair, soft=False)
    said = len(pair.new_stems) + len(new.values)
    is_whole = pair.forth == pair.back == 1 and not (new.is_question or new.is_exclaimed)
    is_said = said > 1 or is_whole or bool(new.values and new.stems)
    if not fresh and is_said and (_is_mutual(pair) or not (known.is_negative or "limit" in known.cues)):
        return Rule.ALL_KNOWN
    shared = len(pair.new_stems) - len(fresh) + len(set(new.values))
    is_near = pair.cosine is not None and pair.cosine >= _NEAR
    if is_near and shared >= _SHARED and not _fresh(pair, soft=True) and _is_mutual(pair):
        return Rule.NEARLY_THE_SAME
    return None


def _fresh(pair: Comparison, *, soft: bool) -> set[str]:
    """Return the stems of the new one that are not known: in another spelling, if it is `soft`, or written apart."""
    known, new = pair.known, pair.new
    among = pair.known_stems.union(*known.joins.values())
    fresh = set(pair.new_stems) - known_stems(pair.new_stems, among, new.language, soft=soft) - _of_cues(pair)
    return {stem for stem in fresh if pair.known_stems.isdisjoint(new.joins.get(stem, ()))}


def _of_cues(pair: Comparison) -> set[str]:
    """Return the stems of the words that say that it ended, or was so once, where both say so."""
    language, both = pair.new.language, pair.known.cues & pair.new.cues
    listed = {"ending": language.endings, "past": language.past}
    found = [
        each.found(phrases) or "" for cue, phrases in listed.items() if cue in both for each in (pair.known, pair.new)
    ]
    return {stem_of(word, language) for word in " ".join(found).split()}


def _is_mutual(pair: Comparison) -> bool:
    """Say whether each of the two is nearly all in the other."""
    both, language = _of_cues(pair), pair.new.language
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
        or _is_denied_otherwise(pair)
        or not {FLIP, ANTONYM, CONFLICT, GUARD}.isdisjoint(pair.features)
        or bool((known.cues ^ new.cues) & _MEANT)
        or not _in_order(list(new.values), list(known.values))
        or bool(new_names - known_stems(new_names, pair.known_stems, language, soft=True))
        or _are_placed_otherwise(pair)
        or _is_put_otherwise(pair)
        or bool(new.kin - known_stems(new.kin, known.stems, language, soft=False))
        or bool(known.kin - known_stems(known.kin, new.stems, language, soft=False))
        or ("past" not in known.cues and bool((known.past ^ new.past) & set(known.stems) & set(new.stems)))
        or (known.has(language.ordering) and not new.has(language.ordering))
    )


def _is_denied_otherwise(pair: Comparison) -> bool:
    """Say whether one denies, or says to be over, what the other does not: `no longer has` is as `was dropped`."""
    known, new = pair.known, pair.new
    ends = [_says_an_end(known, new), _says_an_end(new, known)]
    return ends[0] != ends[1] or (known.is_denied or ends[0]) != (new.is_denied or ends[1])


def _says_an_end(one: Statement, other: Statement) -> bool:
    """Say whether a statement says that something ended, in words that the other has not: `finished`, `completed`."""
    if "ending" not in one.cues:
        return False
    stems = {stem_of(word, one.language) for word in (one.found(one.language.endings) or "").split()}
    return "ending" in other.cues or stems != known_stems(stems, other.stems, one.language, soft=False)


def _in_order(some: list[object], every: list[object]) -> bool:
    """Say whether values are among others, in the same order for each kind."""
    places = [every.index(value) if value in every else -1 for value in some]
    return -1 not in places


def _are_placed_otherwise(pair: Comparison) -> bool:
    """Say whether a name stands elsewhere: `to Oslo` is not `from Oslo`, and who manages whom has an order."""
    known, new = pair.known, pair.new
    names = {stem for stem in new.names | known.names | pair.name if stem in new.stems and stem in known.stems}
    before = [(known.placed.get(name), new.placed.get(name)) for name in names - pair.name]
    if any(mine != yours and ((mine and yours) or len(before) > 1) for mine, yours in before):
        return True
    if any(_changed_places(known, new, one, other) for one, other in combinations(sorted(names), 2)):
        return True
    order = [known.stems.index(stem) for stem in dict.fromkeys(new.stems) if stem in known.stems]
    return new.has(new.language.ordering) and order != sorted(order)


def _changed_places(known: Statement, new: Statement, one: str, other: str) -> bool:
    """Say whether two names have changed their places, which means nothing where `and` or prepositions tie them."""
    if (known.stems.index(one) < known.stems.index(other)) == (new.stems.index(one) < new.stems.index(other)):
        return False
    if all(any({one, other} <= run for run in each.runs) for each in (known, new)):
        return False
    return not any(known.placed.get(name) and known.placed.get(name) == new.placed.get(name) for name in (one, other))


def _is_put_otherwise(pair: Comparison) -> bool:
    """Say whether the new one puts the words of the known one into another order, or leaves some out that may matter.

    A word with a preposition may stand anywhere, a value that is the only one of its kind too, and of the others one
    part may stand before the next one instead of after it: `keeps the key`, `the key is kept`.
    """
    if not pair.new.language.is_written_apart:
        return not _is_mutual(pair)
    out = _of_cues(pair)
    known = [each for each in pair.known.said if isinstance(each.what, Value) or each.what in pair.known_stems - out]
    new = [each for each in pair.new.said if isinstance(each.what, Value) or each.what in pair.new_stems - out]
    left, places, moved = dict(enumerate(known)), dict[str, list[int]](), 0
    for each in new:
        place = next((place for place, one in left.items() if one.what == each.what), None)
        place = place if place is not None else next((one for one in left if _is_alike(left[one], each, pair)), None)
        if place is None:
            continue
        was = left.pop(place).before
        if not isinstance(each.what, Value):
            if was and each.before and was != each.before:
                return True
            moved += was != each.before
            places.setdefault(was or each.before, []).append(place)
        else:
            places.setdefault(f"value {each.what.kind}", []).append(place)
    turned = places.pop("", [])
    if moved > 1 or any(order != sorted(order) for order in places.values()) or not _is_turned_once(turned):
        return True
    return _is_listed_otherwise(pair, known, turned) or not _may_be_left_out(pair, left, len(known) - len(left))


def _is_listed_otherwise(pair: Comparison, known: Sequence[Said], places: Sequence[int]) -> bool:
    """Say whether things that `and` ties are in another order, and are more than names: `tea at six and cake`."""
    if set(pair.new.language.coordinators.split()).isdisjoint(pair.known.words.split()):
        return False
    moved = {known[place].what for place, other in zip(places, sorted(places), strict=True) if place != other}
    return bool(moved) and not any(moved <= run for run in pair.known.runs)


def _is_alike(one: Said, other: Said, pair: Comparison) -> bool:
    one_stem, other_stem = one.what, other.what
    if isinstance(one_stem, Value) or isinstance(other_stem, Value):
        return False
    return bool(known_stems([one_stem], [other_stem], pair.new.language, soft=True))


def _is_turned_once(places: Sequence[int]) -> bool:
    """Say whether places ascend, or would if two parts that stand side by side were exchanged."""
    order = sorted(places)
    moved = [place for place, (one, other) in enumerate(zip(places, order, strict=True)) if one != other]
    part = places[moved[0] : moved[-1] + 1] if moved else ()
    return sum(one > other for one, other in pairwise(part)) <= 1


def _may_be_left_out(pair: Comparison, left: Mapping[int, Said], kept: int) -> bool:
    """Say whether what is left out is all that follows a comma, a count, or words for the state itself, as `works`."""
    if all(not each.is_first for each in left.values()) and all(place >= kept for place in left):
        return True
    return all(_says_little(each.what, pair) for each in left.values())


def _says_little(what: str | Value, pair: Comparison) -> bool:
    if isinstance(what, Value):
        return what.kind == "number" and not any(value.kind == "number" for value in pair.new.values)
    language = pair.new.language
    is_joined = not pair.new_stems.isdisjoint(pair.known.joins.get(what, ()))
    return is_joined or bool(known_stems([what], state_stems(language), language, soft=False))


def _is_fuller(pair: Comparison) -> bool:
    """Say whether the new one says all that the known one does, and more, without a sign against it."""
    if pair.has_sign:
        return False
    return not pair.known_stems - known_stems(pair.known_stems, pair.new_stems, pair.new.language, soft=False)
