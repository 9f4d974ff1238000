"""Tests of adapters run where their frameworks are installed: `make adapters`. Elsewhere they are not collected."""

from __future__ import annotations

import os
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import pytest

from graph_memory import Settings, open_memory_sync
from graph_memory.sync import SyncMemory

FRAMEWORKS = {
    "anthropic": ["test_anthropic.py"],
    "langgraph": ["test_langgraph_store.py", "test_langgraph_checkpoints.py"],
    "agents": ["test_openai_agents.py"],
    "pydantic_ai": ["test_pydantic_ai.py"],
    "google.adk": ["test_google_adk.py"],
    "llama_index": ["test_llama_index.py"],
    "agent_framework": ["test_agent_framework.py"],
}


def is_installed(framework: str) -> bool:
    """Return whether a framework is installed. The package `google` alone may be of another one."""
    try:
        return find_spec(framework) is not None
    except ModuleNotFoundError:
        return False


collect_ignore = [
    name
    for framework, names in FRAMEWORKS.items()
    for name in [*names, "test_adapter_examples.py"]
    if not os.environ.get("ADAPTERS") and not is_installed(framework)
]


@pytest.fixture(scope="module")
def memory_sync(settings: Settings) -> Iterator[SyncMemory]:
    """One open memory for the tests of a module that do not use async."""
    with open_memory_sync(settings) as memory:
        yield memory


@pytest.fixture
def examples(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of the examples, which open the memory of the run."""
    monkeypatch.setenv("GRAPH_MEMORY_HOME", str(settings.home))
    monkeypatch.setenv("GRAPH_MEMORY_EMBEDDINGS", "off")
    return Path(__file__).parents[2] / "examples" / "adapters"
