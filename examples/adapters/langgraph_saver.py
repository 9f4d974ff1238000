"""Give a LangGraph agent checkpoints that last: a thread continues in another process."""

from langchain_core.messages import AIMessage, HumanMessage
from langgraph.graph import START, MessagesState, StateGraph

from graph_memory import open_memory_sync
from graph_memory.adapters.langgraph import GraphSaver


def count(state: MessagesState) -> dict[str, list[AIMessage]]:
    """Answer with the number of messages so far."""
    return {"messages": [AIMessage(f"Message {len(state['messages'])}.")]}


with open_memory_sync() as memory:
    builder = StateGraph(MessagesState).add_node(count).add_edge(START, "count")
    graph = builder.compile(checkpointer=GraphSaver(memory, domain="checkpoints-example"))
    answer = graph.invoke({"messages": [HumanMessage("Hello")]}, {"configurable": {"thread_id": "ann-1"}})
    print(answer["messages"][-1].content)
