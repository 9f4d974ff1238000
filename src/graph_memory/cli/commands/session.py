"""`graph-memory session` and `block`: what to know at the start, what is kept at the end, and what is always read."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from graph_memory.cli.command import Call, command
from graph_memory.cli.errors import as_command
from graph_memory.cli.output.printing import harmless, note, plain
from graph_memory.memory.entities.cleaning.results import Finding
from graph_memory.memory.sessions.results import Blocks, SessionStarted
from graph_memory.model.text.wording import quoted

if TYPE_CHECKING:
    from graph_memory.memory.api.memory import Memory

app = typer.Typer(no_args_is_help=True, help="What to know at the start of a session, and what is kept of it.")
block_app = typer.Typer(no_args_is_help=True, help="Short texts that an agent reads at the start of each session.")

SessionOption = Annotated[str | None, typer.Option("--session", help="An earlier session to go on with.")]
ProjectOption = Annotated[str | None, typer.Option("--project", help="What it is about, by its name.")]


@command(app)
def start(
    call: Call,
    session: SessionOption = None,
    project: ProjectOption = None,
    max_tokens: Annotated[int, typer.Option("--max-tokens", min=400, help="The most that is told.")] = 1_500,
) -> None:
    """Show what to know: blocks, the last summary, what is there, who changed what, what is open."""

    async def use(memory: Memory) -> SessionStarted:
        return await memory.entities.session_start(session_id=session, project=project, max_tokens=max_tokens)

    def show(found: SessionStarted) -> None:
        typer.echo(harmless(found.text))
        if found.questions:
            typer.echo("\n## Open questions")
        for question in found.questions or ():
            typer.echo(plain(f"- {' and '.join(map(quoted, question.about))}: {question.reason}"))
            for line in _commands(question):
                typer.echo(f"  {line}")

    call.answer(use, show)


def _commands(finding: Finding) -> list[str]:
    """Return the command that settles a finding; of a question one for each choice, with its consequence."""
    text = as_command(finding.call)
    return [f"{text} decision={choice}  # {plain(effect)}" for choice, effect in (finding.choices or {}).items()] or [
        text
    ]


@command(block_app, name="show")
def show_block(
    call: Call, label: Annotated[str | None, typer.Argument(help="persona, human, project or another.")] = None
) -> None:
    """Show a block, or all."""

    async def use(memory: Memory) -> Blocks:
        return await memory.entities.get_block(label)

    def show(found: Blocks) -> None:
        for block in found.blocks:
            note(f"{block.label}: {block.characters:,} of {block.limit:,} characters")
            if block.text:
                typer.echo(harmless(block.text))

    call.answer(use, show)
