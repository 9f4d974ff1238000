"""The commands of `graph-memory` by name. Each command is imported when it runs, because importing all takes 0.5 s."""

from __future__ import annotations

from collections.abc import Callable, Iterator, MutableMapping
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from typing import Any, cast

import typer
from typer.core import TyperCommand, TyperGroup
from typer.main import get_group

from graph_memory.cli.removed import add_removed

Command = TyperCommand | TyperGroup


@dataclass(frozen=True, slots=True)
class Entry:
    """A command or command group: its `module:function`, and its panel and text in the help of `graph-memory`."""

    place: str
    panel: str
    help: str

    @cache  # noqa: B019 - entries live as long as the process
    def load(self, name: str) -> Command:
        """Import the module of the command, and return the command under this name."""
        module, _, attribute = self.place.partition(":")
        target: typer.Typer | Callable[..., None] = getattr(
            import_module(f"graph_memory.cli.commands.{module}"), attribute
        )
        app = typer.Typer()
        if isinstance(target, typer.Typer):
            add_removed(target, group=name)
            app.add_typer(target, name=name, rich_help_panel=self.panel)
        else:
            app.command(name, rich_help_panel=self.panel)(target)
        return cast("Command", get_group(app).commands[name])

    def placeholder(self, name: str) -> Command:
        """Return a stand-in with only a name, a panel and a text, for the help of `graph-memory`."""
        return TyperCommand(name, help=self.help, rich_help_panel=self.panel)


REMEMBER = "Remember and find"
HISTORY = "See what changed, and undo it"
SERVE = "Serve and maintain"
_REMEMBER = """\
remember remember:remember Store facts about an entity. Adds new facts, skips known ones, and asks about facts that may be out of date.
forget remember:forget End the facts about an entity, or single observations. They remain in the history unless you erase them.
decide remember:decide Answer a question that remember asked.
recall recall:recall Print what the memory knows about a topic, within a token budget.
search search:search Search by words and by meaning, best results first. For exact text use find, for property values use query.
traverse traverse:traverse Follow connections from nodes, and print the nodes that they reach.
path traverse:path Show how two nodes are connected: the nodes and connections between them.
neighbors traverse:neighbors List the strongest connections of a node, and the nodes at their other ends.
synthesize recall:synthesize Have a language model answer a question from the stored data, with citations.
find search:find Find all nodes whose text content contains an exact string, ignoring case.
query search:query List the nodes that match all of the given filters: type, exact property values, fields and times.
batch batch:batch Make many changes in one transaction: all of them, or none. Exits with status 65 if an operation fails.
call call:call Call an operation by its name. Prints the result as JSON, like the MCP tool of the same name.
infer connection:infer List the missing connections that transitive types imply. With --write, add them.
protect protection:protect Make a node, a connection or a whole domain read-only. This guards against mistakes, not against attackers.
unprotect protection:unprotect Remove the protection of a node, connection or domain. If it names actors, only they may remove it.
ontology ontology:app The types of a domain, and the files that declare them.
node node:app Nodes: the stored items. `graph-memory query` lists them.
connection connection:app Connections between two nodes.
entity entity:app Entities with their observations and relations.
block session:block_app Short texts that an agent reads at the start of each session.
session session:app The start of a session: what an agent should know.
domain domain:app Domains: namespaces, each with its own ontology and log.
link link:app Links from nodes of one domain to nodes of another.
gtd gtd:app Getting Things Done: next actions, stuck projects, things you wait for, and the weekly review.
agent agent:app Goals and patterns of an agent, and pruning of its memory.
"""
_HISTORY = """\
log history:log Show the log of changes, newest first: number, time, actor and description.
diff diff:diff Show the differences between two points in the log, or between two domains, value by value.
sessions history:sessions List the sessions that changed the domain, latest first: time, actor, number of changes, and topic.
review review:review Review new changes in a terminal: accept, reject or edit each of them.
revert history:revert Undo changes: single events, a range of the log, or a session. The undo is logged, and can be undone too.
merge branch:merge Merge the changes of a branch into its source domain, or the other way around.
compact retention:compact Move the log before a point to an archive. Earlier states can no longer be read.
erase retention:erase Erase a node or connection, even a deleted one, with its whole history, in all branches.
branch branch:app Branches: copies of a domain at a point in its log, to try changes in. `branch NAME` creates one.
"""
_SERVE = """\
mcp serve:mcp Serve the memory to an MCP client, or over HTTP to many clients. For agents, use --for agent.
serve serve:serve Serve the memory over HTTP to many clients, on several machines if they have keys or tokens.
view serve:view Open the memory in a browser: see it, and correct it. Starts a server if none is running.
report transfer:report Write a report on a domain as one HTML file: growth, types, sessions, problems, use, and search latency.
key clients.keys:app Keys of clients over HTTP, with rights by domain. See `graph-memory serve --auth keys`.
install clients.clients:install Add the memory, its hooks and its skills to a client. Shows the changes, and keeps backups of changed files.
uninstall clients.clients:uninstall Remove the memory, its hooks and its skills from a client. Stored memories are kept.
hook clients.clients:hook Handle an event of a client's hook. Reads the event as JSON from stdin, and always exits with status 0.
verify upkeep:verify Replay the log of a domain and compare the result with the live graph. Exits with status 1 if they differ.
rebuild upkeep:rebuild Repair the live graph of a domain from its log. Exits with status 1 if a difference could not be repaired.
reindex upkeep:reindex Rebuild the search index of a domain from its log.
gc upkeep:gc Collect garbage: remove blobs (large and binary contents) that no event refers to.
scan retention:scan Search the whole database and all blobs for a string. Exits with status 1 if it is found.
reconcile reconcile:reconcile Show, adopt or undo changes made outside graph-memory. Exits with status 1 if unresolved changes remain.
backup backup:backup Save the local Neo4j and its blobs to one file. Neo4j stops for the dump, and starts again if it was running.
restore backup:restore Restore a backup into the home folder. The old data is kept until the restored Neo4j has started.
doctor doctor:doctor Check Java, jars, ports, disk, versions, the connection and models. Exits with status 1 if a check fails.
eval recall:evaluate Measure search and recall with a public question set: recall, tokens and times.
config config:config Show every setting with its value, its source, and its environment variable.
export transfer:export_domain Write a domain to a file or folder: its whole log, or its current data for other programs or for load.
import transfer:import_domain Create a domain from a file or folder written by export, or import another program's memory.
sync transfer:sync_folder Synchronise a folder of Markdown notes and a domain in both directions. Exits with status 73 if conflicts remain.
load load:load Load a graph from files of other programs or a Neo4j server.
neo4j neo4j:app The local Neo4j: start it, stop it, and show its status.
"""
"""The commands of each panel of the help: name, `module:function`, and the first paragraph of the command's help."""
ENTRIES = {
    name: Entry(place, panel, help_)
    for panel, lines in ((REMEMBER, _REMEMBER), (HISTORY, _HISTORY), (SERVE, _SERVE))
    for name, place, help_ in (line.split(" ", 2) for line in lines.splitlines())
}


