"""The lists in the documents equal the code's."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

from graph_memory.settings import Settings

ROOT = Path(__file__).parents[2]
MOST_WORDS = 1_200
LONG = ("architecture.md", "benchmarks.md", "security.md")


def test_the_pages_that_are_made_from_the_code_are_up_to_date(tmp_path: Path) -> None:
    subprocess.run([sys.executable, "-m", "docs.generate", tmp_path], cwd=ROOT, check=True)
    made = [page.relative_to(tmp_path) for page in tmp_path.rglob("*.*")]
    assert Path("docs/reference/tools.md") in made
    assert Path("server.json") in made
    stale = [str(page) for page in made if read(ROOT / page) != read(tmp_path / page)]
    assert stale == [], "run: make reference"


def read(page: Path) -> str:
    return page.read_text(encoding="utf-8") if page.exists() else ""


def test_every_setting_has_a_description() -> None:
    assert [name for name, field in Settings.model_fields.items() if not field.description] == []


def test_no_generated_page_says_twice_that_something_can_be_repeated() -> None:
    assert [page.name for page in ROOT.glob("docs/reference/*.md") if "……" in read(page)] == []


def test_a_guide_can_be_read_in_ten_minutes() -> None:
    pages = {*ROOT.glob("docs/*.md"), *ROOT.glob("docs/guides/*.md")}
    words = {page.name: len(read(page).split()) for page in pages if page.name not in LONG}
    assert {name: count for name, count in words.items() if count > MOST_WORDS} == {}


def test_every_document_that_is_linked_exists() -> None:
    for page in [*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")]:
        for link in page.read_text(encoding="utf-8").split("](")[1:]:
            target = link.partition(")")[0].partition("#")[0]
            if target and "://" not in target:
                assert (page.parent / target).exists(), f"{page.name}: {target}"


def test_every_test_that_a_page_names_exists() -> None:
    files = {f"/{path.relative_to(ROOT).as_posix()}": read(path) for path in ROOT.glob("tests/**/test_*.py")}
    functions = {name for text in files.values() for name in re.findall(r"def (test_\w+)", text)}
    named = {
        (page.name, name)
        for page in ROOT.glob("docs/**/*.md")
        for name in re.findall(r"`((?:[\w/]+/)?test_\w+(?:\.py)?)`", read(page))
    }
    assert len(named) > 50
    assert (
        sorted(
            (page, name)
            for page, name in named
            if name not in functions and not any(file.endswith(f"/{name}") for file in files)
        )
        == []
    )
