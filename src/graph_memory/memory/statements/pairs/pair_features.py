"""The numeric features of two statements. They are the input of the models in `judging`."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from math import log1p

from graph_memory.memory.statements.pairs.comparing import SIGNS, Comparison
from graph_memory.memory.statements.statement import Statement

_CUES_OF_KNOWN = ("change", "stand_in", "limit")


def measure_features(pair: Comparison) -> Mapping[str, float]:
    """Return the features of a pair by name. Word counts are logarithmic."""
    return {
        **{sign: float(sign in pair.features) for sign in SIGNS},
        **_measure_words(pair),
        **dict(_measure_manner(pair.known, pair.new)),
        **_measure_names(pair),
        **_measure_values(pair.known, pair.new),
    }


def _measure_words(pair: Comparison) -> Mapping[str, float]:
    shared, lost, added = len(pair.shared), pair.count_lost(), len(pair.new_stems) - len(pair.shared)
    known = [stem for stem in pair.known.stems if stem in pair.known_stems]
    new = [stem for stem in pair.new.stems if stem in pair.new_stems]
    return {
        "share of new words": pair.share_of_new,
        "share of known words": pair.share_of_known,
        "new words": log1p(len(pair.new_stems)),
        "known words": log1p(len(pair.known_stems)),
        "shared words": log1p(shared),
        "lost words": log1p(lost),
        "added words": log1p(added),
        "nothing shared": float(not shared),
        "one word exchanged": float(lost == added == 1),
        "few words exchanged": float(0 < lost <= 2 and 0 < added <= 2 and shared > 0),
        "only added": float(lost == 0 and added > 0),
        "same first word": float(known[:1] == new[:1] != []),
        "same last word": float(known[-1:] == new[-1:] != []),
    }


def _measure_manner(known: Statement, new: Statement) -> Iterator[tuple[str, float]]:
    for name, statement, cues in (("new", new, ("change", "now", "spoken_to")), ("known", known, _CUES_OF_KNOWN)):
        for cue in cues:
            yield f"{name}: {cue}", float(cue in statement.cues)
        yield f"{name}: denied", float(statement.is_denied)
    yield "one denied", float(known.is_denied != new.is_denied)
    yield "another tense", float({known.tense, new.tense} == {"was", "is"})


def _measure_names(pair: Comparison) -> Mapping[str, float]:
    known, new = pair.known.names - pair.name, pair.new.names - pair.name
    return {
        "added names": log1p(len(new.difference(pair.known.stems))),
        "lost names": log1p(len(known.difference(pair.new.stems))),
        "shared names": log1p(len(new & known)),
        "names exchanged": float(bool(new - known) and bool(known - new)),
    }


def _measure_values(known: Statement, new: Statement) -> Mapping[str, float]:
    """Count the kinds of values that are equal, that differ, and that occur in only one statement."""
    known_amounts, new_amounts = _amounts(known), _amounts(new)
    both = known_amounts.keys() & new_amounts.keys()
    same = sum(not known_amounts[kind].isdisjoint(new_amounts[kind]) for kind in both)
    return {
        "same values": float(same),
        "other values": float(len(both) - same),
        "added values": float(len(new_amounts.keys() - both)),
        "lost values": float(len(known_amounts.keys() - both)),
    }


def _amounts(statement: Statement) -> Mapping[str, set[str]]:
    amounts = defaultdict[str, set[str]](set)
    for value in statement.values:
        amounts[value.kind].add(value.amount)
    return amounts


def feature_vector(pair: Comparison) -> Sequence[float]:
    """Return 1.0 for the intercept, followed by a pair's features in the order of the weights."""
    return (1.0, *measure_features(pair).values())
