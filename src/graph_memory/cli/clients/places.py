"""The paths of clients' configuration files for servers, hooks and skills of a user or a project."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from graph_memory.skills import bundled_skills

Scope = Literal["user", "project"]


@dataclass(frozen=True, slots=True)
class ConfigFile:
    """A client's configuration file. It can have a key for servers, contain hooks, or be a skill."""

    path: Path
    servers: str = ""
    has_hooks: bool = False
    skill: str = ""
    """The name of the skill in the file, or an empty string if the file is not a skill."""

    @property
    def is_toml(self) -> bool:
        """Whether the format is TOML. Otherwise it is JSON."""
        return self.path.suffix == ".toml"


@dataclass(frozen=True, slots=True)
class Layout:
    """A client's configuration files in the home folder and in a project, and what the user must do after a change."""

    user: Mapping[str, tuple[str, bool]]
    """For each path in the home folder: the key of the servers, and whether the file contains hooks. `CONFIG` stands
    for the system's configuration folder."""
    project: Mapping[str, tuple[str, bool]]
    next_step: str
    skills: str = ""
    """The path of the skills folder in a home folder or project. Empty if the client has no skills."""


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
        "Restart Codex. It asks you to trust the hooks before it runs them.",
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
        "Restart Gemini CLI. It asks you to trust the hooks of a project.",
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
        "Zed starts the server automatically. It has no hooks.",
    ),
}


def files_of(client: str, scope: Scope, base: Path, platform: str) -> Sequence[ConfigFile]:
    """Return the client's configuration files. `base` is the user's home folder or the project's folder."""
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
