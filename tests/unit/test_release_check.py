"""The checks of `make release-check` find the faults of a release."""

from __future__ import annotations

import re
import sys
import tomllib
import zipfile
from email.message import Message
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType

import pytest
import yaml

from pages import ROOT

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
VERSION = PROJECT["version"]
CHANGELOG = (
    "# Changelog\n\n## [Unreleased]\n\n## [0.2.0] - 2026-12-01\n\n### Added\n\n- A tool.\n\n## [0.1.0]\n\n- All.\n"
)


@pytest.fixture(scope="module")
def check() -> ModuleType:
    spec = spec_from_file_location("release_check", ROOT / "tools/release/check.py")
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_all_files_have_the_version_of_the_project_and_the_tag_too(check: ModuleType):
    assert check.version_faults(VERSION, "") == []
    assert check.version_faults(VERSION, f"v{VERSION}") == []
    assert check.version_faults(VERSION, "v9.9.9") == [f"the tag v9.9.9 is not v{VERSION}"]
    assert len(check.version_faults("9.9.9", "")) == 3


def test_a_tag_needs_its_dated_section_in_the_changelog(check: ModuleType):
    assert check.changelog_faults(CHANGELOG, "0.2.0", "v0.2.0") == []
    assert check.changelog_faults(CHANGELOG, "0.1.0", "v0.1.0") == ["no section 0.1.0 with a date"]
    assert check.changelog_faults(CHANGELOG, "0.3.0", "") == ["section 0.3.0 lists no change"]
    assert check.changelog_faults((ROOT / "CHANGELOG.md").read_text(encoding="utf-8"), VERSION, "") == []


def test_a_wheel_must_have_the_viewer_and_no_tests(check: ModuleType, tmp_path: Path):
    names = [*check.IN_WHEEL, *(f"{folder}a" for folder in check.FOLDERS)]
    assert check.wheel_faults(wheel_of(tmp_path, names)) == []
    damaged = [name for name in names if not name.endswith("index.html")]
    faults = check.wheel_faults(wheel_of(tmp_path, [*damaged, "graph_memory/tests/a.py", "graph_memory/a.js.map"]))
    assert faults == [
        "graph_memory/viewer/index.html is missing",
        "graph_memory/tests/a.py is too much",
        "graph_memory/a.js.map is too much",
    ]


def wheel_of(folder: Path, names: list[str]) -> Path:
    wheel = folder / "graph_memory-0-py3-none-any.whl"
    with zipfile.ZipFile(wheel, "w") as archive:
        for name in names:
            archive.writestr(name, "")
    return wheel


def test_metadata_that_differs_is_named(check: ModuleType):
    metadata = Message()
    for field, value in (("Name", PROJECT["name"]), ("Version", "0"), ("Summary", PROJECT["description"])):
        metadata[field] = value
    faults = check.metadata_faults(metadata, PROJECT)
    assert f"Version is '0' instead of '{VERSION}'" in faults
    assert "there is no description" in faults
    assert not any(fault.startswith(("Name", "Summary")) for fault in faults)


def test_this_python_is_found_once(check: ModuleType):
    versions = [check.version_of(python) for python in check.pythons()]
    assert "{}.{}".format(*sys.version_info) in versions
    assert len(versions) == len(set(versions))


def test_the_workflow_checks_every_python_that_the_package_names():
    workflow = yaml.safe_load((ROOT / ".github/workflows/release.yml").read_text(encoding="utf-8"))
    named = [match[1] for text in PROJECT["classifiers"] if (match := re.search(r":: (3\.\d+)$", text))]
    assert workflow["jobs"]["check"]["strategy"]["matrix"]["python"] == named
    assert workflow["jobs"]["publish"]["needs"] == ["check", "scan"]
