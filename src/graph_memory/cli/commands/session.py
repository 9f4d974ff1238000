"""`graph-memory session` and `block`: show what an agent should know at the start of a session."""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING, Annotated

import typer

from graph_memory.cli.command import Call, command
from graph_memory.cli.errors import as_command
from graph_memory.cli.output.printing import escape_control_characters, escape_line, note
from graph_memory.memory.entities.cleaning.results import Finding
from graph_memory.memory.sessions.results import Blocks, SessionStartResult
from graph_memory.model.text.wording import quote

if TYPE_CHECKING:
    from graph_memory.agent.capture.briefing import Briefing
    from graph_memory.memory.api.memory import Memory

app = typer.Typer(no_args_is_help=True, help="The start of a session: what an agent should know.")
block_app = typer.Typer(no_args_is_help=True, help="Short texts that an agent reads at the start of each session.")

SessionOption = Annotated[str | None, typer.Option("--session", help="An earlier session to continue.")]
ProjectOption = Annotated[str | None, typer.Option("--project", help="Name of the project.")]


@command(app)
def start(
    call: Call,
    session: SessionOption = None,
    project: ProjectOption = None,
    max_tokens: Annotated[int, typer.Option("--max-tokens", min=400, help="Maximum number of tokens.")] = 1_500,
) -> None:
    """Show what an agent should know: blocks, the last summary, stored items, recent changes, and open questions."""

    def show(started: SessionStartResult) -> None:
        typer.echo(escape_control_characters(started.text))
        if started.questions:
            typer.echo("\n## Open questions")
        for question in started.questions or ():
            typer.echo(escape_line(f"- {' and '.join(map(quote, question.about))}: {question.reason}"))
            for line in _finding_commands(question):
                typer.echo(f"  {line}")

    call.answer(
        lambda memory: memory.entities.session_start(session_id=session, project=project, max_tokens=max_tokens), show
    )


@command(app)
def briefing(call: Call, session: SessionOption = None, project: ProjectOption = None) -> None:
    """Print the text that a hook adds at the start of a session, up to 1,500 tokens."""

    async def use(memory: Memory) -> Briefing:
        from graph_memory.agent.capture.briefing import session_briefing

        return await session_briefing(memory, session, project)

    call.answer(use, _show_briefing)


@command(app)
def context(
    call: Call,
    prompt: Annotated[str, typer.Argument(help="What the user writes.")],
    session: SessionOption = None,
    shown: Annotated[str, typer.Option(metavar="IDS", help="Nodes to leave out, separated by commas.")] = "",
) -> None:
    """Print the text that a hook adds to a prompt, up to 600 tokens. Prints nothing if no stored item matches."""

    async def use(memory: Memory) -> Briefing:
        from graph_memory.agent.capture.briefing import prompt_context

        return await prompt_context(memory, prompt, session, [id_ for id_ in shown.split(",") if id_])

    call.answer(use, _show_text)


def _show_text(briefing: Briefing) -> None:
    if briefing.text:
        typer.echo(escape_control_characters(briefing.text))


def _show_briefing(briefing: Briefing) -> None:
    _show_text(briefing)
    if not briefing.text:
        note("Nothing to add. `graph-memory doctor` shows whether captured events wait to be stored.")


def _finding_commands(finding: Finding) -> list[str]:
    """Return the commands that resolve a finding. An open question has one command per answer, below its effect."""
    text = as_command(finding.call)
    answers = (finding.choices or {}).items()
    commands = [(f"{choice}: {escape_line(effect)}", f"  {text} decision={choice}") for choice, effect in answers]
    return [*chain.from_iterable(commands)] or [text]


@command(block_app, name="show")
def show_block(
    call: Call,
    label: Annotated[str | None, typer.Argument(help="Label of the block: persona, human, project or another.")] = None,
) -> None:
    """Show a block, or all blocks."""

    def show(blocks: Blocks) -> None:
        for block in blocks.blocks:
            note(f"{block.label}: {block.characters:,} of {block.limit:,} characters")
            if block.text:
                typer.echo(escape_control_characters(block.text))

    call.answer(lambda memory: memory.entities.get_block(label), show)
