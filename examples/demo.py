"""A day of an agent with its memory: `make demo`, or `.venv/bin/python examples/demo.py`.

Starts a local Neo4j with a home of its own (`.demo` in the checkout, or GRAPH_MEMORY_HOME), drives the MCP server over
stdio with a real client, shows that log and graph agree, and ends with what to paste into an MCP client. Every run
works in a fresh domain.
"""

from __future__ import annotations

import json
import os
import secrets
import shlex
import subprocess
import sys
import time
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from io import TextIOWrapper
from pathlib import Path
from typing import LiteralString, cast

import anyio
from demo_stage import COMMAND, Page, shown_time, stage
from demo_story import Story
from neo4j import GraphDatabase, Query, Record
from neo4j.graph import Node, Relationship
from platformdirs import user_data_path
from rich.console import Console
from rich.progress import BarColumn, Progress, TaskID, TextColumn, TimeElapsedColumn
from rich.text import Text

from graph_memory import Code, GraphError, Settings, local
from graph_memory.cli.errors import error_text

ROOT = Path(__file__).resolve().parent.parent
FAILED, INTERRUPTED = 1, 130


def main() -> int:
    """Run the demo. Returns its exit status. An error is printed with its hint."""
    console, status = stage(), 0
    try:
        show(console)
    except* GraphError as failure:
        console.print(Text(error_text(_first(failure)), "bold red"))
        status = FAILED
    except* KeyboardInterrupt:
        console.print("Stopped.")
        status = INTERRUPTED
    return status


def show(console: Console) -> None:
    """Show the demo from the start of Neo4j to its end."""
    keep_apart()
    settings = Settings()
    page = Page(console)
    story = Story(page, f"demo-{secrets.token_hex(3)}")
    console.print(Text.assemble(("graph-memory", "bold cyan"), ": a day of an agent with its memory, on a real Neo4j"))
    console.print()
    began = time.perf_counter()
    with running_neo4j(console, settings) as server:
        anyio.run(story.tell)
        consult(page, story)
        prove(page, story, server)
        measure(page, story, time.perf_counter() - began)
    invite(page, settings, story.domain)


def keep_apart() -> None:
    """Set the environment to the demo's home, so that it cannot touch the user's memory and Neo4j server."""
    for name in [*os.environ]:
        if name.startswith("NEO4J_") or name in {"GRAPH_MEMORY_DOMAIN", "GRAPH_MEMORY_TOOLSETS"}:
            del os.environ[name]
    os.environ["GRAPH_MEMORY_HOME"] = str(Path(os.environ.get("GRAPH_MEMORY_HOME") or ROOT / ".demo").resolve())
    if not COMMAND.exists():
        raise GraphError(Code.INTERNAL, f"{COMMAND} does not exist", {"hint": "`make setup` installs it."})


@contextmanager
def running_neo4j(console: Console, settings: Settings) -> Generator[local.LocalServer]:
    """Yield the local Neo4j. If this starts it, it is stopped at the end."""
    was_running = local.status(settings).state is not local.State.STOPPED
    try:
        yield _start(console, settings, "runs already; found" if was_running else "started")
    finally:
        if not was_running:
            local.stop(settings)


def _start(console: Console, settings: Settings, how: str) -> local.LocalServer:
    began = time.perf_counter()
    with _progress(console) as progress:
        server = local.ensure_running(settings, progress)
    took = shown_time(time.perf_counter() - began)
    console.print(f"Neo4j {server.version} {how} in {took}: process {server.pid}, {server.uri}, its files in")
    console.print(Text(str(settings.home), "bold"), soft_wrap=True)
    return server


@contextmanager
def _progress(console: Console) -> Generator[local.Progress]:
    """Yield a listener that draws bars on a terminal, and elsewhere prints a line for each stage."""
    columns = (TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn())
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as bars:
        tasks: dict[str, TaskID] = {}

        def show(stage: str, done: float | None) -> None:
            if stage not in tasks:
                tasks[stage] = bars.add_task(stage, total=None if done is None else 1.0)
                if not console.is_terminal:
                    console.print(f"{stage} …")
            bars.update(tasks[stage], completed=done or 0.0)

        yield show


def consult(page: Page, story: Story) -> None:
    """Ask the questions of Getting Things Done at the command line."""
    page.chapter(
        "The person asks (Tuesday, 10:30)",
        "The same memory, from a terminal. What can be done with a phone? Which project does nothing move? Whom to ask "
        "again? These questions come with graph-memory, as a small layer on what every agent can call:",
    )
    for question in (["available", "--context", "phone"], ["stuck"], ["waiting", "--today", "2025-11-18"]):
        command = ["gtd", *question, "--domain", story.domain]
        page.row("$", [Text(f"graph-memory {shlex.join(command)}", "bold cyan")])
        began = time.perf_counter()
        lines = _run_command(command).splitlines()
        page.row("→", [Text(lines[0], "bold")], time.perf_counter() - began)
        page.verbatim("\n".join(f"  {line}" for line in lines[1:]))


