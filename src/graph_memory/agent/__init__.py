"""The memory types of an agent, built on the public facades: events, patterns, goals, users and capabilities.

await memory.agent.episodic.record("tool_call", "pytest: 3 failed", outcome="failure")
"""
