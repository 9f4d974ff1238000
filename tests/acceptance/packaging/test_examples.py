"""The examples run, each as a process of its own."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from acceptance.agents import environment_of
from graph_memory import Settings

EXAMPLES = Path(__file__).parents[3] / "examples"


def test_training_and_projects_live_in_one_domain(settings: Settings) -> None:
    done = subprocess.run(
        [sys.executable, EXAMPLES / "fitness.py"],
        env={**os.environ, **environment_of(settings)},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == [
        "2025-10-13  80 kg",
        "2025-10-16  85 kg",
        "planned Back squat 5 × 5 at 85 kg",
        "stuck: Find a gym with a rack",
        "log and graph agree: True",
    ]
