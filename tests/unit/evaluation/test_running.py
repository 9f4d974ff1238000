"""The sample of questions, the domain of a conversation when a signal ends the run, and the times of documents."""

from __future__ import annotations

import json
import os
import signal
from pathlib import Path

import anyio
import anyio.lowlevel
import pytest

from graph_memory.cli.session import exit_on_sigterm
from graph_memory.evaluation.amb_provider import RecalledDocument, _events_of  # pyright: ignore[reportPrivateUsage]
from graph_memory.evaluation.running import Options, _new_domain, _sample, _Totals  # pyright: ignore[reportPrivateUsage]
from question_sets import LOCOMO


def test_a_sample_is_limited_and_depends_on_the_seed_alone(tmp_path: Path) -> None:
    file = tmp_path / "locomo.json"
    file.write_text(json.dumps([LOCOMO] * 10))
    samples = [_sample(file, "locomo", Options(limit=7, seed=seed)) for seed in (1, 1, 2)]
    assert [sum(map(len, sample.values())) for sample in samples] == [7, 7, 7]
    assert samples[0] == samples[1] != samples[2]
    assert _sample(file, "locomo", Options(limit=31)) == {number: {0, 1, 2} for number in range(10)}


class _Domains:
    def __init__(self) -> None:
        self.deleted: list[str] = []

    def in_domain(self, name: str) -> _Domains:
        return self

    async def delete_domain(self, name: str) -> None:
        await anyio.lowlevel.checkpoint()
        self.deleted.append(name)


@pytest.mark.parametrize("keep", [False, True])
def test_sigterm_deletes_the_domain_unless_it_is_kept(keep: bool) -> None:
    memory = _Domains()

    async def run() -> None:
        options = Options(keep=keep)
        async with _new_domain(memory, "eval-1", _Totals(), options):  # pyright: ignore[reportArgumentType]
            os.kill(os.getpid(), signal.SIGTERM)
            await anyio.sleep(10)

    before = signal.getsignal(signal.SIGTERM)
    with pytest.raises(SystemExit) as ended, exit_on_sigterm():
        anyio.run(run)
    assert ended.value.code == 143
    assert memory.deleted == ([] if keep else ["eval-1"])
    assert signal.getsignal(signal.SIGTERM) == before


@pytest.mark.parametrize(
    ("timestamp", "time"),
    [
        ("2023-05-08T13:56:00", "2023-05-08T13:56:00+00:00"),
        ("2023-05-08T13:56:00+02:00", "2023-05-08T13:56:00+02:00"),
        ("May", None),
        (None, None),
    ],
)
def test_times_of_documents_are_in_utc_unless_they_have_a_zone(timestamp: str | None, time: str | None) -> None:
    document = RecalledDocument("d", "text", timestamp=timestamp)
    assert [event.get("timestamp") for event in _events_of(document)] == [time]
