"""`install` writes the entries of each client in its own format, keeps a backup, and touches nothing else."""

from __future__ import annotations

import json
import re
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest
import yaml
from typer.testing import CliRunner, Result

from graph_memory import Code, GraphError
from graph_memory.cli.clients.entries import edit, wanted_entries
from graph_memory.cli.clients.places import LAYOUTS, ConfigFile, files_of
from graph_memory.cli.clients.variables import MEMORY_VARIABLES, server_variables
from graph_memory.cli.main import app
from graph_memory.hooks.clients import CLIENTS
from graph_memory.skills import bundled_skills
from tables import for_rows

ROOT = Path(__file__).parents[3]
EARLIER: dict[str, Any] = {
    "version": 1,
    "mcpServers": {"other": {"command": "x"}},
    "servers": {"other": {"command": "x"}},
    "context_servers": {"other": {"command": "x"}},
    "model": "opus",
    "hooks": {"Stop": [{"matcher": "*", "hooks": [{"type": "command", "command": "bell"}]}]},
}
EARLIER_TOML = '# mine\nmodel = "o3"\n\n[mcp_servers.other]\ncommand = "x"\n\n[profiles.fast]\nmodel = "o4"\n'


@pytest.fixture
def user(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The home of a user, and a project in it."""
    monkeypatch.setattr(Path, "home", lambda: tmp_path)
    project = tmp_path / "project"
    (project / ".git").mkdir(parents=True)
    monkeypatch.chdir(project)
    program = tmp_path / "bin" / "graph-memory"
    program.parent.mkdir()
    program.touch()
    monkeypatch.setattr(sys, "argv", [str(program)])
    return tmp_path


def run(*arguments: str) -> Result:
    return CliRunner().invoke(app, list(arguments), catch_exceptions=False)


def earlier_files(client: str, base: Path, scope: Any) -> dict[Path, str]:
    """Write files as a user may have them, and return their texts."""
    texts: dict[Path, str] = {}
    for file in files_of(client, scope, base, sys.platform):
        if file.skill:
            continue
        text = EARLIER_TOML if file.is_toml else json.dumps(EARLIER, indent=4) + "\n"
        file.path.parent.mkdir(parents=True, exist_ok=True)
        file.path.write_text(text)
        texts[file.path] = text
    return texts


def values(path: Path) -> dict[str, Any]:
    text = path.read_text()
    return tomllib.loads(text) if path.suffix == ".toml" else json.loads(text)


@pytest.mark.parametrize("client", LAYOUTS)
def test_install_adds_entries_once_and_uninstall_removes_them(user: Path, client: str) -> None:
    before = earlier_files(client, user, "user")
    assert run("install", client).exit_code == 0
    installed = {path: path.read_text() for path in before}
    assert all(text != before[path] for path, text in installed.items())
    for path, text in before.items():
        [backup] = path.parent.glob(f"{path.name}.*.backup")
        assert backup.read_text() == text
    assert "Nothing to change" in run("install", client).stderr
    assert {path: path.read_text() for path in before} == installed
    listed = json.loads(run("install", "--list", "--json").stdout)["installed"]
    assert {row["path"] for row in listed if not row["skills"]} == {str(path) for path in before}
    skills = [str(user / LAYOUTS[client].skills)] if LAYOUTS[client].skills else []
    assert [row["path"] for row in listed if row["skills"]] == skills
    assert run("uninstall", client).exit_code == 0
    for path, text in before.items():
        old = tomllib.loads(text) if path.suffix == ".toml" else json.loads(text)
        assert values(path) == old
    assert json.loads(run("install", "--list", "--json").stdout)["installed"] == []


@pytest.mark.parametrize("client", LAYOUTS)
def test_install_makes_new_files_and_uninstall_deletes_them(user: Path, client: str) -> None:
    paths = [file.path for file in files_of(client, "user", user, sys.platform)]
    run("install", client)
    assert {path.stat().st_mode & 0o777 for path in paths} == {0o600}
    run("uninstall", client)
    assert [path for path in paths if path.exists()] == []
    assert [path for path in (user / LAYOUTS[client].skills).glob("*/") if path.name in bundled_skills()] == []


@for_rows("client", [client for client in LAYOUTS if LAYOUTS[client].project])
def test_a_project_has_entries_of_its_own(client: str) -> None:
    files = files_of(client, "project", Path("/p"), "linux")
    assert all(file.path.is_relative_to("/p") for file in files)
    assert any(file.servers for file in files)


def test_a_project_is_told_of_the_hooks_of_the_user(user: Path) -> None:
    options = ("install", "claude-code", "--scope", "project", "--capture", "off")
    assert ".graph-memory-ignore" not in run(*options).stderr
    run("install", "claude-code")
    assert ".graph-memory-ignore" in run(*options).stderr


def test_a_dry_run_shows_the_difference_and_writes_nothing(user: Path) -> None:
    result = run("install", "claude-code", "--dry-run", "--scope", "project")
    assert '+    "graph-memory": {' in result.stdout
    assert "Nothing was written" in result.stderr
    assert not (user / "project" / ".mcp.json").exists()


def test_the_hooks_of_a_client_call_this_installation(user: Path) -> None:
    run("install", "claude-code", "--domain", "work")
    hooks = values(user / ".claude" / "settings.json")["hooks"]
    assert set(hooks) == set(CLIENTS["claude-code"].events)
    [group] = hooks["UserPromptSubmit"]
    program = user / "bin" / "graph-memory"
    command = f"{program} hook UserPromptSubmit --client claude-code --capture all --domain work"
    assert group == {"hooks": [{"type": "command", "command": command, "timeout": 5}]}
    server = values(user / ".claude.json")["mcpServers"]["graph-memory"]
    assert server == {"command": str(program), "args": ["mcp", "--for", "agent", "--domain", "work"]}


def test_less_capture_removes_hooks_and_keeps_those_of_others(user: Path) -> None:
    earlier_files("gemini-cli", user, "user")
    path = user / ".gemini" / "settings.json"
    run("install", "gemini-cli")
    hooks = values(path)["hooks"]
    assert hooks["AfterTool"][0]["hooks"][0]["timeout"] == 5_000
    hooks["BeforeAgent"][0]["hooks"].append({"type": "command", "command": "mine"})
    path.write_text(json.dumps({**values(path), "hooks": hooks}))
    run("install", "gemini-cli", "--capture", "off")
    hooks = values(path)["hooks"]
    assert {"Stop", "SessionStart", "BeforeAgent"} == set(hooks)
    assert hooks["BeforeAgent"][0] == {"hooks": [{"type": "command", "command": "mine"}]}
    assert "--capture off" in hooks["BeforeAgent"][1]["hooks"][0]["command"]


def test_gemini_cli_passes_secrets_that_the_users_environment_has(user: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GRAPH_MEMORY_EMBEDDINGS", "openai")
    monkeypatch.setenv("OPENAI_API_KEY", "sk-secret")
    path = user / ".gemini" / "settings.json"
    path.parent.mkdir(exist_ok=True)
    path.write_text(json.dumps({"mcpServers": {"graph-memory": {"env": {"NEO4J_PASSWORD": "mine", "A": "1"}}}}))
    run("install", "gemini-cli")
    server = values(path)["mcpServers"]["graph-memory"]
    assert server["env"] == {"NEO4J_PASSWORD": "mine", "A": "1", "OPENAI_API_KEY": "${OPENAI_API_KEY:-}"}
    assert "sk-secret" not in path.read_text()


def test_cursor_has_flat_hooks_and_a_version(user: Path) -> None:
    run("install", "cursor")
    document = values(user / ".cursor" / "hooks.json")
    assert document["version"] == 1
    [entry] = document["hooks"]["beforeSubmitPrompt"]
    assert set(entry) == {"command", "timeout"}


def test_the_root_of_codex_hooks_has_no_other_keys(user: Path) -> None:
    run("install", "codex")
    assert set(values(user / ".codex" / "hooks.json")) == {"hooks"}
    assert values(user / ".codex" / "config.toml")["mcp_servers"]["graph-memory"]["args"][0] == "mcp"


@for_rows(
    "text",
    [
        'mcp_servers = {graph-memory = {command = "old"}}\n',
        '[mcp_servers]\ngraph-memory.command = "old"\nother.command = "x"\n',
        "not = [toml",
    ],
)
def test_toml_that_cannot_be_edited_safely_is_left_alone(text: str) -> None:
    for wanted in (wanted_entries("codex", ["graph-memory"], "graph-memory", "all", "auto"), None):
        with pytest.raises(ValueError):  # noqa: PT011 - its text is not shown alone
            edit(text, ConfigFile(Path("config.toml"), "mcp_servers"), "codex", wanted)


CODEX = ConfigFile(Path("config.toml"), "mcp_servers")


def test_a_server_of_codex_gets_the_variables_of_its_settings(user: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GRAPH_MEMORY_EMBEDDINGS", "off")
    monkeypatch.setenv("UNRELATED", "1")
    path = user / ".codex" / "config.toml"
    path.parent.mkdir(parents=True)
    path.write_text('[mcp_servers.graph-memory]\ncommand = "old"\nenv_vars = ["LANGUAGE", "NEO4J_URI"]\n')
    run("install", "codex")
    names = values(path)["mcp_servers"]["graph-memory"]["env_vars"]
    assert names[:2] == ["LANGUAGE", "NEO4J_URI"]
    assert {"GRAPH_MEMORY_HOME", "NEO4J_PASSWORD", "GRAPH_MEMORY_EMBEDDINGS"} <= {*names}
    assert "UNRELATED" not in names
    before = path.read_bytes()
    run("install", "codex")
    assert path.read_bytes() == before


KEYS = ("OPENAI_API_KEY", "ANTHROPIC_API_KEY", "GRAPH_MEMORY_EMBEDDING_API_KEY", "GRAPH_MEMORY_MODEL_API_KEY")


@pytest.mark.parametrize(
    ("embeddings", "model", "needed"),
    [
        ("local", "", ()),
        ("openai", "off", (KEYS[0], KEYS[2])),
        ("ollama", "ollama", KEYS[2:]),
        ("off", "openai", (KEYS[0], KEYS[3])),
        ("", "anthropic", (KEYS[1], KEYS[3])),
    ],
)
def test_a_server_gets_only_the_keys_that_its_settings_use(
    embeddings: str, model: str, needed: tuple[str, ...]
) -> None:
    others = ("ANTHROPIC_AUTH_TOKEN", "OPENAI_ADMIN_KEY", "GRAPH_MEMORY_SOURCE_PASSWORD", "NEO4J_AUTH", "MEMORY_LIMIT")
    settings = {"GRAPH_MEMORY_EMBEDDINGS": embeddings, "GRAPH_MEMORY_MODEL": model, "GRAPH_MEMORY_LOG_LEVEL": "INFO"}
    names = server_variables({**dict.fromkeys((*others, *KEYS), "secret"), **settings})
    named_settings = {name for name, value in settings.items() if value}
    assert {*names} == {*MEMORY_VARIABLES, *needed, *named_settings}


@for_rows("env_vars", ['{ name = "B", source = "remote" }', '"A", { name = "NEO4J_URI", source = "local" }', '"A"'])
def test_tables_in_the_variables_of_codex_are_kept(env_vars: str) -> None:
    wanted = wanted_entries("codex", ["gm"], "gm", "all", "auto")
    text = f'[mcp_servers.graph-memory]\ncommand = "gm"\nenv_vars = [{env_vars}]\n'
    edited = edit(text, CODEX, "codex", wanted)
    before, after = (tomllib.loads(part)["mcp_servers"]["graph-memory"]["env_vars"] for part in (text, edited))
    assert after[: len(before)] == before
    assert str(after).count("NEO4J_URI") == 1
    assert edit(edited, CODEX, "codex", wanted) == edited


USER_KEYS = 'startup_timeout_sec = 60\nenv = {A = "1"}\n'
BEFORE_TABLE = '# The memory.\n[mcp_servers . "graph-memory"] # mine\n'
AFTER_TABLE = '\n# My profile. Do not touch.\n[profiles.fast]\nmodel = """\n[mcp_servers.graph-memory]\n"""\n'


@for_rows("newline", ["\n", "\r\n"])
def test_an_old_table_of_toml_keeps_the_keys_of_the_user(newline: str) -> None:
    sub_table = '[mcp_servers.graph-memory.tools]\nenabled = ["a"]\n'
    old = f'command = "old"\n{USER_KEYS}args = [\n  "]",  # ]\n  "b",\n]\n# last\n{sub_table}'
    text = f"{BEFORE_TABLE}{old}{AFTER_TABLE}".replace("\n", newline)
    wanted = wanted_entries("codex", ["gm"], "gm", "all", "auto")
    names = f"env_vars = {json.dumps(wanted.variables)}\n"
    lines = f'command = "gm"\nargs = {json.dumps(wanted.server[1:])}\n{names}'
    new = f"{BEFORE_TABLE}{lines}{USER_KEYS}# last\n{sub_table}{AFTER_TABLE}"
    assert edit(text, CODEX, "codex", wanted) == new.replace("\n", newline)
    rest = f"# The memory.\n# last\n{AFTER_TABLE}"
    assert edit(text, CODEX, "codex", None) == rest.replace("\n", newline)


@for_rows("text", ["", "\n\n", "# mine\n\n\n", f"{EARLIER_TOML}\n\n"])
def test_toml_without_the_server_is_not_changed_by_uninstall(text: str) -> None:
    assert edit(text, CODEX, "codex", None) == text


def test_a_file_with_comments_is_not_changed(user: Path) -> None:
    [file] = files_of("zed", "user", user, sys.platform)
    file.path.parent.mkdir(parents=True)
    file.path.write_text('// mine\n{"theme": "One"}\n')
    with pytest.raises(GraphError) as error:
        run("install", "zed")
    assert error.value.code is Code.INVALID_ARGUMENT
    assert file.path.read_text() == '// mine\n{"theme": "One"}\n'


OURS = "graph-memory hook Stop --client claude-code"


@for_rows("command", ["install", "uninstall"])
@for_rows(
    ("document", "fault"),
    [
        ([], "the outermost value is not an object"),
        ({"mcpServers": ["mine"]}, "mcpServers is not an object"),
        ({"hooks": ["mine"]}, "hooks is not an object"),
        ({"hooks": None}, "hooks is not an object"),
        ({"hooks": {"Stop": {"mine": 1}}}, "hooks.Stop is not a list"),
        ({"hooks": {"Stop": [OURS]}}, "an entry of hooks.Stop is not an object"),
        ({"hooks": {"Stop": [{"hooks": {"command": OURS}}]}}, "an entry's hooks of hooks.Stop is not a list"),
    ],
)
def test_values_of_an_unexpected_type_are_not_changed(user: Path, command: str, document: Any, fault: str) -> None:
    path = user / ".gemini" / "settings.json"
    path.parent.mkdir(exist_ok=True)
    path.write_text(json.dumps(document))
    with pytest.raises(GraphError) as error:
        run(command, "gemini-cli")
    assert error.value.code is Code.INVALID_ARGUMENT
    assert error.value.message == f"{path} cannot be changed: {fault}"
    assert path.read_text() == json.dumps(document)
    assert list(path.parent.iterdir()) == [path]


@for_rows("text", ['{"hooks":{}}', '{"hooks":{"Stop":[]}}', '{"mcpServers":{}}', '{"version":1}', "{}", " "])
def test_uninstall_keeps_a_file_without_entries_of_graph_memory(user: Path, text: str) -> None:
    path = user / ".gemini" / "settings.json"
    path.parent.mkdir(exist_ok=True)
    path.write_text(text)
    assert "Nothing to change" in run("uninstall", "gemini-cli").stderr
    assert path.read_text() == text


@for_rows(
    ("text", "fault"),
    [
        ('{"a": 1, "b": {"c": 1, "c": 2}}', 'the key "c" occurs twice'),
        ('{"a": ' + "[" * 100_000 + "]" * 100_000 + "}", "it is nested too deeply"),
    ],
)
def test_json_that_would_lose_values_is_not_changed(user: Path, text: str, fault: str) -> None:
    path = user / ".claude.json"
    path.write_text(text)
    with pytest.raises(GraphError) as error:
        run("install", "claude-code")
    assert error.value.code is Code.INVALID_ARGUMENT
    assert error.value.message == f"{path} cannot be changed: {fault}"
    assert path.read_text() == text


def test_install_keeps_escapes_and_line_ends(user: Path) -> None:
    path = user / ".claude.json"
    path.write_bytes(b'{\r\n  "a": "\\ud83d \xc3\xa9"\r\n}\r\n')
    assert run("install", "claude-code").exit_code == 0
    new = path.read_bytes()
    assert b'  "a": "\\ud83d \xc3\xa9",\r\n' in new
    assert new.count(b"\n") == new.count(b"\r\n") > 3
    assert values(path)["a"] == "\ud83d é"


def test_the_list_skips_and_names_files_that_cannot_be_read(user: Path) -> None:
    run("install", "gemini-cli")
    broken = {".claude.json": b"\xff", ".cursor/mcp.json": b"{", ".codex/config.toml": b"a = " + b"[" * 9_000}
    for name, content in broken.items():
        (user / name).parent.mkdir(exist_ok=True)
        (user / name).write_bytes(content)
    result = run("install", "--list", "--json")
    assert [row["client"] for row in json.loads(result.stdout)["installed"]] == ["gemini-cli"]
    assert [f"Skipped: {user / name} " in result.stderr for name in broken] == [True] * 3


@pytest.mark.parametrize("command", ["install", "uninstall"])
def test_a_change_by_a_running_client_is_not_lost(user: Path, monkeypatch: pytest.MonkeyPatch, command: str) -> None:
    path = user / ".claude.json"
    if command == "uninstall":
        run("install", "claude-code")

    def edit_during_change(text: str, *arguments: Any) -> str:
        path.write_text('{"changed": true}')
        return edit(text, *arguments)

    files = {*user.iterdir(), path}
    monkeypatch.setattr("graph_memory.cli.commands.clients.clients.edit", edit_during_change)
    with pytest.raises(GraphError) as error:
        run(command, "claude-code")
    assert error.value.code is Code.INVALID_ARGUMENT
    assert error.value.message == f"{path} was changed by another program"
    assert path.read_text() == '{"changed": true}'
    assert {*user.iterdir()} == files


def test_a_linked_file_stays_a_link_and_keeps_its_mode(user: Path) -> None:
    real = user / "dotfiles.json"
    real.write_text("{}")
    real.chmod(0o644)
    (user / ".claude.json").symlink_to(real)
    run("install", "claude-code")
    assert (user / ".claude.json").is_symlink()
    assert real.stat().st_mode & 0o777 == 0o644
    assert "graph-memory" in values(real)["mcpServers"]


@pytest.mark.parametrize("client", LAYOUTS)
def test_uninstall_deletes_no_link_and_no_linked_file(user: Path, client: str) -> None:
    paths = [file.path for file in files_of(client, "user", user, sys.platform)]
    for number, path in enumerate(paths):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.symlink_to(user / f"dotfile{number}")
    run("install", client)
    for _ in range(2):
        assert run("uninstall", client).exit_code == 0
        assert all(path.is_symlink() for path in paths)
        assert all(not path.read_text().strip() if path.suffix == ".md" else values(path) == {} for path in paths)
    run("install", client)
    assert all(len(path.read_text()) > 10 for path in paths)


@for_rows(
    "program",
    [
        "graph-memory",
        "'/a b/graph-memory'",
        r'"C:\Program Files\graph-memory.exe"',
        "/usr/bin/python3 -m graph_memory",
    ],
)
def test_uninstall_removes_the_hooks_of_each_installation(program: str) -> None:
    hooks = ConfigFile(Path("hooks.json"), has_hooks=True)
    wanted = wanted_entries("claude-code", ["graph-memory"], program, "all", "auto")
    assert edit(edit("", hooks, "claude-code", wanted), hooks, "claude-code", None) == ""


@for_rows("program", ["/opt/tracer", "/opt/graph-memory/bin/tracer", "graph-memory-tracer", "my-graph-memory"])
def test_the_hooks_of_other_programs_stay(user: Path, program: str) -> None:
    path = user / ".claude" / "settings.json"
    path.parent.mkdir(exist_ok=True)
    command = f"{program} hook Stop --client claude-code"
    text = json.dumps({"hooks": {"Stop": [{"hooks": [{"type": "command", "command": command}]}]}})
    path.write_text(text)
    assert "Nothing to change" in run("uninstall", "claude-code").stderr
    assert path.read_text() == text


@for_rows(
    ("platform", "path"),
    [
        ("linux", ".config/Claude/claude_desktop_config.json"),
        ("darwin", "Library/Application Support/Claude/claude_desktop_config.json"),
        ("win32", "AppData/Roaming/Claude/claude_desktop_config.json"),
    ],
)
def test_each_system_has_its_folder_of_configuration(platform: str, path: str) -> None:
    [file] = files_of("claude-desktop", "user", Path("/home"), platform)
    assert file.path == Path("/home") / path


def test_the_plugin_of_claude_code_has_the_entries_that_install_writes() -> None:
    plugin = ROOT / "plugins" / "claude-code"
    wanted = wanted_entries("claude-code", ["graph-memory"], "graph-memory", "all", "auto")
    for name, file in (
        ("hooks/hooks.json", ConfigFile(Path("hooks.json"), has_hooks=True)),
        (".mcp.json", ConfigFile(Path(".mcp.json"), "mcpServers")),
    ):
        text = (plugin / name).read_text()
        assert edit(text, file, "claude-code", wanted) == text
    manifest = values(plugin / ".claude-plugin" / "plugin.json")
    [entry] = values(ROOT / ".claude-plugin" / "marketplace.json")["plugins"]
    assert entry["name"] == manifest["name"]
    assert (ROOT / entry["source"]).resolve() == plugin


def test_skills_are_written_and_those_of_the_user_stay(user: Path) -> None:
    skills = user / ".claude" / "skills"
    mine = skills / "recall" / "SKILL.md"
    mine.parent.mkdir(parents=True)
    mine.write_text("---\nname: recall\ndescription: Mine.\n---\nmetadata:\n  source: graph-memory\n")
    (skills / "forget").mkdir()
    (skills / "forget" / "notes.txt").touch()
    assert "recall/SKILL.md is your own skill" in run("install", "claude-code").stderr
    written = {path.parent.name: path.read_text() for path in skills.glob("*/SKILL.md")}
    texts = {name: skill.text for name, skill in bundled_skills().items()}
    assert written == {**texts, "recall": mine.read_text()}
    (skills / "correct" / "SKILL.md").write_text(f"{texts['correct']}\nAlso tell my team.\n")
    run("install", "claude-code")
    assert (skills / "correct" / "SKILL.md").read_text() == texts["correct"]
    [backup] = (skills / "correct").glob("*.backup")
    assert backup.read_text().endswith("Also tell my team.\n")
    run("uninstall", "claude-code")
    assert sorted(path.name for path in skills.iterdir()) == ["correct", "forget", "recall"]
    assert [path.name for path in (skills / "forget").iterdir()] == ["notes.txt"]
    assert mine.exists()


@for_rows("name", bundled_skills())
def test_a_skill_has_the_form_that_clients_read(name: str) -> None:
    """The rules come from the open format (agentskills.io), and of the fields that Claude Code adds."""
    _, front, body = bundled_skills()[name].text.split("---\n")
    fields = yaml.safe_load(front)
    assert fields["name"] == name
    assert re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", name)
    assert 0 < len(fields["description"]) <= 1_024
    assert fields["disable-model-invocation"] is True
    assert fields.keys() == {"name", "description", "argument-hint", "disable-model-invocation", "metadata"}
    assert bundled_skills()[name].description == fields["description"]
    assert fields["argument-hint"] == f"[{bundled_skills()[name].argument_hint}]"
    assert len(body.splitlines()) <= 30
