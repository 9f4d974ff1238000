"""Skills: bundled instructions for an agent, which a user calls by name, such as `/remember`.

Clients read them from the plugin, or from the folder to which `install` writes them. Other clients get the same texts
as MCP prompts.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

_CALL = re.compile(r"`(\w+)`\s+with\s+`\{")
"""Matches a tool call in the text of a skill, up to the start of its arguments."""
_MARK = re.compile(r"\A---\n(?:(?!---\n).*\n)*?metadata:\n  source: graph-memory\n")
"""Matches the front matter of a skill written by graph-memory."""


@dataclass(frozen=True, slots=True)
class Skill:
    """A skill's name and its file's text."""

    name: str
    text: str

    @property
    def body(self) -> str:
        """The instructions, without the front matter."""
        return self.text.split("\n---\n", 1)[1]

    @property
    def description(self) -> str:
        """A one-sentence description of the skill."""
        return self._field("description")

    @property
    def argument_hint(self) -> str:
        """A placeholder for the text after the skill's name."""
        return self._field("argument-hint").strip('"[]')

    @property
    def tools(self) -> frozenset[str]:
        """The names of the tools that the skill calls."""
        return frozenset(_CALL.findall(self.body))

    def _field(self, name: str) -> str:
        return next(line for line in self.text.splitlines() if line.startswith(f"{name}:")).partition(": ")[2]


@cache
def bundled_skills() -> Mapping[str, Skill]:
    """Return the plugin's skills by name, from the installed package or the checkout."""
    package = Path(__file__).resolve().parent
    folders = (parent / "plugins" / "claude-code" / "skills" for parent in (package, package.parents[1]))
    files = sorted(next(folder for folder in folders if folder.is_dir()).glob("*/SKILL.md"))
    return {file.parent.name: Skill(file.parent.name, file.read_text("utf-8")) for file in files}


def is_own_skill(text: str) -> bool:
    """Return whether the skill with this text was written by graph-memory, not by the user."""
    return bool(_MARK.match(text))
