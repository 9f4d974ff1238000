"""Code shared by all commands: the options --domain and --json, opening the memory, and printing the result."""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from functools import partial, wraps
from typing import TYPE_CHECKING, Concatenate, TypeVar

import typer

from graph_memory.cli.errors import with_commands
from graph_memory.cli.input.options import DEFAULT_ROWS, DomainOption, JsonOption
from graph_memory.cli.output.printing import (
    CALLED_DOMAIN,
    command_line,
    escape_line,
    note,
    print_json,
    stdout_for_json,
)
from graph_memory.cli.session import with_memory
from graph_memory.model.errors import Code, GraphError, Hint
from graph_memory.model.results import Result, ResultWithWarnings
from graph_memory.model.values.arguments import AUTO
from graph_memory.project import domain_for

if TYPE_CHECKING:
    from graph_memory.memory.api.memory import Memory

FIRST_FACT = ("remember", "Ann likes tea.", "--name", "Ann", "--type", "person")
"""The arguments of an example command for hints. It stores a first fact."""
T = TypeVar("T")
Answer = TypeVar("Answer", bound=Result | Mapping[str, object])


@dataclass(frozen=True, slots=True)
class Call:
    """A call of a command: the value of --domain, and whether --json was given."""

    domain: str | None
    as_json: bool

    def use_memory(self, use: Callable[[Memory], Awaitable[T]], activity: str = "Reading") -> T:
        """Open the memory in the domain of the call, call `use` with it, and return the result.

        `activity` is shown during the call. If the domain does not exist, the error's hint shows how to create it.
        """

        async def run(memory: Memory) -> T:
            try:
                return await use(self.in_domain(memory))
            except GraphError as error:
                if error.code is not Code.ONTOLOGY_NOT_FOUND:
                    raise
                hinted = await _with_project_hint(memory, error) if self.domain is None else _with_creation_hint(error)
                raise hinted from error

        return with_memory(run, activity)

    def in_domain(self, memory: Memory) -> Memory:
        """Return the memory in the domain of the call. Raises INVALID_ARGUMENT if the domain's name is invalid."""
        return memory if self.domain is None else memory.in_domain(self.domain)

    def answer(
        self, use: Callable[[Memory], Awaitable[Answer]], show: Callable[[Answer], None], activity: str = "Reading"
    ) -> Answer:
        """Call `use` through `use_memory`. Print its result as JSON or with `show`, and return it."""
        return self.print_answer(self.use_memory(use, activity), show)

    def print_answer(self, answer: Answer, show: Callable[[Answer], None]) -> Answer:
        """Print a result as JSON or with `show`, and return it. Warnings are printed to stderr."""
        for warning in (isinstance(answer, ResultWithWarnings) and answer.warnings) or ():
            note(f"Warning: {escape_line(with_commands(warning))}")
        print_json(answer) if self.as_json else show(answer)
        return answer

    def preview(self, use: Callable[[Memory], Awaitable[T]], show: Callable[[T], None], activity: str = "Trying") -> T:
        """Make a dry run by calling `use` through `use_memory`. Print its result with `show`, and return it.

        With --json, it is printed to stderr.
        """
        result = self.use_memory(use, activity)
        with stdout_for_json(as_json=self.as_json):
            show(result)
        return result

    def page_size(self, limit: int | None) -> int | None:
        """Return the value of --limit. The default is `DEFAULT_ROWS` for a table, and None (no limit) for JSON."""
        return limit if self.as_json or limit is not None else DEFAULT_ROWS


def _with_creation_hint(error: GraphError) -> GraphError:
    """Return the ONTOLOGY_NOT_FOUND error with a hint that shows how to create the missing domain."""
    domain = str(error.details["domain"])
    fact = command_line(*FIRST_FACT, domain=domain)
    types = command_line("ontology", "apply", "FILE", domain=domain)
    hint = (
        f"To create it with a first fact, run `{fact}`. To create it with types from a YAML file, run `{types}`. "
        "List the domains with `graph-memory domain list`."
    )
    return GraphError(error.code, error.message, {**error.details, "hint": hint})


async def _with_project_hint(memory: Memory, error: GraphError) -> GraphError:
    """Return the ONTOLOGY_NOT_FOUND error with a hint to the domain of the current project, if that domain exists."""
    name = domain_for(AUTO)
    names = [domain.name for domain in (await memory.list_domains()).domains]
    if name not in names or error.details.get("domain") == name:
        return error
    text = "This folder's project has domain {name}: use --domain auto, or set GRAPH_MEMORY_DOMAIN=auto."
    hint = Hint(text, " {hint}", name=name, hint=error.hint or "")
    return GraphError(error.code, error.message, {**error.details, "hint": hint})


def command(
    app: typer.Typer | None = None, name: str | None = None, *, domain: bool = True
) -> Callable[[Callable[Concatenate[Call, ...], object]], Callable[..., None]]:
    """Return a decorator that turns a function of a `Call` into a command with --json and, if `domain`, --domain."""

    def decorate(function: Callable[Concatenate[Call, ...], object]) -> Callable[..., None]:
        signature = inspect.signature(function, eval_str=True)
        parameter = partial(inspect.Parameter, kind=inspect.Parameter.KEYWORD_ONLY)
        shared = [
            parameter("domain", default=None, annotation=DomainOption),
            parameter("as_json", default=False, annotation=JsonOption),
        ]
        parameters = list(signature.parameters.values())[1:]

        @wraps(function)
        def run(*, domain: str | None = None, as_json: bool, **arguments: object) -> None:
            CALLED_DOMAIN.set(domain)
            function(Call(domain, as_json), **arguments)

        run.__dict__["__signature__"] = signature.replace(parameters=[*parameters, *shared[0 if domain else 1 :]])
        return app.command(name)(run) if app else run

    return decorate
