"""Resolves references to observations by id or text, with errors for unknown ones."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from graph_memory.memory.entities.observations.observing import Observation
from graph_memory.memory.statements.language.folding import plain, words_only
from graph_memory.memory.statements.language.languages import language_of
from graph_memory.memory.statements.language.stems import stems_of
from graph_memory.memory.statements.statement_verdict import Known
from graph_memory.model.errors import GraphError, Hint
from graph_memory.model.text.wording import did_you_mean, nearest, quoted
from graph_memory.model.values.arguments import fault
from graph_memory.storage.queries import query
from graph_memory.storage.store import Reader

OBSERVED_OF = query("entities/observed_of", str)
_MOST = 3
"""Maximum number of observations or entities in an error message."""
_FEWEST, _NEAR = 2, 0.5
"""Minimum number of words that similar texts share, and their minimum share of the shorter text."""


def resolved(names: Iterable[str], among: Mapping[str, Observation]) -> list[Observation]:
    """Return the observations with these ids or texts. Of several with a text, the current one, else the last.

    Raises INVALID_ARGUMENT if there is none.
    """
    observations: list[Observation] = []
    for name in names:
        same = [observation for observation in among.values() if name in (observation.id, observation.state.text)]
        if not same:
            raise _unknown("replaces", name)
        observations.append(next((observation for observation in same if not observation.is_over), same[-1]))
    return list({observation.id: observation for observation in observations}.values())


async def check_named(
    reader: Reader,
    domain: str,
    names: Iterable[str],
    among: Mapping[str, Observation],
    known: Sequence[Known],
    argument: str = "replaces",
) -> None:
    """Raise INVALID_ARGUMENT, with suggestions, for a reference that matches no observation of an entity."""
    there = {name for observation in among.values() for name in (observation.id, observation.state.text)}
    for name in names:
        if name not in there:
            owners = await reader.read(OBSERVED_OF, domain=domain, wanted=name, limit=_MOST)
            raise _unknown(argument, name, known, owners)


def _unknown(argument: str, name: str, known: Sequence[Known] = (), owners: Sequence[str] = ()) -> GraphError:
    hint = Hint("Use the id of an observation of this entity, or its exact text.", " {open_nodes} lists them.")
    if owners:
        names = " and ".join(quoted(owner) for owner in sorted(owners))
        which = "that entity" if len(owners) == 1 else "one of them"
        hint = f"That observation belongs to {names}. Refer to it in a call about {which}."
    elif near := nearest_known(name, known):
        lines = [f"{quoted(one.text)} ({one.id})" for one in near]
        hint = Hint("{meant}{hint}", meant=did_you_mean(lines), hint=hint)
    return fault(argument, f"The entity has no observation {quoted(name)}", hint)


def nearest_known(text: str, known: Sequence[Known]) -> list[Known]:
    """Return the observations that were probably meant, most likely first: similar spelling, then most common words."""
    spelt, said = nearest(text, [one.text for one in known]), _words(text)
    pairs: list[tuple[float, Known]] = []
    for one in known:
        other = _words(one.text)
        shared = len(said & other)
        if one.text == spelt or (shared >= _FEWEST and shared >= _NEAR * min(len(said), len(other))):
            pairs.append((float(one.text == spelt) + shared / max(len(said | other), 1), one))
    return [one for _, one in sorted(pairs, key=lambda pair: -pair[0])[:_MOST]]


def _words(text: str) -> frozenset[str]:
    return frozenset(stems_of(words_only(plain(text)), language_of(text)))
