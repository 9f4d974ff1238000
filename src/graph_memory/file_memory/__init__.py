"""Files of an agent: texts under `/memories`, each with its history, like the files of Anthropic's memory tool.

files = FileMemory(memory)
await files.create("/memories/plan.md", "# Plan")
"""
