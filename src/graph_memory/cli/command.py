"""What commands share: the options --domain and --json, the open memory, and how the answer is printed."""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from functools import partial, wraps
from typing import TYPE_CHECKING, Concatenate, TypeVar

import typer

from graph_memory.cli.errors import with_commands
from graph_memory.cli.input.options import ROWS, DomainOption, JsonOption
from graph_memory.cli.output.printing import CALLED_DOMAIN, aside, command_line, note, plain, print_json
from graph_memory.cli.session import with_memory
from graph_memory.model.errors import Code, GraphError, Hint
from graph_memory.model.results import Answered, Result
from graph_memory.model.values.arguments import AUTO
from graph_memory.project import domain_for

if TYPE_CHECKING:
    from graph_memory.memory.api.memory import Memory

FIRST_FACT = ("remember", "Ann likes tea.", "--name", "Ann", "--type", "person")
"""The words of a command that stores a first fact."""
T = TypeVar("T")
Answer = TypeVar("Answer", bound=Result | Mapping[str, object])


@dataclass(frozen=True, slots=True)
class Call:
    """A call of a command: the domain that it is about, and whether a program reads the answer."""

    domain: str | None
    as_json: bool

    def ask(self, use: Callable[[Memory], Awaitable[T]], doing: str = "Reading") -> T:
        """Return what `use` makes of the memory in that domain."""

        async def asked(memory: Memory) -> T:
            try:
                return await use(self.of(memory))
            except GraphError as error:
                if error.code is not Code.ONTOLOGY_NOT_FOUND:
                    raise
                raise (await _for_this_project(memory, error) if self.domain is None else _named(error)) from error

        return with_memory(asked, doing)

    def of(self, memory: Memory) -> Memory:
        """Return the memory in that domain. Raises INVALID_ARGUMENT."""
        return memory if self.domain is None else memory.in_domain(self.domain)

    def answer(
        self, use: Callable[[Memory], Awaitable[Answer]], show: Callable[[Answer], None], doing: str = "Reading"
    ) -> Answer:
        """Print what `use` makes of the memory, and return it."""
        return self.give(self.ask(use, doing), show)

    def give(self, found: Answer, show: Callable[[Answer], None]) -> Answer:
        """Print an answer, as JSON for programs and by `show` for people, and return it. Warnings go to stderr."""
        for warning in (isinstance(found, Answered) and found.warnings) or ():
            note(f"Warning: {plain(with_commands(warning))}")
        print_json(found) if self.as_json else show(found)
        return found

    def preview(self, use: Callable[[Memory], Awaitable[T]], show: Callable[[T], None], doing: str = "Trying") -> T:
        """Show a person what would be done, and return it."""
        found = self.ask(use, doing)
        with aside(as_json=self.as_json):
            show(found)
        return found

    def size(self, limit: int | None) -> int | None:
        """Return how many results to ask for: a table that nobody limited stops at a number that can be read."""
        return limit if self.as_json or limit is not None else ROWS


def _named(error: GraphError) -> GraphError:
    """Return an error for a missing domain that was named with a hint that begins that one, not the default one."""
    domain = str(error.details["domain"])
    fact = command_line(*FIRST_FACT, domain=domain)
    types = command_line("ontology", "apply", "FILE", domain=domain)
    hint = (
        f"To begin it with a fact, run `{fact}`. To begin it with types from a YAML file, run `{types}`. "
        "`graph-memory domain list` shows which there are."
    )
    return GraphError(error.code, error.message, {**error.details, "hint": hint})


async def _for_this_project(memory: Memory, error: GraphError) -> GraphError:
    """Return an error for a missing domain with a hint at that of the project at hand, where that is there."""
    name = domain_for(AUTO)
    known = [domain.name for domain in (await memory.list_domains()).domains]
    if name not in known or error.details.get("domain") == name:
        return error
    own = "This folder's project has domain {name}: give --domain auto, or set GRAPH_MEMORY_DOMAIN=auto."
    hint = Hint(own, " {hint}", name=name, hint=error.hint or "")
    return GraphError(error.code, error.message, {**error.details, "hint": hint})


def command(
    app: typer.Typer | None = None, name: str | None = None, *, domain: bool = True
) -> Callable[[Callable[Concatenate[Call, ...], object]], Callable[..., None]]:
    """Make a command of a function of a `Call`: it gets the option --json, and --domain where it is about one."""

    def made(function: Callable[Concatenate[Call, ...], object]) -> Callable[..., None]:
        signature = inspect.signature(function, eval_str=True)
        named = partial(inspect.Parameter, kind=inspect.Parameter.KEYWORD_ONLY)
        shared = [
            named("domain", default=None, annotation=DomainOption),
            named("as_json", default=False, annotation=JsonOption),
        ]
        own = list(signature.parameters.values())[1:]

        @wraps(function)
        def run(*, domain: str | None = None, as_json: bool, **given: object) -> None:
            CALLED_DOMAIN.set(domain)
            function(Call(domain, as_json), **given)

        run.__dict__["__signature__"] = signature.replace(parameters=[*own, *shared[0 if domain else 1 :]])
        return app.command(name)(run) if app else run

    return made
