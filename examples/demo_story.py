"""The story of the demo: one day of an agent that keeps a person's projects in graph-memory."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from typing import cast

import psutil
from demo_stage import COMMAND, Agent, Answer, Page, agent_on, shown_time
from rich import box
from rich.padding import Padding
from rich.table import Table
from rich.text import Text
from rich.tree import Tree

from graph_memory import parse_ontology
from graph_memory.model.ontology.types import definition

ONTOLOGY = Path(__file__).parent.parent / "ontologies" / "gtd.yaml"
KITCHEN = "# Kitchen Renovation\n\nModern farmhouse style. Budget: $50k, to be ready in Q1 2026."
DEARER = "# Kitchen Renovation\n\nModern farmhouse style. Budget: $65k, to be ready in Q1 2026."
BATHROOM = "# Bathroom Remodel\n\nFarmhouse sink and fixtures."
CALL = "# Call contractor\n\nGet 3 quotes. Ask for references of similar kitchens."
CIRCUIT = "# Ask the electrician\n\nThe oven needs a circuit of its own."
SINKS = "# Research farmhouse sinks\n\nFind suppliers."
PLUMBER = "# Call plumber\n\nSchedule bathroom work."
GARDEN = "# Garden\n\nSomething that flowers in spring."
ANNA = "# Anna Anderson\n\nAnderson Contracting, recommended by the neighbours."


@dataclass
class Story:
    """The chapters of the demo in a domain, with the measured times."""

    page: Page
    domain: str
    ids: dict[str, str] = field(default_factory=dict[str, str])
    measured: dict[str, str] = field(default_factory=dict[str, str])

    async def tell(self) -> None:
        """Tell the whole story: a morning with one server process, an afternoon with the next."""
        self.page.chapter(
            "An agent connects",
            "An MCP client starts `graph-memory mcp --for application` as a process of its own and talks to it over "
            "stdin and stdout. Every call below is made by such a client, and every answer is the server's.",
        )
        async with agent_on(self.page, self.domain) as agent:
            await self.connect(agent)
            await self.declare(agent)
            await self.write_down(agent)
            await self.wait_for(agent)
            await self.ask(agent)
            await self.mean(agent)
            await self.disagree(agent)
            self.sum_up(agent)
            morning = _server_pids()
        await self.return_to(morning)
        await self.remember()

    async def connect(self, agent: Agent) -> None:
        """See what the server offers, and that a new domain knows nothing."""
        info, tools = agent.client.server_info, (await agent.client.list_tools()).tools
        listed = time.perf_counter() - agent.began
        name = f"{info.name} {info.version}" if info else "The server"
        self.page.row(
            " ", [Text(f"{name} offers {len(tools)} tools, over MCP {agent.client.protocol_version}")], listed
        )
        with self.page.console.status("Waiting for the first answer: the database's schema is made or checked"):
            await agent.call_refused("get_ontology")
        self.measured["server process started → its tools listed"] = shown_time(listed)
        self.measured["server process started → first answer from the graph, its schema made or checked"] = _since(
            agent
        )

    async def declare(self, agent: Agent) -> None:
        """Define what the memory may hold, and show it."""
        self.page.say(
            "A memory has rules, and the agent may read them. Here it takes those of ontologies/gtd.yaml, for Getting "
            "Things Done."
        )
        declared = parse_ontology(ONTOLOGY.read_text(encoding="utf-8"), ONTOLOGY.name)
        types = {
            "node_types": [definition(node_type) for node_type in declared.node_types],
            "connection_types": [definition(edge_type) for edge_type in declared.connection_types],
        }
        with self.page.console.status("Each connection type gets a constraint in the database"):
            await agent.call("create_ontology", **types)
        self.page.console.print(_rules(await agent.quietly("get_ontology")))

    async def write_down(self, agent: Agent) -> None:
        """Write down what is on the person's mind."""
        self.page.chapter(
            "The user thinks aloud, the agent writes it down (Monday, 9:00)",
            "Three projects, and the steps that move two of them. Details go into the content, what will be asked for "
            "later goes into properties.",
        )
        created = await agent.call(
            "create_node", type="Project", content=KITCHEN, format="markdown", properties={"status": "active"}
        )
        self.ids["kitchen"] = kitchen = str(created["node_id"])
        agent.title(kitchen, KITCHEN)
        self.page.say(
            f"From here on ‹{self.page.titles[kitchen]}› stands for that id; other ids are shown by title as well."
        )
        bathroom = await agent.node("Project", BATHROOM, status="active")
        await agent.node("Project", GARDEN, status="active")
        call = await agent.node("Action", CALL, status="next", context="phone")
        circuit = await agent.node("Action", CIRCUIT, status="next", context="phone")
        sinks = await agent.node("Action", SINKS, status="next", context="computer")
        plumber = await agent.node("Action", PLUMBER, status="waiting", context="phone")
        phone = await agent.node("Context", "# Phone", name="phone")
        self.ids |= {"bathroom": bathroom, "call": call, "sinks": sinks, "plumber": plumber}
        self.page.say("A list would end here. What makes it a memory is how things are connected.")
        for project, action in ((kitchen, call), (kitchen, circuit), (bathroom, sinks), (bathroom, plumber)):
            await agent.connect("NextAction", project, action)
        for action in (call, circuit, plumber):
            await agent.connect("RequiresContext", action, phone)
        await agent.connect("DependsOn", plumber, sinks)

    async def wait_for(self, agent: Agent) -> None:
        """Make two mistakes that the server refuses, and recover from both."""
        self.page.chapter(
            "The agent makes mistakes, the memory stays sound (9:20)",
            '"Anna Anderson has promised us a plan of the kitchen." The agent connects the two, wrongly:',
        )
        anna = await agent.node("Person", ANNA, name="Anna Anderson", role="contractor")
        ends = {"from_node_id": self.ids["kitchen"], "to_node_id": anna}
        await agent.call_refused("create_connection", type="NextAction", **ends)
        self.page.say("The message says what would be valid. The agent looks for a type that fits, and tries it:")
        await agent.call(
            "validate_connection", connection_type="WaitingFor", from_node_type="Project", to_node_type="Person"
        )
        await agent.call_refused("create_connection", type="WaitingFor", **ends, properties={"since": "2025-10-15"})
        self.page.say('It asks the user ("When should I remind you?") and has all it needs:')
        dates = {"since": "2025-10-15", "follow_up_date": "2025-11-15"}
        await agent.call("create_connection", type="WaitingFor", **ends, properties=dates)
        self.page.say("The two refused calls left nothing behind. There is one connection between the two nodes:")
        await agent.call("query_connections", **ends)

    async def ask(self, agent: Agent) -> None:
        """Find things again: by property, by connection, by content."""
        self.page.chapter(
            "Questions (11:00)",
            '"I am on the train, with a phone. What can I get done?"',
        )
        await agent.call("query_nodes", type="Action", properties={"status": "next", "context": "phone"})
        self.page.say(
            "‹Call plumber› needs a phone as well, but is waiting. For what? The agent follows the connections:"
        )
        await agent.call("get_connected_nodes", node_id=self.ids["plumber"], direction="out")
        self.page.say("Followed to the end, from both projects:")
        for project in (self.ids["kitchen"], self.ids["bathroom"]):
            tree = Tree(self.page.value(project), guide_style="dim")
            await self._grow(agent, tree, project)
            self.page.console.print(Padding.indent(tree, 2))
        self.page.say('"Where did I say farmhouse?" The search covers all content and ignores case:')
        await agent.call("search_content", query="farmhouse")
        self.measured["a search"] = shown_time(agent.times[-1][1])
        await agent.call("search_content", query="FARMHOUSE", node_type="Project")

    async def _grow(self, agent: Agent, branch: Tree, node_id: str) -> None:
        page = await agent.quietly("query_connections", from_node_id=node_id)
        for connection_id in _texts(page["connection_ids"]):
            connection = await agent.quietly("get_connection", connection_id=connection_id)
            target = str(connection["to_node_id"])
            label = Text.assemble((f"{connection['type']} → ", "dim"), self.page.value(target))
            await self._grow(agent, branch.add(label), target)

    async def mean(self, agent: Agent) -> None:
        """Find things by what they mean."""
        self.page.chapter(
            "By meaning (11:30)",
            "People do not remember their own words. None of the next question is written anywhere, and the model that "
            "understands it runs in the server, offline:",
        )
        await agent.search("Who might rewire my cooker?", max_results=2)
        self.measured["the first search by meaning, its model loaded and what is new indexed"] = shown_time(
            agent.times[-1][1]
        )
        self.page.say("Each hit says why it was found. Words count as well, in whatever form:")
        await agent.search("Who was recommended by the people next door?", max_results=1)
        self.measured["a search by meaning"] = shown_time(agent.times[-1][1])
        self.page.say("A recall tells all that fits: what is found, what it is connected to, and how:")
        await agent.recall("the kitchen", max_tokens=150)

    async def disagree(self, agent: Agent) -> None:
        """Let a second agent change a node under the first one's hands."""
        remark = "The agent reads an action and thinks. Its version is the number of the event that changed it last."
        self.page.chapter("Two agents, one memory (14:00)", remark)
        sinks = {"node_id": self.ids["sinks"]}
        seen = await agent.call("get_node", **sinks)
        self.page.say("Meanwhile another agent, with a server process of its own, ticks it off:")
        async with agent_on(self.page, self.domain) as other:
            await other.call("update_node", **sinks, properties={"status": "completed"})
        self.page.say("The first agent postpones it, on condition that nobody has changed it since:")
        later = {"properties": {"status": "someday"}, "expected_version": seen["version"]}
        await agent.call_refused("update_node", **sinks, **later)
        self.page.say("It reads again. The action is done, so what depended on it can go ahead:")
        await agent.call("get_node", **sinks)
        await agent.call("update_node", node_id=self.ids["plumber"], properties={"status": "next"})

    def sum_up(self, agent: Agent) -> None:
        """Keep the medians of the day."""
        kinds = {"a write": ("create_node", "create_connection", "update"), "a read": ("get", "query")}
        for name, begins in kinds.items():
            times = [seconds for tool, seconds in agent.times if tool.startswith(begins)]
            self.measured[f"{name}, median of {len(times)}"] = shown_time(median(times))

    async def return_to(self, morning: Sequence[int]) -> None:
        """Start another server and find everything there."""
        has_ended = not any(psutil.pid_exists(pid) for pid in morning)
        ended = (
            f"Yesterday's server process ({', '.join(map(str, morning))}) {'has ended' if has_ended else 'still runs'}."
        )
        async with agent_on(self.page, self.domain) as agent:
            begun = ", ".join(map(str, _server_pids()))
            self.page.chapter(
                "Another server process, the same memory (Tuesday, 9:00)", f"{ended} A new one ({begun}) takes over:"
            )
            await agent.call("get_node_content", node_id=self.ids["kitchen"])
            self.measured["next server process started → first answer"] = _since(agent)
            await agent.call("query_nodes", type="Action", properties={"status": "next", "context": "phone"})
            await agent.call("search_content", query="farmhouse")
            await self.look_back(agent)

    async def remember(self) -> None:
        """Show the tools of an assistant, which needs no types."""
        self.page.chapter(
            "An assistant remembers by itself (Tuesday, 10:00)",
            "The tools above are for applications with types of their own. An assistant or a coding agent gets "
            "other tools with `graph-memory mcp --for agent`. It writes down what it learns, and needs no types:",
        )
        async with agent_on(self.page, f"{self.domain}-assistant", "agent") as agent:
            facts = ["Prefers calls before noon.", "Fits tiles and bathrooms."]
            await agent.call("remember", name="Anna Anderson", type="person", observations=facts)
            await agent.recall("When can I call Anna?", max_tokens=150)
            await agent.call("session_end", summary="Learned when to call Anna. Next: ask her for a date.")

    async def look_back(self, agent: Agent) -> None:
        """Change a node, and search its earlier state."""
        self.page.chapter(
            "What was true last week (Tuesday, 9:00)",
            "The tiles were dearer than expected. The plan changes:",
        )
        kitchen = {"node_id": self.ids["kitchen"], "content": DEARER, "encoding": "utf-8"}
        changed = await agent.call("update_node", **kitchen)
        question = "How much money is there for the kitchen?"
        await agent.search(question, max_results=1)
        self.page.say(
            '"And what did we say last week?" The same search, as of then. `as_of` takes "last week" too, but the '
            "clock of this demo has moved on by seconds only, so it names the last change before:"
        )
        await agent.search(question, max_results=1, as_of=int(str(changed["version"])) - 1)
        self.measured["a search in the past"] = shown_time(agent.times[-1][1])


def _rules(ontology: Answer) -> Table:
    table = Table(box=box.SIMPLE_HEAD, header_style="dim", pad_edge=True)
    for heading in ("connection type", "from", "to", "requires"):
        table.add_column(heading)
    for connection_type in cast("list[dict[str, object]]", ontology["connection_types"]):
        ends = (
            _join_names(connection_type["from_types"]),
            _join_names(connection_type["to_types"]),
            _join_names(connection_type.get("required_properties", ())),
        )
        table.add_row(Text(str(connection_type["name"]), "bold"), *ends)
    return table


def _join_names(names: object) -> str:
    return ", ".join("any" if name == "*" else name for name in _texts(names))


def _texts(value: object) -> Sequence[str]:
    return cast("Sequence[str]", value)


def _since(agent: Agent) -> str:
    return shown_time(time.perf_counter() - agent.began)


def _server_pids() -> list[int]:
    """Return the server processes that run for this demo."""
    mine = psutil.Process().children()
    return [process.pid for process in mine if str(COMMAND) in process.cmdline()]
