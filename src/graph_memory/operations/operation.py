"""Defines operations: name, description, arguments, effect and result."""

from __future__ import annotations

import inspect
import re
from collections.abc import Awaitable, Callable, Mapping
from enum import Enum
from functools import cached_property
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from graph_memory.model.results import Result
from graph_memory.model.rights import Right
from graph_memory.operations.parsing import Arguments
from graph_memory.operations.schemas import Schema, output_schema, properties_of

if TYPE_CHECKING:
    from graph_memory.memory.api.memory import Memory

A = TypeVar("A", bound=Mapping[str, Any])
R = TypeVar("R", bound=Result)

_LINE_BREAK = re.compile(r"(?<!\n)\n(?!\n)")
"""Matches a line break within a paragraph."""


class Effect(Enum):
    """An operation's effect on the memory: `(is read-only, is destructive, is idempotent)`."""

    READS = (True, False, True)
    """Changes nothing."""
    CREATES = (False, False, False)
    """Adds a new subject with each call."""
    DECLARES = (False, False, True)
    """Adds a subject that can exist only once."""
    DESTROYS = (False, True, True)
    """Overwrites or deletes."""
    MIXED = (False, True, False)
    """Adds, overwrites or deletes, depending on the arguments."""


class Operation(Generic[A, R]):
    """An operation. Its name is its function's name, and its description is the function's docstring.

    `by_name` means that a server offers it only if the settings list its own name, not just its toolset. `local` means
    that it concerns the caller's machine, so no server offers it over HTTP. `in_session` means that it acts on a server
    session, so the command line does not offer it. `needs_admin` means that it deletes history or restricts other
    callers, so it needs the right `admin`.
    """

    def __init__(
        self,
        function: Callable[[Memory, A], Awaitable[R]],
        arguments: type[A],
        result: type[R],
        effect: Effect,
        *,
        by_name: bool = False,
        local: bool = False,
        in_session: bool = False,
        needs_admin: bool = False,
    ) -> None:
        self.name = function.__name__
        self.description = _LINE_BREAK.sub(" ", inspect.cleandoc(function.__doc__ or ""))
        self.effect = effect
        self.result: type[Result] = result
        self.by_name = by_name
        self.local = local
        self.in_session = in_session
        self.needs_admin = needs_admin
        self._function = function
        self._arguments = Arguments(self.name, arguments)

    @cached_property
    def input_schema(self) -> Schema:
        """The JSON schema of the arguments."""
        return self._arguments.schema

    @cached_property
    def output_schema(self) -> Schema:
        """The JSON schema of the fields that every result of the operation has."""
        return output_schema(self.result)

    @property
    def is_writing(self) -> bool:
        """Whether the operation may change the graph."""
        return not self.effect.value[0]

    @property
    def right(self) -> Right:
        """The right that a caller with a key needs in the call's domain."""
        return Right.ADMIN if self.needs_admin else Right.WRITE if self.is_writing else Right.READ

    @cached_property
    def returns_calls(self) -> bool:
        """Whether the result may contain complete calls of other operations."""
        return "ReadyCall" in self.result.model_json_schema().get("$defs", {})

    def takes(self, argument: str) -> bool:
        """Return whether the operation has an argument with this name."""
        return argument in properties_of(self.input_schema)

    def bind(self, arguments: Mapping[str, object]) -> Callable[[Any], Awaitable[R]]:
        """Return a function that takes a memory and makes the call with these arguments.

        Raises INVALID_ARGUMENT if an argument is unknown, missing or invalid.
        """
        parsed = self._arguments.parse(arguments)
        return lambda memory: self._function(memory, parsed)


AnyOperation = Operation[Any, Any]
