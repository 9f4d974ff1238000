"""The files in the folder of a local Neo4j, and the record of its running server."""

from __future__ import annotations

import json
import secrets
import shutil
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Annotated, ClassVar

from pydantic import ConfigDict, Field

from graph_memory.files import make_private_folder, sync_folder, write_private
from graph_memory.local.home.notes import read_json, read_start
from graph_memory.settings import Settings

USERNAME = "neo4j"
_MAX_BYTES = 1 << 16
"""Maximum number of bytes read from a file."""

Port = Annotated[int, Field(ge=1, le=65535)]
Version = Annotated[str, Field(pattern=r"^[0-9A-Za-z][0-9A-Za-z._-]{0,99}$")]
Pid = Annotated[int, Field(ge=1, lt=1 << 31)]
Moment = Annotated[float, Field(ge=0, lt=1 << 33, allow_inf_nan=False)]


@dataclass(frozen=True)
class HomeFolder:
    """The folder of a local Neo4j. At most one server runs in it."""

    root: Path

    @classmethod
    def of(cls, settings: Settings) -> HomeFolder:
        """Return the Neo4j folder within the settings' home folder, as a resolved path."""
        return cls(settings.home.expanduser().resolve() / "neo4j")

    @property
    def parent(self) -> Path:
        """The home folder of graph-memory, which also contains the blobs."""
        return self.root.parent

    @property
    def lock(self) -> Path:
        """The lock file of processes that start or stop the server."""
        return self.root / "run" / "lock"

    @property
    def run_file(self) -> Path:
        """The file with the record of the running server, or with the ports of the previous server."""
        return self.root / "run" / "server.json"

    @property
    def password_file(self) -> Path:
        """The file with the generated password on one line."""
        return self.root / "run" / "password"

    @property
    def java_arguments(self) -> Path:
        """The argument file with the class path, which is too long for a Windows command line."""
        return self.root / "run" / "java.args"

    @property
    def conf(self) -> Path:
        """The folder that contains neo4j.conf."""
        return self.root / "conf"

    @property
    def console_log(self) -> Path:
        """The log file with the standard output of the server and its JVM."""
        return self.root / "logs" / "console.log"

    @property
    def debug_log(self) -> Path:
        """Neo4j's debug log, with one JSON object per line."""
        return self.root / "logs" / "debug.log"

    @property
    def aot_log(self) -> Path:
        """The log file with the JVM's warnings about the AOT cache at the last start.

        It is missing if no cache was used.
        """
        return self.root / "logs" / "aot.log"

    @property
    def temporary(self) -> Path:
        """The folder for the temporary files of the server's JVM. The files remain if the server is killed."""
        return self.root / "tmp"

    @property
    def data(self) -> Path:
        """The folder of the databases."""
        return self.root / "data"

    @property
    def first_start_mark(self) -> Path:
        """A file that exists until the first start has succeeded. Before that, `data` contains no user data."""
        return self.root / "run" / "beginning"

    @property
    def unfinished_data(self) -> Path:
        """The folder for the databases of a first start that failed."""
        return self.root / "data.unfinished"

    def make_folders(self) -> None:
        """Create the folders for Neo4j, or make existing folders accessible only to the owner."""
        for folder in (self.root, self.lock.parent, self.conf, self.console_log.parent, self.temporary):
            make_private_folder(folder)
            folder.chmod(0o700)

    def empty_temporary(self) -> None:
        """Remove the temporary files of the previous server process, which must have ended."""
        shutil.rmtree(self.temporary, ignore_errors=True)
        make_private_folder(self.temporary)

    def prepare_start(self) -> None:
        """Prepare the databases' folder for a start.

        If a first start was killed, move its databases away, because Neo4j cannot recover them. If there are no
        databases yet, mark the start as the first.
        """
        if self.first_start_mark.exists():
            if self.data.exists():
                shutil.rmtree(self.unfinished_data, ignore_errors=True)
                self.data.rename(self.unfinished_data)
        elif not self.data.exists():
            write_private(self.first_start_mark, "")

    def finish_first_start(self) -> None:
        """Record that the first start succeeded, so that later starts keep the databases."""
        if self.first_start_mark.exists():
            self.first_start_mark.unlink()
            sync_folder(self.first_start_mark.parent)

    def password(self) -> str | None:
        """Return the generated password, or None if its file is missing, empty or not text."""
        try:
            return read_start(self.password_file, _MAX_BYTES).decode("utf-8").strip() or None
        except (FileNotFoundError, UnicodeDecodeError):
            return None

    def generate_password(self) -> str:
        """Generate a password, save it, and return it."""
        password = secrets.token_hex(20)  # no special characters of a shell or a URL
        self.save_password(password)
        return password

    def save_password(self, password: str) -> None:
        """Write the password to the password file, which only the owner can read."""
        write_private(self.password_file, password + "\n")


@dataclass(frozen=True)
class Run:
    """The record of a server: its ports, its version and, once started, its process.

    `created` is the process's start time in seconds since the epoch. It shows whether another process has reused the
    pid. `ready` means that the server has answered on its Bolt port.
    """

    __pydantic_config__: ClassVar = ConfigDict(strict=True, extra="forbid")

    bolt_port: Port
    http_port: Port
    version: Version
    pid: Pid | None = None
    created: Moment = 0.0
    ready: bool = False

    def without_process(self) -> Run:
        """Return the record without its process. It keeps the ports for the next start."""
        return replace(self, pid=None, created=0.0, ready=False)

    def save(self, home: HomeFolder) -> None:
        """Write the record to the home folder's run file atomically."""
        write_private(home.run_file, json.dumps(asdict(self)))


def read_run(home: HomeFolder) -> Run | None:
    """Return the record in the home folder's run file, or None if the file is missing or invalid."""
    try:
        return read_json(read_start(home.run_file, _MAX_BYTES), Run)
    except FileNotFoundError:
        return None
