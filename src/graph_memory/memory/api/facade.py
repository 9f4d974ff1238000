"""`Facade`: the base class for groups of `Memory` methods."""

from __future__ import annotations

from collections.abc import Callable

from graph_memory.memory.core import Core


class Facade:
    """A group of methods with an optional `domain`. `domain_of` returns the domain to use if `domain` is None."""

    def __init__(self, core: Core, domain_of: Callable[[str | None], str]) -> None:
        self._core = core
        self._domain = domain_of
