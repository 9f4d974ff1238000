"""`Environmental`: the project that an agent works in, scanned on demand. Only `snapshot` stores it."""

from __future__ import annotations

import os
import subprocess
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from itertools import islice
from pathlib import Path
from typing import cast

import yaml
from anyio import to_thread

from graph_memory.agent.episodic import Episodic
from graph_memory.agent.records.times import rfc3339
from graph_memory.agent.results import Environment, EventResult, GitStatus
from graph_memory.memory.search.request import check_integer
from graph_memory.model.text.wording import escape_invisible, quote
from graph_memory.model.values.arguments import invalid_argument
from graph_memory.project import project_root

_STALE_AFTER = timedelta(minutes=5)
_MAX_FILES = 5_000
"""Maximum number of files that a scan returns."""
_MAX_CHANGED_PATHS = 50
_MAX_RECENT_PATHS = 20
_MAX_NAMES = 100
"""Maximum number of conventions, and of services, that a scan returns."""
_MAX_CACHED_SCANS = 100
"""Maximum number of projects whose last scan is cached."""
_MAX_FILE_BYTES = 1_000_000
"""Maximum size of a project file that is read, in bytes."""
_GIT_SECONDS = 10
_TRUSTED_SCOPES = ("system", "global", "command")
"""Scopes of the git configuration that a project cannot write."""
_PROJECT_FILES = (
    ("pyproject.toml", "python", None),
    ("setup.py", "python", "setuptools"),
    ("Cargo.toml", "rust", "cargo"),
    ("go.mod", "go", "go"),
    ("pnpm-lock.yaml", "javascript", "pnpm"),
    ("yarn.lock", "javascript", "yarn"),
    ("package.json", "javascript", "npm"),
    ("pom.xml", "java", "maven"),
    ("build.gradle", "java", "gradle"),
    ("build.gradle.kts", "kotlin", "gradle"),
    ("Gemfile", "ruby", "bundler"),
    ("composer.json", "php", "composer"),
    ("mix.exs", "elixir", "mix"),
    ("Package.swift", "swift", "swiftpm"),
    ("CMakeLists.txt", "c++", "cmake"),
    ("Makefile", None, "make"),
)
"""Files at the root of a project, most specific first, with the project type and build system that each implies."""
_CONVENTION_FILES = (
    *("AGENTS.md", "CLAUDE.md", "CONTRIBUTING.md", ".editorconfig", ".pre-commit-config.yaml", ".prettierrc"),
    *("eslint.config.js", ".eslintrc.json", "tsconfig.json", "ruff.toml", "pytest.ini", "tox.ini", "Makefile"),
)
_COMPOSE_FILES = ("compose.yaml", "compose.yml", "docker-compose.yaml", "docker-compose.yml")
_SKIPPED_FOLDERS = frozenset({"node_modules", "__pycache__", "venv", "target", "dist", "build"})
"""Folders that are skipped outside a git work tree."""


class Environmental:
    """The project that an agent works in. `memory.agent.environmental` is the project in the current folder."""

    def __init__(
        self, episodic: Episodic, cache: dict[tuple[str, str], object], root: Path | str | None = None
    ) -> None:
        self._episodic = episodic
        self._cache = cache
        self._root = root

    def at(self, root: Path | str) -> Environmental:
        """Return the environment of the project in the folder `root`."""
        return Environmental(self._episodic, self._cache, root)

    async def get(self, *, limit: int = 200) -> Environment:
        """Return the last scan of the project, or a new scan if it is older than 5 minutes.

        `limit` is the maximum number of paths in the file tree (up to 5,000). Raises INVALID_ARGUMENT if the root is
        not a folder, or `limit` is out of range.
        """
        last_scan = self._cache.get(("", f"environment of {self._path()}"))
        now = rfc3339("now", datetime.now(UTC))
        if isinstance(last_scan, Environment) and now < last_scan.stale_after:
            return _truncate(last_scan, limit)
        return await self.refresh(limit=limit)

    async def refresh(self, *, limit: int = 200) -> Environment:
        """Scan the project again. Raises INVALID_ARGUMENT if the root is not a folder, or `limit` is out of range."""
        root = self._path()
        if not root.is_dir():
            raise invalid_argument("root", f"{quote(str(root))} is not a folder", "Pass the path of a project.")
        environment = await to_thread.run_sync(scan, root)
        entries = [key for key in self._cache if key[1].startswith("environment of ")]
        for key in entries[:-_MAX_CACHED_SCANS]:
            del self._cache[key]
        self._cache["", f"environment of {root}"] = environment
        return _truncate(environment, limit)

    async def snapshot(self, session: str = "default") -> EventResult:
        """Record a new scan as an event of type `environment`. Raises INVALID_ARGUMENT if the root is not a folder."""
        environment = await self.refresh()
        lines = [f"{name}: {value}" for name, value in environment.to_dict().items() if value]
        summary = f"{environment.project_root}: {environment.project_type or 'unknown type'}"
        return await self._episodic.record(
            "environment", "\n".join(lines), session=session, actor="system", summary=summary
        )

    def _path(self) -> Path:
        return project_root(Path.cwd()) if self._root is None else Path(self._root).expanduser().resolve()


