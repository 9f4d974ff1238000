"""Finds texts of other nodes that mention a forgotten entity: observations, properties and contents."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Sequence
from itertools import accumulate

from graph_memory.memory.core import Core
from graph_memory.memory.entities.results import ForgetResult
from graph_memory.memory.graph.describe import node_briefs
from graph_memory.memory.search.candidate_ranking import rank_candidates
from graph_memory.memory.search.ranking.excerpts import CUT
from graph_memory.memory.search.ranking.scoring import Passage
from graph_memory.memory.search.ranking.shown_passages import NAME
from graph_memory.memory.search.request import Filters, Request
from graph_memory.memory.search.search import scope_of
from graph_memory.memory.search.text.segmentation import ALONE, SYLLABLES
from graph_memory.model.errors import GraphError
from graph_memory.model.subjects.subjects import is_pattern_data

_MAX_NAMES_PER_ENTITY = 5
"""Maximum number of names and aliases of each entity that are searched for."""
_MAX_NAMES = 100
"""Maximum number of names and aliases that one call searches for."""
_MAX_HITS = 100
_MAX_MENTIONS = 20
"""Maximum number of mentions in a receipt."""
_MAX_LENGTH = 200
"""Maximum number of characters of each mention."""
_CHARACTERS_BEFORE = 60
"""Number of characters before the name in a shortened mention."""
_UNSPACED = ALONE + SYLLABLES
"""Letters of scripts without spaces between words."""


async def with_mentions(
    core: Core, domain: str, receipt: ForgetResult, names: Sequence[Sequence[str]], forgotten_ids: Collection[str]
) -> ForgetResult:
    """Add to a receipt the texts of other nodes that mention a forgotten entity, each preceded by its node's title.

    `names` contains the names and aliases of each entity, and `forgotten_ids` the ids of forgotten records. Changes
    that are not indexed yet may be missing. If the search fails, the receipt contains a warning instead of an error,
    because the entities have already been forgotten.
    """
    try:
        return receipt.model_copy(update=await _find_mentions(core, domain, names, forgotten_ids))
    except GraphError as error:
        failure = f"Other nodes could not be searched for mentions of the entities: {error.message}."
        return receipt.model_copy(update={"warnings": (f"{failure} Search for the names with scan.",)})


async def _find_mentions(
    core: Core, domain: str, names: Sequence[Sequence[str]], forgotten_ids: Collection[str]
) -> dict[str, object]:
    """Return the fields of the receipt that contain mentions of the names in other nodes."""
    all_names = list(dict.fromkeys(name for names_of_entity in names for name in names_of_entity))
    searched = list(
        dict.fromkeys(name for names_of_entity in names for name in names_of_entity[:_MAX_NAMES_PER_ENTITY])
    )[:_MAX_NAMES]
    lines: dict[tuple[str, str], None] = {}
    is_complete = len(searched) == len(all_names)
    for name in searched:
        scope = await scope_of(core, domain, Filters(), None, awaited="words")
        ranking = await rank_candidates(scope, Request(name, mode="lexical", max_results=_MAX_HITS))
        passages = (scored.passage for scored in ranking.scored.values())
        passages_of_others = [
            passage
            for passage in passages
            if not {passage.owner, passage.unit} & {*forgotten_ids} and passage.place != NAME
        ]
        lines |= {(passage.unit, line): None for passage in passages_of_others for line in lines_naming(passage, name)}
        is_complete &= ranking.is_all
    pairs = list(lines)[:_MAX_MENTIONS]
    titles = {node.id: node.title for node in await node_briefs(core, domain, sorted({unit for unit, _ in pairs}))}
    return {
        "stays": tuple(f"{titles.get(unit, unit)}: {line}" for unit, line in pairs) or None,
        "more_stays": len(lines) - len(pairs) or None,
        "warnings": None if is_complete else ("Not all names or texts were searched. Search for the names with scan.",),
    }


def lines_naming(passage: Passage, name: str) -> list[str]:
    """Return the lines of a passage that contain a name as a whole word, cut around the name."""
    pattern, lines = _pattern(name), list[str]()
    for line in unicodedata.normalize("NFC", passage.text).splitlines():
        key, _, value = line.strip().partition(": ")
        if (match := pattern.search(line.strip().casefold())) and not is_pattern_data(key, value):
            lines.append(_excerpt(line.strip(), match.start()))
    return lines


def _pattern(name: str) -> re.Pattern[str]:
    """Return the pattern that finds a name in folded text.

    The pattern requires a word boundary at both ends of the name, except where scripts have no spaces between words.
    """
    folded = unicodedata.normalize("NFC", name).casefold()
    edge = rf"[^\W{_UNSPACED}]"
    before = "" if re.match(f"[{_UNSPACED}]", folded) else f"(?<!{edge})"
    after = "" if re.match(f"[{_UNSPACED}]", folded[-1:]) else f"(?!{edge})"
    return re.compile(f"{before}{re.escape(folded)}{after}")


def _excerpt(line: str, place: int) -> str:
    """Return the part of a line around `place`, an index into the case-folded line, which may be longer."""
    ends = accumulate(len(character.casefold()) for character in line)
    at = next((index for index, end in enumerate(ends) if end > place), 0)
    start = max(0, min(at - _CHARACTERS_BEFORE, len(line) - _MAX_LENGTH))
    after = CUT if start + _MAX_LENGTH < len(line) else ""
    return f"{CUT if start else ''}{line[start : start + _MAX_LENGTH]}{after}"
