"""Whether two statements say of the same words the same things: who does what, from where, with whom. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations, pairwise

from graph_memory.memory.entities.statements.comparing import Comparison
from graph_memory.memory.entities.statements.likeness import known_stems
from graph_memory.memory.entities.statements.roles import Said
from graph_memory.memory.entities.statements.statement import Statement
from graph_memory.memory.entities.statements.stems import stem_of
from graph_memory.memory.entities.statements.values import Value


def aside(pair: Comparison) -> set[str]:
    """Return the stems of what adds nothing, and of what says that it ended, or was so once, where both say so."""
    language, both = pair.new.language, pair.known.cues & pair.new.cues
    listed = {"ending": language.endings, "past": language.past}
    found = [
        each.found(phrases) or "" for cue, phrases in listed.items() if cue in both for each in (pair.known, pair.new)
    ]
    light = (pair.known.light | pair.new.light) - (pair.known_stems & pair.new_stems)
    return {stem_of(word, language) for word in " ".join(found).split()} | light


def are_placed_otherwise(pair: Comparison) -> bool:
    """Say whether a name stands elsewhere: `to Oslo` is not `from Oslo`, and who manages whom has an order."""
    known, new = pair.known, pair.new
    names = (new.names | known.names | pair.name) & {*new.order} & {*known.order}
    before = [(known.placed.get(name), new.placed.get(name)) for name in names - pair.name]
    if any(mine != yours and ((mine and yours) or len(before) > 1) for mine, yours in before):
        return True
    order = sorted(names, key=known.order.index)
    places = {name: new.order.index(name) for name in names}
    if any(
        places[one] > places[other] and not _may_turn(known, new, one, other) for one, other in combinations(order, 2)
    ):
        return True
    if new.language.is_written_apart or not new.has(new.language.ordering):
        return False
    order = [known.stems.index(stem) for stem in dict.fromkeys(new.stems) if stem in known.stems]
    return order != sorted(order)


def _may_turn(known: Statement, new: Statement, one: str, other: str) -> bool:
    """Say whether it means nothing that two names have changed their places: `and` or prepositions tie them."""
    if all(any({one, other} <= run for run in (*each.runs, *each.roles.lists)) for each in (known, new)):
        return True
    return any(known.placed.get(name) and known.placed.get(name) == new.placed.get(name) for name in (one, other))


def is_put_otherwise(pair: Comparison) -> bool:
    """Say whether the new one puts the words of the known one into another order, or leaves some out that may matter.

    A word with a preposition may stand anywhere, and so may a value beside the same word; what `and` ties may be in any
    order; and of the others one part may stand before the next one instead of after it: `keeps the key`, `the key is
    kept`.
    """
    out = aside(pair)
    known, new = (
        [each for each in side.roles.said if isinstance(each.what, Value) or each.what in stems - out]
        for side, stems in ((pair.known, pair.known_stems), (pair.new, pair.new_stems))
    )
    left, matched = dict(enumerate(known)), list[tuple[int, int]]()
    for at, each in enumerate(new):
        place = next((place for place, one in left.items() if one.what == each.what), None)
        place = place if place is not None else next((one for one in left if _is_alike(left[one], each, pair)), None)
        if place is not None:
            del left[place]
            matched.append((place, at))
    if _is_tied_otherwise(pair, known, new, matched):
        return True
    return _is_in_another_order(pair, known, new, matched) or not _may_be_left_out(pair, left, len(matched))


def _is_tied_otherwise(
    pair: Comparison, known: Sequence[Said], new: Sequence[Said], matched: Sequence[tuple[int, int]]
) -> bool:
    """Say whether words have another preposition, or more than one group of them has one only here or there."""
    linking = pair.new.language.linking_words
    dated = [{one.phrase for one in side if isinstance(one.what, Value)} for side in (known, new)]
    changed = set[tuple[bool, int]]()
    for mine, yours in ((known[place], new[at]) for place, at in matched):
        if mine.before == yours.before or mine.is_free or yours.is_free:
            continue
        ties = {mine.before, yours.before} - linking - {""}
        may_lack = any(
            one.before and (not one.is_head or other.is_apart or one.phrase in values)
            for one, other, values in ((mine, yours, dated[0]), (yours, mine, dated[1]))
        )
        if len(ties) > 1 or (ties and not may_lack):
            return True
        changed.add((bool(mine.before), mine.phrase if mine.before else yours.phrase))
    return len(changed) > 1


def _is_in_another_order(
    pair: Comparison, known: Sequence[Said], new: Sequence[Said], matched: Sequence[tuple[int, int]]
) -> bool:
    places = dict[str, list[int]]()
    for place, at in matched:
        mine, yours = known[place], new[at]
        if isinstance(mine.what, Value):
            if not _is_beside_the_same(pair, known[place + 1 :], new[at + 1 :]):
                places.setdefault(f"value {mine.what.kind}", []).append(place)
        elif not (mine.is_free or yours.is_free):
            is_tied = (mine.is_head or not mine.before) and (yours.is_head or not yours.before)
            places.setdefault((mine.before or yours.before) if is_tied else "", []).append(place)
    loose = places.pop("", [])
    if any(_is_moved(pair, known, order) for order in places.values()):
        return True
    mine, yours = pair.known.roles, pair.new.roles
    may_turn = mine.is_passive != yours.is_passive and not (mine.has_agent or yours.has_agent)
    return _is_moved(pair, known, loose) and not (may_turn and _is_turned_once(pair, loose))


def _is_beside_the_same(pair: Comparison, known: Sequence[Said], new: Sequence[Said]) -> bool:
    return bool(known and new) and _is_alike(known[0], new[0], pair)


def _is_moved(pair: Comparison, known: Sequence[Said], places: Sequence[int]) -> bool:
    """Say whether places do not ascend, but for those of what is listed in both."""
    moved = {known[place].what for place, other in zip(places, sorted(places), strict=True) if place != other}
    lists = (pair.known.roles.lists, pair.new.roles.lists)
    return bool(moved) and not all(any(moved <= each for each in listed) for listed in lists)


def _is_turned_once(pair: Comparison, places: Sequence[int]) -> bool:
    """Say whether places would ascend if two parts that stand side by side were exchanged, and nothing is listed."""
    moved = [place for place, (one, other) in enumerate(zip(places, sorted(places), strict=True)) if one != other]
    part = places[moved[0] : moved[-1] + 1]
    return sum(one > other for one, other in pairwise(part)) <= 1 and not pair.known.roles.lists


def _is_alike(one: Said, other: Said, pair: Comparison) -> bool:
    one_stem, other_stem = one.what, other.what
    if isinstance(one_stem, Value) or isinstance(other_stem, Value):
        return one_stem == other_stem
    return bool(known_stems([one_stem], [other_stem], pair.new.language))


def _may_be_left_out(pair: Comparison, left: Mapping[int, Said], kept: int) -> bool:
    """Say whether what is left out is all that follows a comma, a count, or a word that adds nothing."""
    if all(not each.is_first for each in left.values()) and all(place >= kept for place in left):
        return True
    return all(_says_little(each.what, pair) for each in left.values())


def _says_little(what: str | Value, pair: Comparison) -> bool:
    if isinstance(what, Value):
        return what.kind == "number" and not any(value.kind == "number" for value in pair.new.values)
    is_joined = not pair.new_stems.isdisjoint(pair.known.joins.get(what, ()))
    return is_joined or what in pair.known.light
