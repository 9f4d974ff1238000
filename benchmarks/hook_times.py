"""How long the hooks of a client take, with and without a server, in a row and at once, and what they leave behind."""

from __future__ import annotations

import json
import os
import subprocess
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from resource import RUSAGE_CHILDREN, getrusage
from statistics import median, quantiles

import anyio
import anyio.to_thread
import psutil

from benchmarks.graph import say
from benchmarks.report import table
from benchmarks.servers import COMMAND, over_stdio
from graph_memory import Settings

CALLS = 40
"""Calls of each hook that are counted."""
IN_A_ROW = 1_000
AT_ONCE = 10
ROUNDS = 5
EVENTS: Mapping[str, Mapping[str, object]] = {
    "SessionStart": {"source": "startup"},
    "UserPromptSubmit": {},
    "PostToolUse": {"tool_name": "Bash", "tool_input": {"command": "make test"}, "tool_response": {"exit_code": 0}},
    "Stop": {"last_assistant_message": "All tests pass."},
    "SessionEnd": {"reason": "clear"},
}


@dataclass(frozen=True, slots=True)
class Hooks:
    """Runs the hooks of a client as processes."""

    settings: Settings
    domain: str
    prompts: Iterator[str]
    """Prompts of a user, in turn. Equal prompts would be stored again and again, and slow recall as no user does."""

    def run(self, event: str, session: str) -> tuple[float, bool]:
        """Run a hook, and return its duration in ms and whether it answered. It must not fail."""
        payload = {"session_id": session, "cwd": str(Path.cwd()), "hook_event_name": event, **EVENTS[event]}
        if event == "UserPromptSubmit":
            payload["prompt"] = next(self.prompts)
        command = [COMMAND, "hook", event, "--client", "claude-code", "--domain", self.domain]
        env = {**os.environ, "GRAPH_MEMORY_HOME": str(self.settings.home)}
        start = time.perf_counter()
        done = subprocess.run(command, input=json.dumps(payload).encode(), capture_output=True, env=env, check=True)
        return 1_000 * (time.perf_counter() - start), bool(done.stdout)

    def count_running(self) -> int:
        """Return the number of processes of hooks that still run."""
        commands = (process.info["cmdline"] or () for process in psutil.process_iter(["cmdline"]))
        return sum("hook" in command and self.domain in command for command in commands)


async def hook_times(settings: Settings, domain: str, prompts: Iterator[str]) -> str:
    """Return tables of times in ms, and lines on what 1,000 hooks cost and leave behind."""
    hooks = Hooks(settings, domain, prompts)
    say("hooks without a server")
    rows = [await anyio.to_thread.run_sync(_row, hooks, event, "without a server") for event in EVENTS]
    async with over_stdio(settings, str(COMMAND), "mcp", "--for", "agent", "--domain", domain) as server:
        await server.call("recall", query="failed downloads")
        await _wait_until_warm(hooks)
        say("hooks with a server")
        rows += [await anyio.to_thread.run_sync(_row, hooks, event, "with a server") for event in EVENTS]
        say(f"{IN_A_ROW} hooks in a row")
        lines = await anyio.to_thread.run_sync(_in_a_row, hooks, server.process)
        lines += await anyio.to_thread.run_sync(_at_once, hooks)
    heading = ("hook", "p50", "p95", "answered")
    return f"{table(heading, rows)}\n" + "".join(f"- {line}\n" for line in lines)


async def _wait_until_warm(hooks: Hooks) -> None:
    for number in range(60):
        _, has_answered = await anyio.to_thread.run_sync(hooks.run, "UserPromptSubmit", f"warm-{number}")
        if has_answered:
            return
        await anyio.sleep(1)


def _row(hooks: Hooks, event: str, name: str) -> Sequence[object]:
    results = [hooks.run(event, f"{name}-{number}") for number in range(CALLS)]
    times = [milliseconds for milliseconds, _ in results]
    answered = sum(has_answered for _, has_answered in results)
    return (f"{event} {name}", f"{median(times):.0f}", f"{quantiles(times, n=20)[-1]:.0f}", f"{answered} of {CALLS}")


def _in_a_row(hooks: Hooks, server: psutil.Process) -> list[str]:
    """Return lines on many hooks in a row: time, processor time, memory of the server, processes that stay."""
    memory: Callable[[], float] = lambda: server.memory_info().rss / 2**20  # noqa: E731
    marks = [memory()]
    usage, start = getrusage(RUSAGE_CHILDREN), time.perf_counter()
    for number in range(IN_A_ROW):
        hooks.run("PostToolUse", f"row-{number // 50}")
        if number % (IN_A_ROW // 4) == IN_A_ROW // 4 - 1:
            marks.append(memory())
    elapsed, after = time.perf_counter() - start, getrusage(RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - usage.ru_utime - usage.ru_stime
    sizes = ", ".join(f"{mark:.0f}" for mark in marks)
    return [
        f"{IN_A_ROW:,} hooks in a row: {elapsed:.0f} s, {1_000 * cpu / IN_A_ROW:.0f} ms of processor time each",
        f"memory of the server before, and after each quarter of them: {sizes} MiB",
        f"processes of hooks that stay: {hooks.count_running()}",
    ]


def _at_once(hooks: Hooks) -> list[str]:
    """Return lines on hooks at once: prompts and calls of tools in turn."""
    times: dict[str, list[float]] = {"UserPromptSubmit": [], "PostToolUse": []}
    with ThreadPoolExecutor(AT_ONCE) as pool:
        for turn in range(ROUNDS):
            for event, values in times.items():
                results = pool.map(hooks.run, [event] * AT_ONCE, [f"once-{turn}-{place}" for place in range(AT_ONCE)])
                values += [milliseconds for milliseconds, _ in results]
    return [
        f"{AT_ONCE} × {event} at once: p50 {median(values):.0f} ms, p95 {quantiles(values, n=20)[-1]:.0f} ms"
        for event, values in times.items()
    ]
