"""Give a LangGraph agent a long-term memory: its items are in the graph, with their history."""

from langgraph.store.base import BaseStore

from graph_memory import open_memory_sync
from graph_memory.adapters.langgraph import GraphStore

with open_memory_sync() as memory:
    store: BaseStore = GraphStore(memory, domain="langgraph-example", session="monday")
    store.put(("users", "ann"), "tea", {"text": "Ann drinks green tea."})
    store.put(("users", "ann"), "visit", {"text": "Ann is in Rome."}, ttl=60 * 24)
    for item in store.search(("users", "ann"), query="What does Ann drink?"):
        print(item.key, item.value["text"], item.score)
