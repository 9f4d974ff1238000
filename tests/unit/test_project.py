"""Which domain the setting `auto` means: one for each project, by a name that people can read."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner

from graph_memory.cli.input.options import DomainOption
from graph_memory.model.values.arguments import check_domain
from graph_memory.project import domain_for


def test_any_other_setting_is_the_domain_itself() -> None:
    assert domain_for("work") == "work"


def test_a_git_work_tree_is_one_project_and_its_neighbour_another(tmp_path: Path) -> None:
    for name in ("one/kitchen", "two/kitchen"):
        (tmp_path / name / "src" / "deep").mkdir(parents=True)
        (tmp_path / name / ".git").mkdir()
    root = tmp_path / "one" / "kitchen"
    text = domain_for("auto", root)
    assert re.fullmatch(r"kitchen-[0-9a-f]{8}", text)
    assert domain_for("auto", root / "src" / "deep") == text
    assert domain_for("auto", tmp_path / "two" / "kitchen") != text
    assert domain_for("auto", tmp_path / "two" / "kitchen").startswith("kitchen-")


def test_a_linked_work_tree_has_a_file_instead_of_a_folder(tmp_path: Path) -> None:
    (tmp_path / "tree" / "src").mkdir(parents=True)
    (tmp_path / "tree" / ".git").write_text("gitdir: /elsewhere\n")
    assert domain_for("auto", tmp_path / "tree" / "src") == domain_for("auto", tmp_path / "tree")


def test_a_folder_without_git_is_a_project_of_its_own(tmp_path: Path) -> None:
    (tmp_path / "notes" / "deep").mkdir(parents=True)
    assert domain_for("auto", tmp_path / "notes").startswith("notes-")
    assert domain_for("auto", tmp_path / "notes" / "deep").startswith("deep-")


def test_however_a_folder_is_reached_it_is_the_same_project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "kitchen").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "kitchen")
    monkeypatch.chdir(tmp_path / "link")
    assert domain_for("auto") == domain_for("auto", tmp_path / "kitchen")
    assert domain_for("auto", tmp_path / "kitchen" / ".." / "kitchen") == domain_for("auto")


@pytest.mark.parametrize(
    ("folder", "name"),
    [
        ("Küche & Bad", "kuche-bad"),
        ("漢字", "project"),
        ("..hidden", "hidden"),
        ("x" * 200, "x" * 40),
        ("a=b/..", ".*"),
    ],
)
def test_the_name_is_that_of_a_domain_whatever_the_folder_is_called(tmp_path: Path, folder: str, name: str) -> None:
    text = domain_for("auto", tmp_path / folder)
    assert re.fullmatch(rf"{name}-[0-9a-f]{{8}}", text)
    assert check_domain(text) == text
    assert domain_for("auto", Path("/")).startswith("project-")


def test_the_command_line_takes_the_project_that_it_is_run_in(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / ".git").mkdir()
    (tmp_path / "src").mkdir()
    monkeypatch.chdir(tmp_path / "src")
    app = typer.Typer()

    @app.command()
    def show(domain: DomainOption = None) -> None:
        typer.echo(domain)

    expected = domain_for("auto", tmp_path)
    assert CliRunner().invoke(app, ["--domain", "auto"]).stdout.strip() == expected
    assert CliRunner().invoke(app, env={"GRAPH_MEMORY_DOMAIN": "auto"}).stdout.strip() == expected
    assert CliRunner().invoke(app, ["--domain", "work"]).stdout.strip() == "work"
