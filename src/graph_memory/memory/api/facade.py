"""`Facade`: the base of the groups of methods of `Memory`."""

from __future__ import annotations

from collections.abc import Callable

from graph_memory.memory.core import Core


class Facade:
    """A group of methods that take a domain. By default they use the domain that `domain_of` returns for None."""

    def __init__(self, core: Core, domain_of: Callable[[str | None], str]) -> None:
        self._core = core
        self._domain = domain_of
