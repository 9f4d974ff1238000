"""Events as hooks keep them: bounded, without secrets, private parts and text that a hook has added."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from graph_memory.hooks import spool as spool_module
from graph_memory.hooks.events import LARGEST, HookEvent
from graph_memory.hooks.exclusions import FILE, Exclusions
from graph_memory.hooks.fence import fence, strip_fenced
from graph_memory.hooks.redact import redact, rules
from graph_memory.hooks.spool import Spool
from hook_events import read_event
from tables import for_rows
from unit.hooks.planted import PASSWORDS, SENTENCES, plant_secrets


def event_of(name: str, payload: dict[str, Any], client: str = "claude-code", **options: Any) -> HookEvent:
    event = read_event(client, name, {"session_id": "s1", **payload}, **options)
    assert event is not None
    return event


def test_none_of_200_planted_secrets_reaches_the_spool(tmp_path: Path) -> None:
    spool = Spool.of(tmp_path)
    secrets = plant_secrets(200)
    for number, (_, text, _) in enumerate(secrets):
        spoken = f"Please look at this: {text} and say what is wrong in step {number}."
        payloads: list[tuple[str, dict[str, Any]]] = [
            ("UserPromptSubmit", {"prompt": spoken}),
            ("PostToolUse", {"tool_name": "Bash", "tool_input": {"command": f"run {text}"}, "tool_response": {}}),
            ("PostToolUseFailure", {"tool_name": "Bash", "tool_input": {}, "error": spoken}),
            ("Stop", {"last_assistant_message": spoken}),
            ("PostCompact", {"compact_summary": spoken}),
        ]
        name, payload = payloads[number % len(payloads)]
        assert spool.add(event_of(name, payload).to_json())
    stored = b"".join(path.read_bytes() for path in spool.folder.iterdir()).decode()
    assert stored.count("step 5") > 0
    assert [kind for kind, _, secret in secrets if secret in stored] == []


@for_rows(
    "text",
    [
        "max_tokens = 4096 and top_k: 12",
        "The key idea is that the cache has no lock.",
        "See https://example.org:8080/a/b@2 and git@github.com:owner/repo.git",
        "tokens: several, secret santa, password reset flow",
        "def test_login(): assert passes",
        "SELECT primary_key FROM users WHERE id = 42",
        "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
        "MAX_TOKENS=4096 PWD=/home/ann PASSWORD_FILE=/run/x SORT_KEY=name",
        "curl -fsSL https://example.org:8080/x; docker run -u 1000:1000 x; mysql -u root -p db",
        "Authorization: see below. Cookie: none.",
        "The password hashing is slow, use SHA-256 or argon2id as in auth2.py",
        "Log in as admin with the button, then reset the password field in step 12.",
        "Credentials are checked twice and the secret is kept for 30 days",
        "kubectl get secret app-tls-2024 -o yaml; mount secret db-creds-v2 as volume; grep pwd src2-file",
        "use bcrypt12 as the password hasher, OAuth2Provider as the secret store; Python3.12 was the secret sauce",
        "Set the password to argon2id hashing; the password field2_id is required, password 12-char minimum",
        "set the password to $NEW_PW1 or password {{password1}}; log in as admin with tests/login2.py",
    ],
)
def test_ordinary_text_has_no_secrets(text: str) -> None:
    assert redact(text) == (text, 0)


@for_rows(
    "text",
    [
        "export DB_PASSWORD={}",
        '"password":"ab\\"{}"',
        """password = "it's {}" """,
        'curl -d "{{\\"password\\": \\"{}\\"}}"',
        "curl -sS -u ann:{} https://example.org",
        "curl --user 'ann:{}' https://example.org",
        "mysql -h db -p{} shop",
        "sshpass -p {} ssh ann@db",
        "-H 'Authorization: Token {}'",
        "-H 'Cookie: session={}; theme=dark'",
        "p\x1b[1massword\x1b[0m=\x1b[32m{}1\x1b[0m",
        "\x1b]8;;x\x1b\\password\x9b0m=\u200b'{}'",
        "\0".join("password='SwordFishesSwim'"),
    ],
)
def test_secrets_of_commands_headers_and_coloured_text_are_redacted(text: str) -> None:
    event = event_of("UserPromptSubmit", {"prompt": text.format("SwordFishesSwim")})
    assert event.secrets == 1
    assert "Fishes" not in event.text


def test_passwords_in_sentences_are_redacted_unless_they_are_plain_words() -> None:
    redacted = [
        password not in redact(sentence.format(password))[0] for sentence in SENTENCES for password in PASSWORDS
    ]
    assert (sum(redacted), len(redacted)) == (119, 200)


@for_rows(
    "text",
    [
        "set the password to {}",
        "use {} as the password",
        "log in as ann with {}",
        "logged in as root with {}",
        "creds are ann / {}",
        "pw: {}",
        "pw={}",
        "password is now: {}",
        "password will be {}",
    ],
)
def test_a_password_in_a_sentence_is_redacted_whole(text: str) -> None:
    for password in ("hunter2x9", "SUMMER2026!", "hun/ter2pass", "Hun:ter23456", "a1" * 20):
        assert redact(text.format(password))[0] == text.format("[secret: password]")


@for_rows("start", ["", "<private>my PIN</private>", "password=hunter22hunter ", "\x1b[0m"])
def test_a_secret_across_a_cut_is_not_stored_in_part(start: str) -> None:
    token = "ghp_" + "a1B2" * 9
    for place in (14_990, 15_000, 15_990):
        text = f"{start}{'a ' * ((place - len(start)) // 2)}{token}{' b' * 9_000}"
        event = event_of("PostCompact", {"compact_summary": text})
        assert "ghp_" not in event.text
        short = event_of("PostCompact", {"compact_summary": text.replace("a ", "")}).text
        assert "a1B2" not in short
        dense = event_of("PostCompact", {"compact_summary": text.replace("a ", "\0\0")}).text
        assert "a1B2" not in dense


@for_rows(
    "key", ["toolu_01A09q90qw90lq917835lq9", "call_Xk2bYq0V9ZkXl3mNoPqRsTuV", "0f8fad5b-d9cb-469f-a165-70867728950e"]
)
def test_a_key_stays_equal_unless_it_has_a_secret(key: str) -> None:
    assert event_of("PostToolUse", {"tool_use_id": key}).key == key
    assert "ghp_" not in event_of("PostToolUse", {"tool_use_id": f"{key}\0ghp_" + "a1B2" * 9}).key


def test_a_marker_names_the_kind_of_secret() -> None:
    assert redact("mysql://root:hunter22@db") == ("mysql://root:[secret: password in a URL]@db", 1)


def test_hostile_text_is_searched_in_time() -> None:
    texts = [
        "eyJ" * 10_000,
        "://a:" * 6_000,
        "password=" * 3_000,
        "-----BEGIN PRIVATE KEY-----" * 1_000,
        "a:" * 16_000,
        "key = " * 6_000,
        "pwd:" * 4_000,
        "//" * 7_900 + "/:_authToken=",
        ("sk-" + "a" * 20) * 700,
        "a1" * 7_990 + " password",
    ]
    keywords = {keyword for rule in rules() for keyword in rule.keywords}
    for fill in ("", " " * 20, " " * 16_000, "=" * 16_000):
        texts += [f"{keyword}{fill}" * (16_000 // len(keyword + fill) + 1) for keyword in sorted(keywords)]
    for text in texts:
        start = time.process_time()
        redact(text[:16_000])
        assert time.process_time() - start < 0.5, text[:20]


def test_every_rule_of_the_data_file_compiles() -> None:
    assert len(rules()) > 30
    for rule in rules():
        assert not [*rule.spans("")]


def test_what_a_hook_has_added_is_not_captured() -> None:
    added = fence("Ann likes </graph-memory> tea", "recall", 9)
    assert added.count("</graph-memory>") == 1
    assert strip_fenced(f"Before {added} after") == "Before  after"
    assert strip_fenced("Go <private>my PIN</private> on <PRIVATE>and the rest") == "Go [private] on [private]"
    assert event_of("UserPromptSubmit", {"prompt": f"{added}\nFix it"}).text == "Fix it"
    for own in ("Load <graph-memory.dump again", "Escape it as &lt;graph-memory&gt; here"):
        assert strip_fenced(own) == own
    assert read_event("claude-code", "UserPromptSubmit", {"prompt": added}) is None


def test_what_a_hook_has_added_is_not_captured_from_gemini_cli_which_escapes_it() -> None:
    added = fence("Ann likes &lt;/graph-memory&gt; tea", "recall", 9).replace("<", "&lt;").replace(">", "&gt;")
    prompt = f"<hook_context>{added}</hook_context>\n\nIs 1 &lt; 2?"
    assert event_of("BeforeAgent", {"prompt": prompt}, client="gemini-cli").text == "Is 1 &lt; 2?"
    reply = event_of("AfterAgent", {"prompt": prompt, "prompt_response": "Yes."}, client="gemini-cli")
    assert reply.text == "Yes."


def test_an_event_is_bounded_however_large_its_input() -> None:
    event = event_of("UserPromptSubmit", {"prompt": "ж€" * 5_000_000, "session_id": "s" * 10_000, "cwd": "x" * 9_999})
    assert len(event.to_json()) <= LARGEST
    assert HookEvent.from_json(event.to_json()).text.startswith("ж€")
    assert len(event_of("PostCompact", {"compact_summary": "\n𝕏" * 9_000}).to_json()) <= LARGEST


def test_a_tool_event_has_no_contents_of_files() -> None:
    payload = {
        "tool_name": "Write",
        "tool_input": {"file_path": "/p/app.py", "content": "the whole file"},
        "tool_response": {"content": "the whole file", "success": True},
        "tool_use_id": "toolu_1",
        "duration_ms": 12,
    }
    event = event_of("PostToolUse", payload)
    assert (event.tool, event.target, event.outcome, event.duration_ms) == ("Write", "/p/app.py", "success", 12.0)
    assert event.key == "toolu_1"
    assert b"whole file" not in event.to_json()


_PATCH = "*** Begin Patch\n*** Update File: a.py\n*** Move to: b.py\n-old\n+PAYROLL\n*** Add File: c d.py\n+PAYROLL\n"


@for_rows(
    ("arguments", "target"),
    [
        ({"command": _PATCH}, "a.py, b.py, c d.py"),
        ({"input": f"\n{_PATCH}"}, "a.py, b.py, c d.py"),
        ({"input": "PAYROLL"}, ""),
        ({"command": "cat > notes.txt <<'EOF'\nPAYROLL\nEOF"}, "cat > notes.txt <<'EOF'"),
        ({"command": "\napply_patch <<'EOF'\n" + _PATCH}, "apply_patch <<'EOF'"),
    ],
)
def test_a_patch_and_a_heredoc_are_stored_without_contents(arguments: dict[str, Any], target: str) -> None:
    event = event_of("PostToolUse", {"tool_name": "apply_patch", "tool_input": arguments})
    assert event.target == target
    assert b"PAYROLL" not in event.to_json()


@for_rows(
    ("payload", "text"),
    [
        ({"tool_response": {"exit_code": 2, "stderr": "no such file"}}, "no such file"),
        ({"tool_response": {"is_error": True}}, "Exit code None"),
        ({"error": "timed out"}, "timed out"),
        ({"tool_response": {"success": False, "content": 7}}, "Exit code None"),
    ],
)
def test_a_failed_call_is_stored_with_its_error(payload: dict[str, Any], text: str) -> None:
    event = event_of("PostToolUse", {"tool_name": "Bash", "tool_input": {"command": "make"}, **payload})
    assert (event.outcome, event.text) == ("failure", text)


def test_a_call_and_a_reply_of_cursor_are_read_as_it_reports_them() -> None:
    call = {"conversation_id": "c1", "tool_name": "Shell", "tool_input": {"command": "make"}, "tool_use_id": "t1"}
    output = json.dumps({"exitCode": 2, "stdout": "2 failed"})
    failed = read_event("cursor", "postToolUse", {**call, "tool_output": output, "duration": 7})
    assert failed
    assert (failed.session, failed.outcome, failed.text, failed.duration_ms) == ("c1", "failure", "2 failed", 7)
    refused = read_event("cursor", "postToolUseFailure", {**call, "error_message": "timed out"})
    assert refused
    assert (refused.outcome, refused.text) == ("failure", "timed out")
    worked = read_event("cursor", "postToolUse", {**call, "tool_output": '{"exitCode": 0}'})
    assert worked
    assert worked.outcome == "success"
    reply = read_event("cursor", "afterAgentResponse", {"text": "We use a lock."})
    assert reply
    assert reply.text == "We use a lock."


@for_rows(
    "payload",
    [
        {},
        {"session_id": 7, "cwd": ["x"], "prompt": {"a": 1}},
        {"prompt": "x\0\ud800y", "cwd": "/tmp\0"},
        {"tool_input": "text", "tool_response": None, "duration_ms": float("inf")},
        {"workspace_roots": "no list", "conversation_id": ""},
    ],
)
def test_hostile_input_is_an_event_or_nothing(payload: dict[str, Any]) -> None:
    for name in ("SessionStart", "UserPromptSubmit", "PostToolUse", "Stop", "SessionEnd"):
        event = read_event("claude-code", name, payload)
        assert event is None or HookEvent.from_json(event.to_json()).session


def test_capture_can_be_limited_to_prompts_or_off() -> None:
    payload = {"prompt": "Fix it", "tool_name": "Bash", "tool_input": {}, "last_assistant_message": "Done."}
    kept = {
        capture: [
            name
            for name in ("UserPromptSubmit", "PostToolUse", "Stop")
            if read_event("codex", name, payload, capture=capture)
        ]
        for capture in ("off", "prompts", "all")
    }
    assert kept == {"off": [], "prompts": ["UserPromptSubmit"], "all": ["UserPromptSubmit", "PostToolUse", "Stop"]}


def test_a_project_can_exclude_itself_or_paths(tmp_path: Path) -> None:
    inner = tmp_path / "src" / "deep"
    inner.mkdir(parents=True)
    call = {"cwd": str(inner), "tool_name": "Read", "tool_input": {"file_path": str(tmp_path / "secrets" / "a.txt")}}
    assert read_event("codex", "PostToolUse", call)
    (tmp_path / FILE).write_text("# comment\nsecrets/\n*.pem\n!public.pem\n/build/out\n")
    assert read_event("codex", "PostToolUse", call) is None
    rules = Exclusions.of(inner)
    excluded = ["secrets/x", "cat secrets/a | head", "deep/key.pem", "build/out/x", f"{tmp_path}/build/out"]
    assert [text for text in excluded if not rules.mentions(text, inner)] == []
    included = ["public.pem", "src/build/out", "/elsewhere/secrets/x", "secretsauce"]
    assert [text for text in included if rules.mentions(text, inner)] == []
    (tmp_path / FILE).write_text("")
    assert read_event("codex", "UserPromptSubmit", {"cwd": str(inner), "prompt": "Fix it"}) is None


@for_rows(
    ("folder", "command", "is_excluded"),
    [
        ("secrets", "cat prod/key", True),
        ("src", "cat ../secrets/prod/key", True),
        ("", "cat src/../secrets/prod/k", True),
        ("", "cat {root}/sub/../secrets/prod/k", True),
        ("", "curl -d @vault/key x", True),
        ("", "scp h:vault/key .", True),
        ("", "cat {{vault,x}}/k", True),
        ("", "k.pem,", True),
        ("src", "cat secrets/prod/key", True),
        ("", "cat ../secrets/prod/key", False),
        ("src", "cat prod/key ../secrets/test/key", False),
        ("secrets", "make test", False),
    ],
)
def test_an_excluded_path_is_recognised_in_a_command(
    folder: str, command: str, is_excluded: bool, tmp_path: Path
) -> None:
    for name in ("secrets", "src"):
        (tmp_path / name).mkdir(exist_ok=True)
    (tmp_path / FILE).write_text("secrets/prod\n*.pem\nvault\n")
    call = {"tool_name": "Bash", "tool_input": {"command": command.format(root=tmp_path)}}
    event = read_event("codex", "PostToolUse", {"cwd": str(tmp_path / folder), **call})
    assert (event is None) == is_excluded


def test_the_spool_keeps_the_order_and_its_limit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(spool_module, "MOST_WAITING", 3)
    spool = Spool.of(tmp_path)
    names = [spool.add(f"{number}".encode()) for number in range(4)]
    assert names[3] is None
    assert spool.losses.exists()
    assert [spool.read(name, 9) for name in spool.names()] == [b"0", b"1", b"2"]
    assert spool.folder.stat().st_mode & 0o777 == 0o700
    assert {path.stat().st_mode & 0o777 for path in spool.folder.glob("*.json")} == {0o600}
    spool.remove(spool.names()[0])
    spool.set_aside(spool.names()[0])
    assert len(spool.names()) == 1


def test_parts_of_killed_hooks_are_removed_later(tmp_path: Path) -> None:
    spool = Spool.of(tmp_path)
    spool.add(b"{}")
    old, new = (spool.folder / f".{name}.part" for name in ("old", "new"))
    for path in (old, new):
        path.touch()
    os.utime(old, (0, 0))
    spool.clean()
    assert (old.exists(), new.exists(), len(spool.names())) == (False, True, 1)


@for_rows(
    "data",
    [b"", b"[]", b"{}", b'{"client": 1}', b"\xff", json.dumps({"client": "codex", "evil": 1}).encode()],
)
def test_a_file_that_no_hook_wrote_is_no_event(data: bytes) -> None:
    with pytest.raises(ValueError):  # noqa: PT011 - its message is not shown
        HookEvent.from_json(data)


def test_capturing_imports_the_standard_library_only() -> None:
    code = "import graph_memory.hooks.events, graph_memory.hooks.spool, sys; print(*sys.modules)"
    before = subprocess.run([sys.executable, "-c", "import sys; print(*sys.modules)"], capture_output=True, text=True)
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    tops = {name.partition(".")[0] for name in {*done.stdout.split()} - {*before.stdout.split()}}
    assert tops - {*sys.stdlib_module_names} == {"graph_memory"}