class _Commands(MutableMapping[str, Any]):
    """The commands of `graph-memory` by name. A command is imported when it is first read."""

    def __init__(self, registered: MutableMapping[str, Any]) -> None:
        self._commands: dict[str, Any] = {**dict.fromkeys(ENTRIES), **registered}

    def __getitem__(self, name: str) -> Any:  # noqa: ANN401 - the class of commands is private to typer
        if self._commands[name] is None:
            self._commands[name] = ENTRIES[name].load(name)
        return self._commands[name]

    def __setitem__(self, name: str, command: Any) -> None:  # noqa: ANN401
        self._commands[name] = command

    def __delitem__(self, name: str) -> None:
        del self._commands[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._commands)

    def __len__(self) -> int:
        return len(self._commands)

    def __contains__(self, name: object) -> bool:
        return name in self._commands

    def get(self, name: str, default: Any = None) -> Any:  # noqa: ANN401
        """Return the command with this name, or the default if there is none.

        KeyErrors from its import are not caught.
        """
        if name not in self:
            return default
        return self[name]


class LazyGroup(TyperGroup):
    """The group of all commands. Its help lists them without importing them."""

    _is_listing = False

    def __init__(self, **options: Any) -> None:  # noqa: ANN401 - as its class has them
        super().__init__(**options)
        self.commands = _Commands(self.commands)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:  # noqa: ANN401 - its class is private to typer
        """Return the command with this name, or None if there is none.

        For the help, return the command's placeholder.
        """
        if self._is_listing and cmd_name in ENTRIES:
            return ENTRIES[cmd_name].placeholder(cmd_name)
        return super().get_command(ctx, cmd_name)

    def list_commands(self, ctx: Any) -> list[str]:  # noqa: ANN401
        """Return the names of all commands."""
        del ctx
        return [*self.commands]

    def format_help(self, ctx: Any, formatter: Any) -> None:  # noqa: ANN401
        """Write the help of `graph-memory`, with one line for each command."""
        self._is_listing = True
        try:
            super().format_help(ctx, formatter)
        finally:
            self._is_listing = False
