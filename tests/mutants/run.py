"""Seeded defects, each put into a copy of the code to be killed by a test: `make mutants MUTANTS="3 swapped_ends"`.

A mutant's own tests run first, then what `make test` runs. The status is 1 if one survives that is not said to.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

import yaml

ROOT = Path(__file__).parents[2]
COPIED = ("src", "cypher", "ontologies")
PYTEST = "-x -q -p no:cacheprovider"
KILLED_BY = re.compile(r"^(?:FAILED|ERROR) (.+?)(?: - .*)?$", re.MULTILINE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Mutant:
    """One defect: the text that it replaces, what it breaks, and the tests of its own room."""

    name: str
    file: str
    find: str
    replace: str
    breaks: str
    tests: str
    survives: str = ""

    def apply_to(self, text: str) -> str:
        """Return a text with the defect, in which what it replaces must be once."""
        if (count := text.count(self.find)) != 1:
            raise SystemExit(f"{self.name}: {self.file} has what it replaces {count} times; the list is stale")
        return text.replace(self.find, self.replace)


def mutants() -> list[Mutant]:
    """Return the list."""
    text = Path(__file__).with_name("mutants.yaml").read_text(encoding="utf-8")
    return [Mutant(**fields) for fields in yaml.safe_load(text)]


def choose(names: list[str]) -> list[tuple[int, Mutant]]:
    """Return the mutants of these names or numbers, all of them without any."""
    pairs = list(enumerate(mutants(), start=1))
    if unknown := set(names) - {str(number) for number, _ in pairs} - {mutant.name for _, mutant in pairs}:
        raise SystemExit(f"no such mutants: {', '.join(sorted(unknown))}")
    return [(number, mutant) for number, mutant in pairs if not names or {str(number), mutant.name} & set(names)]


def killer(mutant: Mutant) -> str | None:
    """Return the test that kills a mutant, None when it survives."""
    with tempfile.TemporaryDirectory(prefix="mutant-") as folder:
        copy = Path(folder)
        for name in COPIED:
            shutil.copytree(ROOT / name, copy / name, ignore=shutil.ignore_patterns("__pycache__"))
        file = copy / mutant.file
        file.write_text(mutant.apply_to(file.read_text(encoding="utf-8")), encoding="utf-8")
        environment = {**os.environ, "PYTHONPATH": str(copy / "src")}
        check_imported(copy, environment)
        own = [sys.executable, "-m", "pytest", *shlex.split(PYTEST), *shlex.split(mutant.tests)]
        return first_failure(own, environment) or first_failure(
            ["make", "test"], {**environment, "PYTEST_ADDOPTS": PYTEST}
        )


def check_imported(copy: Path, environment: dict[str, str]) -> None:
    """Fail unless the tests would import the copy and read its statements."""
    code = "from graph_memory.storage import queries; print(queries.__file__, queries.cypher_root(), sep='\\n')"
    ran = subprocess.run([sys.executable, "-c", code], cwd=ROOT, env=environment, capture_output=True, text=True)
    results = ran.stdout.split()
    if len(results) != 2 or not all(Path(path).is_relative_to(copy.resolve()) for path in results):
        raise SystemExit(f"the copy is not what is imported: {results}\n{ran.stderr}")


def first_failure(command: list[str], environment: dict[str, str]) -> str | None:
    """Return the first test that fails, None when all pass; end when the tests could not run."""
    ran = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True)
    if ran.returncode == 0:
        return None
    if match := KILLED_BY.search(ran.stdout):
        return match[1]
    raise SystemExit(f"{shlex.join(command)} ended with {ran.returncode}:\n{ran.stdout[-2000:]}\n{ran.stderr[-2000:]}")


def main() -> int:
    """Print what kills each mutant, and return 1 if one survives that should not."""
    faults = 0
    for number, mutant in choose(sys.argv[1:]):
        began = time.monotonic()
        test = killer(mutant)
        outcome = test or f"SURVIVED{f' as listed: {mutant.survives}' if mutant.survives else f': {mutant.breaks}'}"
        faults += test is None and not mutant.survives
        print(f"{number:>2} {mutant.name:<36} {time.monotonic() - began:>4.0f} s  {outcome}", flush=True)  # noqa: T201 - the table is what it is for
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
