"""The results of a scan of a project. File names and project files are untrusted."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from graph_memory.agent.environmental import scan
from tables import for_rows


def write(root: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


def git(root: Path, *arguments: str) -> None:
    identity = ("-c", "user.name=a", "-c", "user.email=a@example.org")
    subprocess.run(["git", *identity, *arguments], cwd=root, check=True, capture_output=True)


@pytest.mark.parametrize(
    ("files", "project_type", "build_system"),
    [
        ({"pyproject.toml": '[build-system]\nbuild-backend = "hatchling.build"'}, "python", "hatchling.build"),
        ({"pyproject.toml": "not [toml"}, "python", None),
        ({"package.json": "{}", "pnpm-lock.yaml": ""}, "javascript", "pnpm"),
        ({"Cargo.toml": "", "Makefile": ""}, "rust", "cargo"),
        ({"Makefile": ""}, None, "make"),
        ({}, None, None),
    ],
)
def test_the_type_and_build_system_come_from_the_files_at_the_root(
    tmp_path: Path, files: dict[str, str], project_type: str | None, build_system: str | None
) -> None:
    write(tmp_path, files)
    environment = scan(tmp_path)
    assert (environment.project_type, environment.build_system, environment.git_status) == (
        project_type,
        build_system,
        None,
    )


def test_conventions_and_services_are_named(tmp_path: Path) -> None:
    services = "services: {web: {image: x}, db: {image: y}}"
    write(tmp_path, {"pyproject.toml": "[tool.ruff]\n[tool.pytest]", "AGENTS.md": "", "compose.yaml": services})
    environment = scan(tmp_path)
    assert environment.conventions == ("AGENTS.md", "pytest in pyproject.toml", "ruff in pyproject.toml")
    assert environment.services == ("web", "db")


MERGES = "\n".join(
    ["a0: &a0 {a: 1, b: 2}", *(f"a{n}: &a{n} {{<<: [{', '.join([f'*a{n - 1}'] * 9)}]}}" for n in range(1, 12))]
)


@for_rows(
    "text",
    [
        *("- a", "services: [a]", "a: &a [*a]", "!!python/object:os.system {}", "{", "x" * 2_000_000, "x: 2026-13-45"),
        *(
            'x: "\\U00110000"',
            'x: "\\UFFFFFFFF"',
            "[" * 20_000,
            "? [a]\n: 1",
            f"%YAML {'9' * 5_000}.1\n---\na: 1",
            MERGES,
        ),
    ],
)
def test_a_strange_compose_file_names_no_services(tmp_path: Path, text: str) -> None:
    write(tmp_path, {"compose.yaml": text})
    assert scan(tmp_path).services == ()


def test_services_are_named_beside_merges_and_dates_and_up_to_a_maximum(tmp_path: Path) -> None:
    services = r'services: {<<: *a1, web: {}, "d\ud800": {<<: *a11}}'
    write(tmp_path, {"compose.yaml": f"{MERGES}\nx: 2026-13-45\n{services}"})
    environment = scan(tmp_path)
    assert environment.services == ("web", r"d\ud800")
    assert environment.model_dump_json()
    many = {"compose.yaml": "services:\n" + "".join(f"  s{number}: {{}}\n" for number in range(200))}
    write(tmp_path, {**many, "pyproject.toml": "".join(f"[tool.t{number}]\n" for number in range(200))})
    environment = scan(tmp_path)
    assert (len(environment.services), len(environment.conventions)) == (100, 100)


def test_a_deeply_nested_pyproject_is_read_as_empty(tmp_path: Path) -> None:
    write(tmp_path, {"pyproject.toml": "a = " + "[" * 20_000})
    environment = scan(tmp_path)
    assert (environment.project_type, environment.build_system, environment.conventions) == ("python", None, ())


def test_outside_git_hidden_built_and_linked_folders_are_skipped(tmp_path: Path) -> None:
    write(tmp_path, {"a/b.py": "", "c.py": "", ".venv/x.py": "", "node_modules/y.js": ""})
    (tmp_path / "loop").symlink_to(tmp_path, target_is_directory=True)
    os.utime(tmp_path / "c.py", (0, 0))
    environment = scan(tmp_path)
    assert environment.file_tree == ("c.py", "a/b.py")
    assert environment.recent_changes == ("a/b.py", "c.py")


@pytest.mark.skipif(shutil.which("git") is None, reason="the machine has no git")
def test_in_a_work_tree_git_says_what_is_ignored_and_what_has_changed(tmp_path: Path) -> None:
    write(tmp_path, {".gitignore": "*.log\n", "kept.py": "1", "run.log": "", "line\nbreak.py": ""})
    git(tmp_path, "init", "--initial-branch", "trunk")
    git(tmp_path, "add", ".gitignore", "kept.py")
    git(tmp_path, "commit", "--message", "first")
    write(tmp_path, {"kept.py": "2"})
    environment = scan(tmp_path)
    assert environment.file_tree == (".gitignore", "kept.py", "line\\u000abreak.py")
    assert environment.git_status is not None
    assert (environment.git_status.branch, environment.git_status.ahead) == ("trunk", None)
    assert environment.git_status.changed == ("kept.py", "line\\u000abreak.py")


@pytest.mark.skipif(shutil.which("git") is None, reason="the machine has no git")
def test_a_file_in_a_merge_conflict_is_listed_once(tmp_path: Path) -> None:
    git(tmp_path, "init", "--initial-branch", "trunk")
    for branch, text in (("trunk", "0"), ("one", "1"), ("two", "2")):
        git(tmp_path, "checkout", "-B", branch, *(["trunk"] if branch != "trunk" else []))
        write(tmp_path, {"a.txt": text})
        git(tmp_path, "add", "a.txt")
        git(tmp_path, "commit", "--message", text)
    with pytest.raises(subprocess.CalledProcessError):
        git(tmp_path, "merge", "one")
    environment = scan(tmp_path)
    assert environment.file_tree == ("a.txt",)
    assert environment.git_status is not None
    assert environment.git_status.changed == ("a.txt",)


FILTER = (
    '[filter "x"]\n clean = touch {0}; cat\n smudge = touch {0}; cat\n process = touch {0}; cat\n required = true\n'
)


def hostile(root: Path, config: str) -> None:
    """Make a work tree with a changed file that a filter of its configuration reads."""
    write(root, {".gitattributes": "*.txt filter=x", "a.txt": "abc"})
    git(root, "init", "--initial-branch", "trunk")
    git(root, "add", ".")
    git(root, "commit", "--message", "first")
    write(root, {"a.txt": "xyz"})
    with (root / ".git" / "config").open("a") as file:
        file.write(config)


@pytest.mark.skipif(shutil.which("git") is None, reason="the machine has no git")
@pytest.mark.parametrize("is_included", [False, True])
def test_a_filter_of_the_project_is_not_run(tmp_path: Path, is_included: bool) -> None:
    root, trace = tmp_path / "project", tmp_path / "trace"
    hostile(root, "[include]\n path = own" if is_included else FILTER.format(trace))
    write(root, {".git/own": FILTER.format(trace)})
    status = scan(root).git_status
    assert status is not None
    assert (status.changed, trace.exists()) == (("a.txt",), False)


@pytest.mark.skipif(shutil.which("git") is None, reason="the machine has no git")
def test_a_filter_that_cannot_be_switched_off_leaves_the_status_out(tmp_path: Path) -> None:
    root, trace = tmp_path / "project", tmp_path / "trace"
    hostile(root, FILTER.format(trace).replace('"x"', '"x=y"'))
    write(root, {".gitattributes": "*.txt filter=x=y"})
    environment = scan(root)
    assert (environment.git_status, environment.file_tree, trace.exists()) == (None, (".gitattributes", "a.txt"), False)


@pytest.mark.skipif(shutil.which("git") is None, reason="the machine has no git")
def test_a_filter_of_a_submodule_is_not_run(tmp_path: Path) -> None:
    root, trace = tmp_path / "project", tmp_path / "trace"
    write(root, {"b.txt": ""})
    hostile(root / "part", FILTER.format(trace))
    git(root, "init", "--initial-branch", "trunk")
    git(root, "add", "b.txt", "part")
    status = scan(root).git_status
    assert status is not None
    assert (status.changed, trace.exists()) == (("b.txt", "part"), False)


@pytest.mark.skipif(shutil.which("git") is None, reason="the machine has no git")
def test_missing_objects_are_not_fetched_by_a_program_of_the_project(tmp_path: Path) -> None:
    root, trace = tmp_path / "project", tmp_path / "trace"
    write(root, {"folder/b.txt": "", "fetch.sh": f"#!/bin/sh\ntouch {trace}\n"})
    (root / "fetch.sh").chmod(0o700)
    remote = f'[remote "origin"]\n promisor = true\n url = {root}\n uploadpack = {root}/fetch.sh\n'
    hostile(root, f"[core]\n repositoryformatversion = 1\n[extensions]\n partialClone = origin\n{remote}")
    folder = subprocess.check_output(["git", "rev-parse", "HEAD:folder"], cwd=root, text=True).strip()
    (root / ".git" / "objects" / folder[:2] / folder[2:]).unlink()
    write(root, {"folder/b.txt": "1"})
    git(root, "add", "folder")
    assert not trace.exists()
    assert scan(root).git_status is None
    assert not trace.exists()
