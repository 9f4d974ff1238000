"""The static site: `make docs`. The sources are the Markdown files of the repository.

The root of the sources is the repository itself, so relative links work in both. A link to a page becomes a link on the
site, a link to another file becomes a download, and a link to a folder becomes text.
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterable
from importlib.metadata import version as version_of
from pathlib import Path

from sphinx.application import Sphinx

ROOT = Path(__file__).parents[1]
LISTS = {"README": "docs/README.md", "docs/decisions/README": "docs/decisions/README.md"}
"""Pages with a table of contents, and the file that lists its pages. A page in no list fails the build."""
HEADING, PAGE = re.compile(r"^## (.+)$", re.M), re.compile(r"\]\(([\w./-]+)\.md\)")
LINK = re.compile(r"\[([^\]]+)\]\(([\w./-]+)\)")
ANNOTATED = re.compile(r"~?[\w.]*Annotated\[([^,]+), .*?\)\]")

project = "graph-memory"
version = release = version_of(project)
copyright = "the graph-memory authors, Apache-2.0"  # noqa: A001

extensions = ["myst_parser", "sphinx.ext.autodoc"]
root_doc = "README"
include_patterns = ["*.md", "docs/*.md", "docs/**/*.md"]
exclude_patterns = [".*", "site", "src", "tests", "dist", "build", "cypher", "examples", "ontologies"]

myst_heading_anchors = 4
highlight_language = "text"
default_role = "literal"
smartquotes = False

autodoc_member_order = "bysource"
autodoc_preserve_defaults = True
toc_object_entries_show_parents = "hide"
nitpicky = True
suppress_warnings = ["misc.highlighting_failure"]  # Pygments knows no name that begins with _ in Cypher
nitpick_ignore_regex = [
    ("py:.*", r"(?!graph_memory).*"),  # other packages: the build fetches nothing
    ("py:.*", r"graph_memory\.model\.values\.properties\..*|graph_memory\.[\w.]+\.[A-Z]"),  # aliases and type variables
]

html_theme = "furo"
html_title = f"{project} {release}"
html_static_path = ["static"]
html_css_files = ["site.css"]
html_copy_source = False
html_show_sphinx = False


def without_folders(_app: Sphinx, docname: str, source: list[str]) -> None:
    """Replace links to folders by their text, because the site has no folders."""
    folder = (ROOT / docname).parent
    source[0] = LINK.sub(lambda link: link[1] if (folder / link[2]).is_dir() else link[0], source[0])


def add_contents(app: Sphinx, docname: str, source: list[str]) -> None:
    """Add the table of contents to a page in `LISTS`, with a part for each heading of the list."""
    if docname not in LISTS:
        return
    file = ROOT / LISTS[docname]
    app.env.note_dependency(file, docname=docname)
    first, *parts = HEADING.split(file.read_text(encoding="utf-8"))
    source[0] += _part("", (page for page in (_name(file, file.stem), *_names(file, first)) if page != docname))
    for caption, links in zip(parts[::2], parts[1::2], strict=True):
        source[0] += _part(caption, _names(file, links))


def _names(file: Path, links: str) -> list[str]:
    return [_name(file, page) for page in PAGE.findall(links)]


def _name(file: Path, page: str) -> str:
    return (file.parent / page).resolve().relative_to(ROOT).as_posix()


def _part(caption: str, pages: Iterable[str]) -> str:
    entries = "\n".join(f"/{page}" for page in pages)
    heading = f":caption: {caption}\n" if caption else ""
    return f"\n```{{toctree}}\n:hidden:\n{heading}\n{entries}\n```\n"


def plain_types(
    _app: Sphinx, _kind: str, _name: str, _object: object, _options: object, signature: str | None, returns: str | None
) -> tuple[str | None, str | None]:
    """Return the signature of a field without the annotations for pydantic."""
    return signature and ANNOTATED.sub(r"\1", signature), returns


def add_index(app: Sphinx, error: Exception | None) -> None:
    """Copy the start page to `index.html`."""
    if error is None and app.builder.name == "html":
        shutil.copyfile(app.outdir / "README.html", app.outdir / "index.html")


def setup(app: Sphinx) -> None:
    """Connect the functions of this module to Sphinx."""
    app.connect("source-read", without_folders)
    app.connect("source-read", add_contents)
    app.connect("autodoc-process-signature", plain_types)
    app.connect("build-finished", add_index)
