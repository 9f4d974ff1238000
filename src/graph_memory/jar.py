"""A jar in a Maven repository."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Jar:
    """A jar's Maven coordinates, and its expected SHA-256 and size in bytes."""

    group: str
    artifact: str
    version: str
    classifier: str
    sha256: str
    size: int

    @property
    def path(self) -> str:
        """The jar's path relative to the root of a Maven repository, with forward slashes."""
        suffix = f"-{self.classifier}" if self.classifier else ""
        name = f"{self.artifact}-{self.version}{suffix}.jar"
        return "/".join((*self.group.split("."), self.artifact, self.version, name))

    @property
    def coordinates(self) -> str:
        """`group:artifact:version`, followed by `:classifier` if there is one."""
        return ":".join(part for part in (self.group, self.artifact, self.version, self.classifier) if part)
