"""The memory types of an agent, on the public facades: what happened, what works, and what is to be done.

await memory.agent.episodic.record("tool_call", "pytest: 3 failed", outcome="failure")
"""
