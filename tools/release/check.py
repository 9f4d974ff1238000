"""Checks what a release would publish: `make release-check`, with `TAG=v0.2.0` for the release itself.

Builds the sdist, and the wheel from it. Checks their content and metadata, the versions, the changelog, and the list of
packages. Then installs the wheel into a new environment of each Python that is found, runs the demo there, and builds
the image if there is a container engine. Needs the package registry.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import tomllib
import zipfile
from collections.abc import Iterator, Sequence
from email import message_from_bytes
from email.message import Message
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
OLDEST = (3, 11)
LARGEST_WHEEL = 6 * 2**20
IN_WHEEL = (
    "graph_memory/py.typed",
    "graph_memory/sync.pyi",
    "graph_memory/viewer/index.html",
    "graph_memory/hooks/secret_rules.json",
    "graph_memory/plugins/claude-code/.claude-plugin/plugin.json",
    "graph_memory/plugins/claude-code/hooks/hooks.json",
)
"""Files without which the installed package lacks a feature."""
IN_SDIST = (
    "pyproject.toml",
    "hatch_build.py",
    "README.md",
    "LICENSE",
    "CHANGELOG.md",
    "src/graph_memory/viewer/index.html",
)
FOLDERS = ("graph_memory/cypher/", "graph_memory/ontologies/", "graph_memory/viewer/assets/")
STRANGE = re.compile(r"(^|/)(tests?|node_modules|\.env|__pycache__)(/|$)|\.(map|pyc|log)$")
"""Names that no package should contain."""


class Findings:
    """Prints the result of each check, and collects the faults."""

    def __init__(self) -> None:
        self.faults: list[str] = []

    def check(self, name: str, faults: Sequence[str]) -> None:
        """Print the name of a check with its faults, or `passed`."""
        sys.stdout.write(f"{name}: {'; '.join(faults) or 'passed'}\n")
        sys.stdout.flush()
        self.faults += faults


def main() -> int:
    """Run all checks. Returns 0 if there are no faults, else 1."""
    parser = argparse.ArgumentParser(prog="make release-check", description=__doc__)
    parser.add_argument("--tag", default="", help="the tag of the release, such as v0.2.0")
    parser.add_argument("--out", type=Path, default=ROOT / "dist", help="folder of the built files")
    parser.add_argument("--no-install", action="store_true", help="do not install the wheel")
    options = parser.parse_args()
    findings = Findings()
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    version = project["version"]
    findings.check("versions", version_faults(version, options.tag))
    changelog = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    findings.check("changelog", changelog_faults(changelog, version, options.tag))
    sdist, wheel = build(options.out)
    findings.check(f"content of {wheel.name}", wheel_faults(wheel))
    findings.check(f"content of {sdist.name}", sdist_faults(sdist))
    findings.check("metadata", metadata_faults(metadata_of(wheel), project))
    findings.check("twine", command_faults("uvx", "twine", "check", "--strict", str(sdist), str(wheel)))
    findings.check("packages", sbom_faults(ROOT / "dist/sbom.json", version))
    if not options.no_install:
        for python in pythons():
            findings.check(f"installed with {python}", install_faults(python, wheel))
        if has_engine():
            findings.check("image", command_faults("docker", "build", "--quiet", "--file", "docker/Dockerfile", "."))
        else:
            sys.stdout.write("image: not checked, because no container engine answers\n")
    sys.stdout.write(f"{len(findings.faults)} faults\n" if findings.faults else f"{wheel.name} can be released\n")
    return 1 if findings.faults else 0


def version_faults(version: str, tag: str) -> list[str]:
    """Return a line for each file whose version is not that of the project, and for the tag."""
    entry = json.loads((ROOT / "server.json").read_text(encoding="utf-8"))
    image = re.findall(r"newTag: \"?([^\s\"]+)", (ROOT / "deploy/kubernetes/kustomization.yaml").read_text("utf-8"))
    versions = {"server.json": entry["version"], "its package": entry["packages"][0]["version"]}
    versions |= {"the image of deploy/kubernetes": image[0]} if image else {}
    faults = [f"{name} has {other} instead of {version}" for name, other in versions.items() if other != version]
    return faults + ([f"the tag {tag} is not v{version}"] if tag not in ("", f"v{version}") else [])


def changelog_faults(text: str, version: str, tag: str) -> list[str]:
    """Return the missing parts of the changelog: changes of the next release, or for a tag its section."""
    heading = rf"\[{re.escape(version)}\] - \d{{4}}-\d\d-\d\d" if tag else r"\[Unreleased\]"
    section = re.search(rf"^## {heading}\n(.*?)(?=^## |\Z)", text, re.MULTILINE | re.DOTALL)
    if section is None:
        return [f"no section {version} with a date" if tag else "no section Unreleased"]
    return [] if re.search(r"^- ", section[1], re.MULTILINE) else [f"section {version} lists no change"]


def build(folder: Path) -> tuple[Path, Path]:
    """Build the sdist, and the wheel from it. Return both files."""
    for old in (*folder.glob("graph_memory-*.whl"), *folder.glob("graph_memory-*.tar.gz")):
        old.unlink()
    subprocess.run([uv(), "build", "--quiet", "--out-dir", folder], cwd=ROOT, check=True)
    (sdist,), (wheel,) = folder.glob("graph_memory-*.tar.gz"), folder.glob("graph_memory-*.whl")
    return sdist, wheel


def wheel_faults(wheel: Path) -> list[str]:
    """Return the missing and superfluous files of the wheel, and its size if that is too large."""
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
    faults = [f"{name} is missing" for name in IN_WHEEL if name not in names]
    faults += [f"{folder} is empty" for folder in FOLDERS if not any(name.startswith(folder) for name in names)]
    faults += [f"{name} is too much" for name in names if STRANGE.search(name)]
    size = wheel.stat().st_size
    return faults + ([f"{size:,} bytes are too many"] if size > LARGEST_WHEEL else [])


def sdist_faults(sdist: Path) -> list[str]:
    """Return the missing and superfluous files of the sdist."""
    with tarfile.open(sdist) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    faults = [f"{name} is missing" for name in IN_SDIST if name not in names]
    return faults + [f"{name} is too much" for name in sorted(names) if STRANGE.search(name)]


def metadata_of(wheel: Path) -> Message:
    """Return the metadata of a wheel."""
    with zipfile.ZipFile(wheel) as archive:
        (name,) = (name for name in archive.namelist() if name.endswith(".dist-info/METADATA"))
        return message_from_bytes(archive.read(name))


def metadata_faults(metadata: Message, project: dict[str, object]) -> list[str]:
    """Return the fields of the metadata that differ from the project's."""
    fields = {
        "Name": "name",
        "Version": "version",
        "Summary": "description",
        "License-Expression": "license",
        "Requires-Python": "requires-python",
    }
    faults = [
        f"{field} is {metadata[field]!r} instead of {project[key]!r}"
        for field, key in fields.items()
        if metadata[field] != project[key]
    ]
    return faults + ([] if metadata.get_payload() else ["there is no description"])


