"""The site as `make docs` makes it: every page is there, and every link within it leads somewhere."""

from __future__ import annotations

import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urldefrag, urlsplit

import pytest

from pages import PAGES, ROOT

pytestmark = pytest.mark.xdist_group("site")

OPTIONS = ["--conf-dir", "docs", "--fail-on-warning", "--keep-going", "--nitpicky", "--quiet"]


class Links(HTMLParser):
    """The links of a page, and the places in it that a link can lead to."""

    def __init__(self, page: Path) -> None:
        super().__init__()
        self.links: list[str] = []
        self.places: set[str] = set()
        self.feed(page.read_text(encoding="utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        arguments = dict(attrs)
        self.places |= {name for name in (arguments.get("id"), arguments.get("name")) if name}
        link = arguments.get("href") if tag in {"a", "link"} else arguments.get("src")
        if link:
            self.links.append(link)


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build the site with the options of the Makefile; a warning fails it."""
    folder = tmp_path_factory.mktemp("site")
    done = subprocess.run(
        [sys.executable, "-m", "sphinx", *OPTIONS, "--doctree-dir", folder / "doctrees", ".", folder / "html"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return folder / "html"


def test_every_page_is_on_the_site_and_the_start_page_answers_for_the_folder(site: Path):
    expected = {page.relative_to(ROOT).with_suffix(".html") for page in PAGES}
    assert {page for page in expected if not (site / page).is_file()} == set()
    assert (site / "index.html").read_bytes() == (site / "README.html").read_bytes()


def test_every_link_within_the_site_leads_to_a_file_and_a_place_in_it(site: Path):
    pages = {page: Links(page) for page in site.rglob("*.html")}
    broken: list[str] = []
    for page, links in pages.items():
        for link in links.links:
            address, place = urldefrag(link)
            if urlsplit(address).scheme or address.startswith("//"):
                continue
            target = (page.parent / unquote(urlsplit(address).path)).resolve() if address else page
            has_place = not place or target not in pages or unquote(place) in pages[target].places
            if not target.is_file() or not has_place:
                broken.append(f"{page.relative_to(site)}: {link}")
    assert broken == []


def test_a_page_is_complete_without_the_network(site: Path):
    requests = {link for page in site.rglob("*.html") for link in external_addresses(page)}
    assert requests == set()


def external_addresses(page: Path) -> set[str]:
    """Return the external addresses that a browser fetches to show a page."""
    text = page.read_text(encoding="utf-8")
    parts = [part.partition(">")[0] for part in text.split("<")[1:]]
    return {part for part in parts if part.startswith(("script", "link", "img")) and "://" in part}


def test_the_names_that_the_package_exports_are_on_the_page_of_the_python_api(site: Path):
    import graph_memory

    places = Links(site / "docs" / "reference" / "python.html").places
    assert {name for name in graph_memory.__all__ if f"graph_memory.{name}" not in places} == set()


def test_the_makefile_builds_with_the_same_options():
    recipe = (ROOT / "Makefile").read_text(encoding="utf-8").split("\ndocs: setup")[1].split("\n\n")[0]
    assert [option for option in OPTIONS if option not in recipe] == []
