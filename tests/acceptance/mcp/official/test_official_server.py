"""The npm server answers as its model does, to the byte; so a server that answers as the model does may take its place.

After a new version of the npm server: `UPDATE_GOLDEN=1 pytest tests/acceptance/mcp/official/test_official_server.py`.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from acceptance.mcp.official import recording
from acceptance.mcp.official.comparing import SCRIPTS, apply, deviates, deviation
from acceptance.mcp.official.original import DIFFERENCES
from acceptance.mcp.official.talking import official, talking

pytestmark = pytest.mark.anyio


def test_the_model_answers_as_the_npm_server_was_recorded_to():
    _, answers = recording.read()
    assert deviation(recording.recorded_steps(), answers, ()) is None


@pytest.mark.long
async def test_the_npm_server_answers_as_recorded(tmp_path: Path):
    command, variables = official(folder=tmp_path)
    async with talking(command, variables) as talk:
        offered = await recording.lists(talk)
        answers = [await talk.answer(step) for step in recording.recorded_steps()]
    if os.environ.get("UPDATE_GOLDEN"):
        recording.write(offered, answers)
    assert recording.read() == (offered, answers)


@pytest.mark.long
@pytest.mark.parametrize("name", SCRIPTS)
async def test_the_npm_server_answers_as_the_model(tmp_path: Path, name: str):
    command, variables = official(folder=tmp_path)
    result = await deviates(command, variables, SCRIPTS[name])
    assert result is None, str(result)


def test_every_difference_shows_in_the_scripts():
    shown = [apply(steps, tuple(DIFFERENCES)) for steps in SCRIPTS.values()]
    assert {name for names in shown for name in names} == DIFFERENCES.keys()