def sbom_faults(file: Path, version: str) -> list[str]:
    """Return the faults of the list of packages, which `make sbom` wrote."""
    bom = json.loads(file.read_text(encoding="utf-8"))
    faults = [] if bom["metadata"]["component"].get("version") == version else ["the version is not the project's"]
    unpinned = [part["name"] for part in bom["components"] if not part.get("version")]
    return faults + [f"{name} has no version" for name in unpinned]


def has_engine() -> bool:
    """Return whether a container engine answers."""
    docker = shutil.which("docker")
    return docker is not None and subprocess.run([docker, "info"], capture_output=True, check=False).returncode == 0


def pythons() -> Iterator[Path]:
    """Yield an interpreter of each version of Python from 3.11 on that is on the path or installed by pyenv."""
    folders = [Path(folder) for folder in os.environ.get("PATH", "").split(os.pathsep)]
    folders += sorted(Path(os.environ.get("PYENV_ROOT", "~/.pyenv")).expanduser().glob("versions/*/bin"))
    versions: set[str] = set()
    for file in [Path(sys.executable), *(file for folder in folders for file in sorted(folder.glob("python3.*")))]:
        version = version_of(file)
        if version and tuple(map(int, version.split("."))) >= OLDEST and version not in versions:
            versions.add(version)
            yield file


def version_of(python: Path) -> str | None:
    """Return the version of an interpreter such as 3.12, or None if the file is no interpreter that runs."""
    if not re.fullmatch(r"python(3\.\d+)?(\.exe)?", python.name):
        return None
    code = "import sys; print('{}.{}'.format(*sys.version_info))"
    done = subprocess.run([python, "-c", code], capture_output=True, text=True, check=False)
    return done.stdout.strip() if done.returncode == 0 else None


def install_faults(python: Path, wheel: Path) -> list[str]:
    """Install the wheel into a new environment, run the demo there, and return the first failure."""
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder)
        own = home / "env/bin/python"
        hidden = ("PYTHON", "VIRTUAL_ENV")
        environment = {name: value for name, value in os.environ.items() if not name.startswith(hidden)}
        environment |= {"GRAPH_MEMORY_HOME": str(home / "memory")}
        for name in ("examples", "ontologies"):
            shutil.copytree(ROOT / name, home / name)
        steps: Sequence[Sequence[str | Path]] = (
            (python, "-m", "venv", home / "env"),
            (own, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", wheel),
            (own, "-m", "pip", "check"),
            (own.with_name("graph-memory"), "--version"),
            (own, home / "examples/demo.py"),
        )
        try:
            for step in steps:
                if faults := command_faults(*map(str, step), cwd=home, env=environment):
                    return faults
            return []
        finally:
            command_faults(str(own.with_name("graph-memory")), "neo4j", "stop", cwd=home, env=environment)


def command_faults(*command: str, cwd: Path = ROOT, env: dict[str, str] | None = None) -> list[str]:
    """Run a command, and return the end of its output if it failed."""
    program = [uv(), "tool", "run", *command[1:]] if command[0] == "uvx" else list(command)
    done = subprocess.run(program, cwd=cwd, env=env, capture_output=True, text=True, check=False)
    end = (done.stdout + done.stderr).strip()[-1_000:]
    return [f"`{' '.join(command)}` failed: {end}"] if done.returncode else []


def uv() -> str:
    """Return the program uv of this environment."""
    return str(Path(sys.executable).with_name("uv"))


if __name__ == "__main__":
    sys.exit(main())