def scan(root: Path) -> Environment:
    """Scan the project, and return its environment with up to 5,000 files. Escapes file names, which are untrusted."""
    files = sorted(_files(root), key=lambda path: (path.count("/"), path))
    scanned = files[:_MAX_FILES]
    project_type, build_system = _project_of(root)
    now = datetime.now(UTC)
    return Environment(
        project_root=escape_invisible(str(root)),
        project_type=project_type,
        build_system=build_system,
        conventions=tuple(islice(_conventions(root), _MAX_NAMES)),
        services=tuple(islice(_services(root), _MAX_NAMES)),
        git_status=_git_status(root),
        file_tree=tuple(map(escape_invisible, scanned)),
        left_out=len(files) - len(scanned) or None,
        recent_changes=tuple(map(escape_invisible, _recent_paths(root, scanned))),
        last_scanned=rfc3339("now", now),
        stale_after=rfc3339("now", now + _STALE_AFTER),
    )


def _truncate(environment: Environment, limit: int) -> Environment:
    check_integer("limit", limit, 1, _MAX_FILES)
    left_out = max(0, len(environment.file_tree) - limit) + (environment.left_out or 0)
    return environment.model_copy(update={"file_tree": environment.file_tree[:limit], "left_out": left_out or None})


def _files(root: Path) -> Sequence[str]:
    """Return the paths of the project's files. In a git work tree, ignored files are excluded."""
    output = _git(root, "ls-files", "-z", "--cached", "--others", "--exclude-standard")
    if output is None:
        return list(_walk(root))
    return [path for path in dict.fromkeys(output.split("\0")) if path]  # git lists a path in conflict three times


def _walk(root: Path) -> Iterator[str]:
    """Yield the file paths in a folder without git. Skips hidden, build and linked folders."""
    count = 0
    for folder, names, files in os.walk(root):
        names[:] = sorted(name for name in names if not name.startswith(".") and name not in _SKIPPED_FOLDERS)
        for name in sorted(files):
            yield (Path(folder) / name).relative_to(root).as_posix()
            count += 1
        if count > 2 * _MAX_FILES:
            return


def _recent_paths(root: Path, paths: Sequence[str]) -> Sequence[str]:
    times: list[tuple[float, str]] = []
    for path in paths:
        with suppress(OSError):  # the file was deleted since the scan
            times.append(((root / path).lstat().st_mtime, path))
    return [path for _, path in sorted(times, reverse=True)[:_MAX_RECENT_PATHS]]


def _project_of(root: Path) -> tuple[str | None, str | None]:
    project_files = [row for row in _PROJECT_FILES if (root / row[0]).is_file()]
    project_type = next((row[1] for row in project_files if row[1]), None)
    if project_files and project_files[0][0] == "pyproject.toml":
        return project_type, _build_backend(root)
    return project_type, next((row[2] for row in project_files if row[2]), None)


def _build_backend(root: Path) -> str | None:
    match _pyproject(root):
        case {"build-system": {"build-backend": str(backend)}}:
            return escape_invisible(backend)
        case _:
            return None


def _pyproject(root: Path) -> object:
    with suppress(ValueError, RecursionError):
        return tomllib.loads(_read_text(root / "pyproject.toml"))
    return {}


