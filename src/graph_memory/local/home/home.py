"""Where the local Neo4j keeps what it keeps, and what is written down about the one that runs."""

from __future__ import annotations

import json
import secrets
import shutil
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Annotated, ClassVar

from pydantic import ConfigDict, Field

from graph_memory.files import make_private_folder, sync_folder, write_private
from graph_memory.local.home.notes import beginning_of, read_json
from graph_memory.settings import Settings

USERNAME = "neo4j"
_LARGEST = 1 << 16
"""Bytes beyond which a file that we write is none of ours."""

Port = Annotated[int, Field(ge=1, le=65535)]
Version = Annotated[str, Field(pattern=r"^[0-9A-Za-z][0-9A-Za-z._-]{0,99}$")]
Pid = Annotated[int, Field(ge=1, lt=1 << 31)]
Moment = Annotated[float, Field(ge=0, lt=1 << 33, allow_inf_nan=False)]


@dataclass(frozen=True)
class Home:
    """The folder of one local Neo4j. One database server at most runs in it."""

    root: Path

    @classmethod
    def of(cls, settings: Settings) -> Home:
        """Give the place in the settings' home, by its one real path."""
        return cls(settings.home.expanduser().resolve() / "neo4j")

    @property
    def home(self) -> Path:
        """The home that it is in, which also holds the blobs."""
        return self.root.parent

    @property
    def lock(self) -> Path:
        """Locked while somebody starts or stops the server."""
        return self.root / "run" / "lock"

    @property
    def run_file(self) -> Path:
        """What is known of the running server, and the ports of the last one."""
        return self.root / "run" / "server.json"

    @property
    def password_file(self) -> Path:
        """The generated password, on one line."""
        return self.root / "run" / "password"

    @property
    def java_arguments(self) -> Path:
        """The class path as an argument file: too long for a Windows command line."""
        return self.root / "run" / "java.args"

    @property
    def conf(self) -> Path:
        """The folder of neo4j.conf."""
        return self.root / "conf"

    @property
    def console_log(self) -> Path:
        """What the server and its Java write to their output."""
        return self.root / "logs" / "console.log"

    @property
    def debug_log(self) -> Path:
        """What Neo4j writes for those who look for a fault, a JSON object a line."""
        return self.root / "logs" / "debug.log"

    @property
    def aot_log(self) -> Path:
        """What Java says of the AOT cache that the last start offered it; not there when none was offered."""
        return self.root / "logs" / "aot.log"

    @property
    def temporary(self) -> Path:
        """What the server's Java and its libraries need while they run; a killed one leaves it behind."""
        return self.root / "tmp"

    @property
    def data(self) -> Path:
        """The databases."""
        return self.root / "data"

    @property
    def beginning(self) -> Path:
        """There until the first start succeeded. What `data` holds until then nobody has written into."""
        return self.root / "run" / "beginning"

    @property
    def unfinished(self) -> Path:
        """The databases of a first start that broke off."""
        return self.root / "data.unfinished"

    def make(self) -> None:
        """Make the folders."""
        for folder in (self.root, self.lock.parent, self.conf, self.console_log.parent, self.temporary):
            make_private_folder(folder)
            folder.chmod(0o700)

    def empty_temporary(self) -> None:
        """Remove what the last server left in its temporary folder; it must have ended."""
        shutil.rmtree(self.temporary, ignore_errors=True)
        make_private_folder(self.temporary)

    def begin(self) -> None:
        """Make ready for a start: Neo4j cannot recover from a first start that was killed, so that one begins anew."""
        if self.beginning.exists():
            self._set_unfinished_aside()
        elif not self.data.exists():
            write_private(self.beginning, "")

    def begun(self) -> None:
        """Note that the first start succeeded: from now on the databases are kept, come what may."""
        if self.beginning.exists():
            self.beginning.unlink()
            sync_folder(self.beginning.parent)

    def _set_unfinished_aside(self) -> None:
        if self.data.exists():
            shutil.rmtree(self.unfinished, ignore_errors=True)
            self.data.rename(self.unfinished)

    def password(self) -> str | None:
        """Give the generated password, or None before there is one, and where the file holds no text."""
        try:
            return beginning_of(self.password_file, _LARGEST).decode("utf-8").strip() or None
        except (FileNotFoundError, UnicodeDecodeError):
            return None

    def new_password(self) -> str:
        """Generate a password and keep it."""
        password = secrets.token_hex(20)  # no character that a command line or a URL could take for something else
        self.keep_password(password)
        return password

    def keep_password(self, password: str) -> None:
        """Have it be the password from now on."""
        write_private(self.password_file, password + "\n")


@dataclass(frozen=True)
class Run:
    """What is written down about a server: its ports always, its process once there is one.

    `created` is the process's start in seconds since the epoch, so that a pid used again is not taken for ours;
    `ready` says that it answered once on its own port.
    """

    __pydantic_config__: ClassVar = ConfigDict(strict=True, extra="forbid")

    bolt_port: Port
    http_port: Port
    version: Version
    pid: Pid | None = None
    created: Moment = 0.0
    ready: bool = False

    def stopped(self) -> Run:
        """Give the same without its process: the ports are remembered for the next start."""
        return replace(self, pid=None, created=0.0, ready=False)

    def save(self, place: Home) -> None:
        """Write it down, whole or not at all."""
        write_private(place.run_file, json.dumps(asdict(self)))


def read_run(place: Home) -> Run | None:
    """Give what was written down; None when nothing was, or nothing that a server of ours could have."""
    try:
        return read_json(beginning_of(place.run_file, _LARGEST), Run)
    except FileNotFoundError:
        return None
