"""The commands of `graph-memory` by name, each imported when it is run: importing all of them takes half a second."""

from __future__ import annotations

from collections.abc import Callable, Iterator, MutableMapping
from dataclasses import dataclass
from importlib import import_module
from typing import Any, cast

import typer
from typer.core import TyperCommand, TyperGroup
from typer.main import get_group

from graph_memory.cli.removed import add_removed

Command = TyperCommand | TyperGroup


@dataclass(frozen=True, slots=True)
class Entry:
    """A command or a group of commands: `module:function`, and its panel and line in the help of `graph-memory`."""

    place: str
    panel: str
    help: str

    def load(self, name: str) -> Command:
        """Import the module of the command, and return the command."""
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
        """Return a command without a function, for the help of `graph-memory`."""
        return TyperCommand(name, help=self.help, rich_help_panel=self.panel)


REMEMBER = "Remember and find"
HISTORY = "See what changed, and undo it"
SERVE = "Serve and maintain"
_REMEMBER = """\
remember remember:remember Remember facts about one thing: add what is new, skip what is known, and say what may be out of date.
forget remember:forget End the facts about an entity, or single observations. They are kept as the past unless you erase them.
decide remember:decide Answer a question of remember.
recall recall:recall Tell what the memory knows, within so many tokens.
search search:search Find what answers a question, by words and by meaning, best first. For exact texts use find, for values query.
traverse traverse:traverse Follow connections from nodes, and show what they lead to and how.
path traverse:path Show how two nodes are connected: over which others, by which connections.
neighbors traverse:neighbors List the connections of a node that count most, and the nodes at their other ends.
synthesize recall:synthesize Have a language model write about a question from what is stored, with citations.
find search:find Find all nodes whose text content contains a string exactly, ignoring case.
query search:query List nodes, by type, exact property values, fields and times if you give them; all must match.
batch batch:batch Make many changes in one transaction: all of them, or none. Exits with 65 if operations are at fault.
call call:call Call an operation by its name. Prints its result as JSON, as the MCP tool of the same name returns it.
infer connection:infer List the connections that follow from transitive types. With --write, add the missing ones.
protect protection:protect Make a node, a connection or a whole domain read-only. It guards against mistakes, not against attackers.
unprotect protection:unprotect Lift the protection of a node, a connection or a whole domain. Only who it names may; if nobody, you may.
ontology ontology:app The types of a domain, and files that declare them.
node node:app Nodes: what is remembered. `graph-memory query` lists them.
connection connection:app Connections: what joins two nodes.
entity entity:app Entities with their observations and relations.
block session:block_app Short texts that an agent reads at the start of each session.
session session:app What to know at the start of a session, and what is kept of it.
domain domain:app Domains: namespaces, each with its own ontology and log.
link link:app Links from nodes of one domain to nodes of another.
gtd gtd:app Getting Things Done: what to do now, what is stuck, what you wait for, the weekly review.
agent agent:app Goals and patterns of an agent, and pruning of its memory.
"""
_HISTORY = """\
log history:log Show what changed, newest first: number, time, who, and the change in words.
diff diff:diff Show what differs between two points of the log, or two domains: added, removed, changed, value by value.
sessions history:sessions Show who changed the domain, latest first: when, how much, and what.
review review:review Go through the changes that nobody has reviewed yet, at a terminal: accept, reject or edit each.
revert history:revert Undo changes: of events, a range of the log, or a session. The undo is logged, and can be undone too.
merge branch:merge Merge the changes of a branch into the domain it was made from, or the other way round.
compact retention:compact Move the log before a point to an archive; earlier states can no longer be read.
erase retention:erase Erase a node or connection, even a deleted one, with its whole past, in all branches. This cannot be undone.
branch branch:app Branches: copies of a domain, as it is or was, to try things out in. `branch NAME` makes one.
"""
_SERVE = """\
mcp serve:mcp Serve the memory to an MCP client, or over HTTP to many. Agents: --for agent.
verify upkeep:verify Replay a domain's log and compare it with the live graph; exits with 1 if they differ.
rebuild upkeep:rebuild Repair the live graph of a domain from its log; exits with 1 if something could not be repaired.
reindex upkeep:reindex Make the index of search anew from the log of a domain.
gc upkeep:gc Collect garbage: remove the blobs, which hold large and binary content, that nothing in the log refers to.
scan retention:scan Look for a text in the whole database and in all blobs; exits with 1 if it is found.
reconcile reconcile:reconcile Show what was changed outside graph-memory; adopt it or restore the log's state. Exits with 1 if some is left.
backup backup:backup Save the local Neo4j and its blobs in one file. Neo4j stops for the dump, and starts again if it was running.
restore backup:restore Restore a backup into the home. What the home held stays until the backup has been loaded and started.
doctor doctor:doctor Check Java, jars, ports, disk, versions, the connection and models; exits with 1 if something failed.
config config:config Show every setting with its value, where it comes from, and the environment variable that sets it.
export transfer:export_domain Write a domain to a file or folder: its whole log, or what is in it now, for other programs or for load.
import transfer:import_domain Create a domain from a file or folder that export wrote, or import what another program remembers.
load load:load Load a graph from files of other programs or a Neo4j server.
neo4j neo4j:app The local Neo4j: start, stop and look at it.
"""
"""The commands of each panel of the help: name, place, and the first paragraph of the command's help."""
ENTRIES = {
    name: Entry(place, panel, help_)
    for panel, lines in ((REMEMBER, _REMEMBER), (HISTORY, _HISTORY), (SERVE, _SERVE))
    for name, place, help_ in (line.split(" ", 2) for line in lines.splitlines())
}


class _Commands(MutableMapping[str, Any]):
    """The commands of `graph-memory`, each imported on first use."""

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
        """Return a command, or the default if there is none. Raises a KeyError of its import."""
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
        """Return a command by its name, or None."""
        if self._is_listing and cmd_name in ENTRIES:
            return ENTRIES[cmd_name].placeholder(cmd_name)
        return super().get_command(ctx, cmd_name)

    def format_help(self, ctx: Any, formatter: Any) -> None:  # noqa: ANN401
        """Write the help, with a line for each command."""
        self._is_listing = True
        try:
            super().format_help(ctx, formatter)
        finally:
            self._is_listing = False
