"""Where a link enters another domain: how often that is the document that the source's document goes with."""

from __future__ import annotations

from collections.abc import Sequence

from benchmarks.graph import fresh, say
from benchmarks.report import table
from benchmarks.retrieval_data import Entry, stores
from benchmarks.sizes import Place
from graph_memory import Memory, ontology_from
from graph_memory.memory.links.target_search import MAX_QUERY, candidates_for

TYPES = {
    "node_types": ["Entry"],
    "connection_types": [{"name": "Mentions", "from_types": ["*"], "to_types": ["*"]}],
}
SHORTEST = 8
"""Characters of a title that tells a document where it is mentioned."""


async def entry_points(place: Place) -> str:
    """Return a table: of each question of HotpotQA one document is the source, the other lies among all the rest."""
    corpus = stores()[-1]
    pairs = [sorted(question.answers) for question in corpus.questions if len(question.answers) == 2]
    sources = {source for source, _ in pairs}
    pairs = [(source, other) for source, other in pairs if other not in sources]
    home, target = (place.memory.in_domain(fresh(f"bench-entry-{side}-")) for side in ("home", "target"))
    say(f"cutting {len(corpus.entries):,} documents in two")
    home_ids = await _write_documents(home, [entry for entry in corpus.entries if entry.id in sources])
    target_ids = await _write_documents(target, [entry for entry in corpus.entries if entry.id not in sources])
    texts = {entry.id: entry.text for entry in corpus.entries}
    counts: dict[str, list[int]] = {}
    for source, other in pairs:
        candidates = await candidates_for(home._core, home._default_domain, home_ids[source], target._default_domain)
        ways = {"entry point": [candidate.node_id for candidate in candidates]}
        for name, text in (("its title and text", f"{source}\n{texts[source]}"[:MAX_QUERY]), ("its title", source)):
            hits = (await target.recall.search_memories(text, max_results=5)).hits
            ways[f"plain search for {name}"] = [hit.id for hit in hits]
        for name, nodes in ways.items():
            counts.setdefault(name, []).append(nodes.index(target_ids[other]) if target_ids[other] in nodes else 5)
    rows = [
        (name, f"{sum(place == 0 for place in places)}", f"{sum(place < 5 for place in places)}")
        for name, places in counts.items()
    ]
    heading = (
        f"{len(pairs)} documents, {len(target_ids)} where the other one lies",
        "the first is right",
        "among five",
    )
    return f"## Entry points of links\n\n{table(heading, rows)}"


async def _write_documents(memory: Memory, entries: Sequence[Entry]) -> dict[str, str]:
    """Write documents, each connected to those whose titles it mentions, and return their ids by title."""
    await memory.create_ontology(ontology_from(TYPES))
    made: dict[str, str] = {}
    for entry in entries:
        made[entry.id] = (await memory.create_node("Entry", entry.text, format="text", title=entry.title)).node_id
    for entry in entries:
        for title in made:
            if title != entry.id and len(title) >= SHORTEST and title in entry.text:
                await memory.create_connection("Mentions", made[entry.id], made[title])
    await memory.upkeep.reindex(anew=False)
    return made
