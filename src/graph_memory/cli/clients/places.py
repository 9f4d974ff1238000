"""The files in which clients keep their servers, hooks and skills, for a user or for a project."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from graph_memory.skills import bundled_skills

Scope = Literal["user", "project"]


@dataclass(frozen=True, slots=True)
class ConfigFile:
    """A client's file: the key under which it lists servers, if any, and whether it has hooks or is a skill."""

    path: Path
    servers: str = ""
    has_hooks: bool = False
    skill: str = ""
    """The name of the skill whose text it has, or empty text."""

    @property
    def is_toml(self) -> bool:
        """Whether the file is TOML and not JSON."""
        return self.path.suffix == ".toml"


@dataclass(frozen=True, slots=True)
class Layout:
    """A client's configuration files in a user's home and in a project, and what a user must do after a change."""

    user: Mapping[str, tuple[str, bool]]
    """The key of the servers and whether there are hooks, by path. `CONFIG` stands for the system's configuration
    folder.
    """
    project: Mapping[str, tuple[str, bool]]
    next_step: str
    skills: str = ""
    """The folder of skills, both in a home and in a project, or empty text for a client without skills."""


_SERVERS = "mcpServers"
LAYOUTS: Mapping[str, Layout] = {
    "claude-code": Layout(
        {".claude.json": (_SERVERS, False), ".claude/settings.json": ("", True)},
        {".mcp.json": (_SERVERS, False), ".claude/settings.json": ("", True)},
        "Start a new session of Claude Code. It asks you to approve the server of a project.",
        ".claude/skills",
    ),
    "codex": Layout(
        {".codex/config.toml": ("mcp_servers", False), ".codex/hooks.json": ("", True)},
        {".codex/config.toml": ("mcp_servers", False), ".codex/hooks.json": ("", True)},
        "Start Codex again. It asks you to trust the hooks before it runs them.",
        ".agents/skills",
    ),
    "cursor": Layout(
        {".cursor/mcp.json": (_SERVERS, False), ".cursor/hooks.json": ("", True)},
        {".cursor/mcp.json": (_SERVERS, False), ".cursor/hooks.json": ("", True)},
        "Restart Cursor, and enable the server in its settings.",
    ),
    "gemini-cli": Layout(
        {".gemini/settings.json": (_SERVERS, True)},
        {".gemini/settings.json": (_SERVERS, True)},
        "Start Gemini CLI again. It asks you to trust the hooks of a project.",
    ),
    "vscode": Layout(
        {"CONFIG/Code/User/mcp.json": ("servers", False)},
        {".vscode/mcp.json": ("servers", False)},
        "Run `MCP: List Servers` in VS Code, and start graph-memory. It has no hooks.",
    ),
    "claude-desktop": Layout(
        {"CONFIG/Claude/claude_desktop_config.json": (_SERVERS, False)}, {}, "Restart Claude Desktop. It has no hooks."
    ),
    "zed": Layout(
        {"ZED/settings.json": ("context_servers", False)},
        {".zed/settings.json": ("context_servers", False)},
        "Zed starts the server by itself. It has no hooks.",
    ),
}


def files_of(client: str, scope: Scope, base: Path, platform: str) -> Sequence[ConfigFile]:
    """Return the client's files. `base` is the home of the user or the folder of the project."""
    layout = LAYOUTS[client]
    config = {"darwin": "Library/Application Support", "win32": "AppData/Roaming"}.get(platform, ".config")
    zed = "AppData/Roaming/Zed" if platform == "win32" else ".config/zed"
    entries = layout.user if scope == "user" else layout.project
    skills = bundled_skills() if layout.skills and entries else ()
    return [
        *(
            ConfigFile(base / path.replace("CONFIG", config).replace("ZED", zed), servers, has_hooks)
            for path, (servers, has_hooks) in entries.items()
        ),
        *(ConfigFile(base / layout.skills / name / "SKILL.md", skill=name) for name in skills),
    ]
