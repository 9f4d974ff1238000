"""Let LlamaIndex store its property graph: other agents find the same entities."""

from llama_index.core.graph_stores.types import EntityNode, PropertyGraphStore, Relation

from graph_memory import open_memory_sync
from graph_memory.adapters.llama_index import GraphPropertyStore

with open_memory_sync() as memory:
    store: PropertyGraphStore = GraphPropertyStore(memory, domain="llama-example", session="monday")
    ann, rome = EntityNode(name="Ann", label="Person"), EntityNode(name="Rome", label="City")
    store.upsert_nodes([ann, rome])
    store.upsert_relations([Relation(label="LIVES_IN", source_id="Ann", target_id="Rome")])
    for start, relation, end in store.get_rel_map([ann]):
        print(start.id, relation.label, end.id)
    print(memory.in_domain("llama-example").entities.open_nodes(["Rome"]).entities[0].entity_type)