def _conventions(root: Path) -> Iterator[str]:
    yield from (name for name in _CONVENTION_FILES if (root / name).is_file())
    match _pyproject(root):
        case {"tool": dict()}:
            tools = cast("Mapping[str, Mapping[str, object]]", _pyproject(root))["tool"]
            yield from (f"{escape_invisible(name)} in pyproject.toml" for name in sorted(tools))
        case _:
            return


def _services(root: Path) -> Iterator[str]:
    for name in _COMPOSE_FILES:
        with suppress(yaml.YAMLError, ValueError, OverflowError, RecursionError):
            services = _entries(yaml.compose(_read_text(root / name), Loader=yaml.SafeLoader)).get("services")
            if isinstance(services, yaml.MappingNode):
                yield from map(escape_invisible, _entries(services))
                return


def _entries(node: object) -> dict[str, object]:
    """Return the nodes of a YAML mapping by key. Ignores merge keys, since they can expand exponentially."""
    if not isinstance(node, yaml.MappingNode):
        return {}
    scalars = ((key, value) for key, value in node.value if isinstance(key, yaml.ScalarNode))
    return {str(key.value): value for key, value in scalars if key.tag != "tag:yaml.org,2002:merge"}


def _read_text(path: Path) -> str:
    """Return the text of a small file, or "" if it is missing, large, a symbolic link or not text."""
    with suppress(OSError, ValueError):
        if path.is_file() and not path.is_symlink() and path.stat().st_size <= _MAX_FILE_BYTES:
            return path.read_text("utf-8")
    return ""


def _git_status(root: Path) -> GitStatus | None:
    options = ("--porcelain=v2", "--branch", "-z", "--untracked-files=normal", "--no-renames")
    filters = _filter_disabling_options(root)
    output = None if filters is None else _git(root, *filters, "status", *options, "--ignore-submodules=dirty")
    if output is None:
        return None
    lines = output.split("\0")
    headers = dict(line[2:].split(" ", 1) for line in lines if line.startswith("# ") and " " in line[2:])
    ahead, behind = (int(number) for number in headers.get("branch.ab", "+0 -0").split())
    fields = {"1": 8, "u": 10, "?": 1}
    paths = [line.split(" ", fields[line[0]])[-1] for line in lines if line[:1] in fields]
    return GitStatus(
        branch=escape_invisible(headers.get("branch.head", "?")),
        ahead=ahead or None,
        behind=-behind or None,
        changed=tuple(map(escape_invisible, paths[:_MAX_CHANGED_PATHS])),
        left_out=max(0, len(paths) - _MAX_CHANGED_PATHS) or None,
    )


def _filter_disabling_options(root: Path) -> Sequence[str] | None:
    """Return the git options that disable the filters of the project's configuration.

    Filters of the user's own configuration, such as Git LFS, stay enabled. Returns None if git is missing, or if an
    option cannot express the name of a filter.
    """
    output = _git(root, "config", "--list", "--includes", "--show-scope", "-z")
    if output is None:
        return None
    parts = output.split("\0")
    entries = zip(parts[::2], (entry.partition("\n")[0] for entry in parts[1::2]), strict=False)
    keys = [key for scope, key in entries if key.startswith("filter.") and scope not in _TRUSTED_SCOPES]
    names = dict.fromkeys(key.rpartition(".")[0] for key in keys)
    if any("=" in name or "\ufffd" in name for name in names):
        return None
    settings = [f"{name}.{setting}" for name in names for setting in ("clean=", "process=", "required=false")]
    return [part for setting in settings for part in ("-c", setting)]


def _git(root: Path, *arguments: str) -> str | None:
    """Return the output of git. Returns None if git is missing, outside a work tree, or slower than 10 seconds.

    If filters are disabled, the project's configuration cannot start programs: git runs no file system monitor and no
    hooks, and fetches no missing objects.
    """
    command = ["git", "-c", "core.fsmonitor=false", "-c", f"core.hooksPath={os.devnull}", *arguments]
    try:
        process = subprocess.run(
            command,
            cwd=root,
            capture_output=True,
            timeout=_GIT_SECONDS,
            check=False,
            env={**os.environ, "GIT_OPTIONAL_LOCKS": "0", "GIT_NO_LAZY_FETCH": "1", "GIT_ALLOW_PROTOCOL": "none"},
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    return process.stdout.decode("utf-8", "replace") if process.returncode == 0 else None
