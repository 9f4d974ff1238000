"""What the acknowledged writes of a domain must have made of it, one after the other in the order of their versions."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

Told = dict[str, Any]


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

    there: dict[str, Subject] = field(default_factory=dict)

    def add(self, lines: Iterable[Told]) -> Ledger:
        """Make the acknowledged writes, in the order of their versions."""
        for line in sorted(lines, key=lambda line: line["version"]):
            {"create": self._create, "update": self._update, "delete": self._delete}[line["op"]](line)
        return self

    def named(self, kind: str) -> set[str]:
        """Return the names of the types of a kind that were added."""
        return {one.partition("/")[2] for one in self.there if one.startswith(f"{kind}/")}

    @property
    def connections(self) -> dict[str, Subject]:
        return {one: subject for one, subject in self.there.items() if subject.ends}

    @property
    def nodes(self) -> dict[str, Subject]:
        return {one: subject for one, subject in self.there.items() if subject.type and not subject.ends}

    def _create(self, line: Told) -> None:
        one = Subject(line["type"], line["has"], line["version"], tuple(line.get("ends", ())))
        assert line["subject"] not in self.there, line
        assert all(end in self.there for end in one.ends), f"an end was gone: {line}"
        self._check_unique(one)
        self._check_chain(one)
        self.there[line["subject"]] = one

    def _update(self, line: Told) -> None:
        assert line["subject"] in self.there, f"it was gone: {line}"
        one = self.there[line["subject"]]
        if "count" in line["has"]:
            assert line["has"]["count"] == one.has["count"] + 1, f"an update was lost: {line}"
        one.has, one.version = one.has | line["has"], line["version"]

    def _delete(self, line: Told) -> None:
        assert line["subject"] in self.there, f"it was gone: {line}"
        del self.there[line["subject"]]
        for one in [one for one, other in self.there.items() if line["subject"] in other.ends]:
            del self.there[one]

    def _check_unique(self, one: Subject) -> None:
        if one.type == "Ticket" and "code" in one.has:
            tickets = (other for other in self.there.values() if other.type == "Ticket")
            assert one.has["code"] not in [other.has.get("code") for other in tickets], f"taken: {one}"

    def _check_chain(self, one: Subject) -> None:
        """A step is followed by one other at most, and follows one, and no chain of steps leads back."""
        if one.type == "Then":
            then = dict(other.ends for other in self.there.values() if other.type == "Then")
            place = one.ends[1]
            while place in then:
                place = then[place]
            assert one.ends[0] not in then, f"two follow one step: {one}"
            assert one.ends[1] not in then.values(), f"one step follows two: {one}"
            assert place != one.ends[0], f"a cycle: {one}"
