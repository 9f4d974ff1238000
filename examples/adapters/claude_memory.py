"""Give Claude the memory tool: its files are in the graph, with their history."""

from anthropic import Anthropic

from graph_memory import open_memory_sync
from graph_memory.adapters.anthropic import MemoryTool

with open_memory_sync() as memory:
    runner = Anthropic().beta.messages.tool_runner(
        model="claude-sonnet-5-5",
        max_tokens=1024,
        messages=[{"role": "user", "content": "Remember that the kitchen is to be blue."}],
        tools=[MemoryTool(memory, domain="claude", session="monday")],
    )
    for message in runner:
        print(message.content[-1])
