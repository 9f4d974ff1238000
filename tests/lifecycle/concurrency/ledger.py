"""The state of a domain after its acknowledged writes, applied in the order of their versions."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

Report = dict[str, Any]


@dataclass
class Subject:
    """A node, connection or type as its last acknowledged write left it."""

    type: str | None
    has: dict[str, Any]
    version: int
    ends: tuple[str, ...] = ()


@dataclass
class Ledger:
    """The domain as it must be. An acknowledgement that could not have been given here fails."""

    living: dict[str, Subject] = field(default_factory=dict)

    def add(self, lines: Iterable[Report]) -> Ledger:
        """Make the acknowledged writes, in the order of their versions."""
        for line in sorted(lines, key=lambda line: line["version"]):
            {"create": self._create, "update": self._update, "delete": self._delete}[line["op"]](line)
        return self

    def type_names(self, kind: str) -> set[str]:
        """Return the names of the types of a kind that were added."""
        return {text.partition("/")[2] for text in self.living if text.startswith(f"{kind}/")}

    @property
    def connections(self) -> dict[str, Subject]:
        return {name: subject for name, subject in self.living.items() if subject.ends}

    @property
    def nodes(self) -> dict[str, Subject]:
        return {name: subject for name, subject in self.living.items() if subject.type and not subject.ends}

    def _create(self, line: Report) -> None:
        subject = Subject(line["type"], line["has"], line["version"], tuple(line.get("ends", ())))
        assert line["subject"] not in self.living, line
        assert all(end in self.living for end in subject.ends), f"an end was gone: {line}"
        self._check_unique(subject)
        self._check_chain(subject)
        self.living[line["subject"]] = subject

    def _update(self, line: Report) -> None:
        assert line["subject"] in self.living, f"it was gone: {line}"
        subject = self.living[line["subject"]]
        if "count" in line["has"]:
            assert line["has"]["count"] == subject.has["count"] + 1, f"an update was lost: {line}"
        subject.has, subject.version = subject.has | line["has"], line["version"]

    def _delete(self, line: Report) -> None:
        assert line["subject"] in self.living, f"it was gone: {line}"
        del self.living[line["subject"]]
        for text in [name for name, other in self.living.items() if line["subject"] in other.ends]:
            del self.living[text]

    def _check_unique(self, subject: Subject) -> None:
        if subject.type == "Ticket" and "code" in subject.has:
            tickets = (other for other in self.living.values() if other.type == "Ticket")
            assert subject.has["code"] not in [other.has.get("code") for other in tickets], f"taken: {subject}"

    def _check_chain(self, subject: Subject) -> None:
        """A step is followed by one other at most, and follows one, and no chain of steps leads back."""
        if subject.type == "Then":
            then = dict(other.ends for other in self.living.values() if other.type == "Then")
            place = subject.ends[1]
            while place in then:
                place = then[place]
            assert subject.ends[0] not in then, f"two follow one step: {subject}"
            assert subject.ends[1] not in then.values(), f"one step follows two: {subject}"
            assert place != subject.ends[0], f"a cycle: {subject}"
