"""The examples of the README run as they are written."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from neo4j import Driver

from container.images import address_of
from graph_memory import Settings

README = (Path(__file__).parents[2] / "README.md").read_text()


def block(language: str) -> str:
    return README.split(f"```{language}\n")[1].split("```")[0]


def test_the_python_and_cypher_examples_run_and_print_what_the_readme_says(settings: Settings, driver: Driver) -> None:
    address = address_of(settings)
    done = subprocess.run(
        [sys.executable, "-c", block("python")],
        env={
            **os.environ,
            "GRAPH_MEMORY_HOME": str(settings.home),
            "NEO4J_URI": address.uri,
            "NEO4J_PASSWORD": address.password,
        },
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    refused, text = done.stdout.splitlines()
    assert refused == "INVALID_TOPOLOGY Cannot connect Project to Person with NextAction. Valid targets: [Action]"
    assert text == "Call the contractor"
    rows = driver.execute_query(block("cypher")).records  # pyright: ignore[reportArgumentType]
    assert ["Kitchen", "active", "Call the contractor"] in [list(row.values()) for row in rows]