def prove(page: Page, story: Story, server: local.LocalServer) -> None:
    """Compare the graph with its log, and look at it without graph-memory."""
    page.chapter(
        "Nothing up its sleeve",
        "Every change above is an event in a log, written in the same transaction. `verify` replays the log and "
        "compares what comes out with the live graph:",
    )
    page.row("$", [Text(f"graph-memory verify --domain {story.domain}", "bold cyan")])
    began = time.perf_counter()
    page.row("→", [Text(_run_command(["verify", "--domain", story.domain]))], time.perf_counter() - began)
    page.say(
        "The graph agrees with its log. And it is a plain graph: node types are labels, connection types are "
        "relationship types, properties are properties. While Neo4j runs, Neo4j Browser at "
        f"{server.http_url}/browser/ draws it:"
    )
    query = f"MATCH (a:_Node {{_domain: '{story.domain}'}})-[r]->(b:_Node) RETURN a, r, b"
    page.verbatim(query, "bold cyan")
    for line in _rows(query, server):
        page.row("→", [line])


def measure(page: Page, story: Story, total: float) -> None:
    """Print the measured times."""
    page.say("Measured in this run, with whatever else this machine was doing:")
    for name, figure in {**story.measured, "all of the above": shown_time(total)}.items():
        page.row(" ", [Text(f"{figure:>7}"), Text(name)])


def _run_command(command: Sequence[str]) -> str:
    """Run a command of graph-memory, and return its output."""
    process = subprocess.run([COMMAND, *command], capture_output=True, text=True, check=False)
    if process.returncode:
        message = f"`graph-memory {shlex.join(command)}` failed:\n{process.stdout}{process.stderr}"
        raise GraphError(Code.STORE_CONFLICT, message)
    return process.stdout.strip()


def _rows(query: str, server: local.LocalServer) -> list[Text]:
    auth = (server.username, server.password)
    with GraphDatabase.driver(server.uri, auth=auth) as driver:  # pyright: ignore[reportUnknownMemberType]
        rows = driver.execute_query(Query(cast("LiteralString", query))).records
    return [*map(_draw, rows[:3]), Text(f"and {len(rows) - 3} more", "dim")]


def _draw(row: Record) -> Text:
    source, edge, target = cast("tuple[Node, Relationship, Node]", row.values())
    return Text(f"(:{_label(source)} {source['_title']})-[:{edge.type}]->(:{_label(target)} {target['_title']})")


def _label(node: Node) -> str:
    return next(label for label in node.labels if not label.startswith("_"))


def invite(page: Page, settings: Settings, domain: str) -> None:
    """Print how the reader can use graph-memory."""
    command = shlex.quote(str(COMMAND))
    page.chapter("Now yours", "Paste this into the configuration of your MCP client:")
    configuration = {"mcpServers": {"graph-memory": {"command": str(COMMAND), "args": ["mcp", "--for", "agent"]}}}
    page.verbatim(json.dumps(configuration, indent=2), "bold")
    page.say("or, for a client with a command line like Claude Code's:")
    page.verbatim(f"claude mcp add --scope user graph-memory -- {command} mcp --for agent", "bold")
    page.say(
        "A new memory is empty: your agent writes down what it learns, as the assistant above did. An application with "
        "types of its own takes `--for application`, as in chapter 1. "
        f"Everything is kept in {_usual_home()} (GRAPH_MEMORY_HOME moves it). Its Neo4j starts when it is first "
        "needed and goes on running, shared by all your clients. To stop it, or when something is amiss:"
    )
    page.verbatim(f"{command} neo4j stop\n{command} doctor", "bold")
    _look_back(page, settings, domain, f"GRAPH_MEMORY_HOME={shlex.quote(str(settings.home))} {command} neo4j")


def _look_back(page: Page, settings: Settings, domain: str, command: str) -> None:
    """Print how to see the demo's graph, and how to remove it."""
    look = f"{command} browser --domain {domain}"
    if local.status(settings).state is local.State.STOPPED:
        page.say("The demo has stopped its own Neo4j again. This starts it and opens the graph in Neo4j Browser:")
        page.verbatim(look, "bold")
    else:
        page.say("The demo's Neo4j was already running, and keeps running. This opens the graph in Neo4j Browser:")
        page.verbatim(look, "bold")
    page.say("To remove what the demo wrote:")
    page.verbatim(f"{command} stop; rm -r {shlex.quote(str(settings.home))}", "bold")


def _usual_home() -> Path:
    return user_data_path("graph-memory", appauthor=False)


def _first(error: BaseException) -> GraphError:
    while isinstance(error, BaseExceptionGroup):
        error = cast("BaseExceptionGroup[BaseException]", error).exceptions[0]
    return cast("GraphError", error)


if __name__ == "__main__":
    cast("TextIOWrapper", sys.stdout).reconfigure(errors="replace")  # a pipe may not know arrows
    sys.exit(main())
