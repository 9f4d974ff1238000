"""Resolves references to observations by id or text. Unknown references are errors."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from graph_memory.memory.entities.observations.observing import Observation
from graph_memory.memory.statements.language.folding import fold_text, words_only
from graph_memory.memory.statements.language.languages import language_of
from graph_memory.memory.statements.language.stems import stems_of
from graph_memory.memory.statements.statement_verdict import CurrentObservation
from graph_memory.model.errors import GraphError, Hint
from graph_memory.model.text.wording import did_you_mean, nearest, quote
from graph_memory.model.values.arguments import invalid_argument
from graph_memory.storage.queries import query
from graph_memory.storage.store import Reader

OBSERVED_OF = query("entities/observed_of", str)
_MAX_SUGGESTIONS = 3
"""Maximum number of observations, or of entities, that an error message suggests."""
_MIN_SHARED_WORDS, _MIN_SHARED_FRACTION = 2, 0.5
"""Similar texts have at least this number of words in common, and at least this fraction of the shorter text."""


def resolve_references(references: Iterable[str], observations: Mapping[str, Observation]) -> list[Observation]:
    """Return the observations to which the references refer. A reference is an id or a text.

    If several observations have the same text, returns the current one, or the last one if all have ended. Raises
    INVALID_ARGUMENT if a reference matches no observation.
    """
    results: dict[str, Observation] = {}
    for reference in references:
        matches = [known for known in observations.values() if reference in (known.id, known.state.text)]
        if not matches:
            raise _unknown_observation_error("replaces", reference)
        match = next((observation for observation in matches if not observation.has_ended), matches[-1])
        results[match.id] = match
    return list(results.values())


async def check_references(
    reader: Reader,
    domain: str,
    references: Iterable[str],
    observations: Mapping[str, Observation],
    known: Sequence[CurrentObservation],
    argument: str = "replaces",
) -> None:
    """Raise INVALID_ARGUMENT, with suggestions, for a reference that matches no observation of the entity."""
    known_references = {
        reference for observation in observations.values() for reference in (observation.id, observation.state.text)
    }
    for reference in references:
        if reference not in known_references:
            owners = await reader.read(OBSERVED_OF, domain=domain, wanted=reference, limit=_MAX_SUGGESTIONS)
            raise _unknown_observation_error(argument, reference, known, owners)


def _unknown_observation_error(
    argument: str, reference: str, known: Sequence[CurrentObservation] = (), owners: Sequence[str] = ()
) -> GraphError:
    hint = Hint("Use the id of an observation of this entity, or its exact text.", " List them with {open_nodes}.")
    if owners:
        names = " and ".join(quote(owner) for owner in sorted(owners))
        which = "that entity" if len(owners) == 1 else "one of these entities"
        hint = f"That observation belongs to {names}. Refer to it in a call about {which}."
    elif similar := similar_observations(reference, known):
        lines = [f"{quote(observation.text)} ({observation.id})" for observation in similar]
        hint = Hint("{meant}{hint}", meant=did_you_mean(lines), hint=hint)
    return invalid_argument(argument, f"The entity has no observation {quote(reference)}", hint)


def similar_observations(text: str, known: Sequence[CurrentObservation]) -> list[CurrentObservation]:
    """Return the observations that `text` may refer to: the most similar spelling first, then by shared words."""
    nearest_text, words = nearest(text, [observation.text for observation in known]), _words(text)
    pairs: list[tuple[float, CurrentObservation]] = []
    for observation in known:
        other = _words(observation.text)
        shared = len(words & other)
        if observation.text == nearest_text or (
            shared >= _MIN_SHARED_WORDS and shared >= _MIN_SHARED_FRACTION * min(len(words), len(other))
        ):
            pairs.append((float(observation.text == nearest_text) + shared / max(len(words | other), 1), observation))
    return [observation for _, observation in sorted(pairs, key=lambda pair: -pair[0])[:_MAX_SUGGESTIONS]]


def _words(text: str) -> frozenset[str]:
    return frozenset(stems_of(words_only(fold_text(text)), language_of(text)))
