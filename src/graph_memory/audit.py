"""The audit log: a line of JSON for each act of administration, and for each call refused for lack of rights.

Lines have no secrets. They go to a logger at level INFO, and to a file if the settings name one.
"""

from __future__ import annotations

import getpass
import json
import logging
from collections.abc import Generator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from graph_memory.files import append_private
from graph_memory.model.errors import Code, GraphError
from graph_memory.model.events import Origin, is_generated_id
from graph_memory.model.rights import CALLER, without_secrets
from graph_memory.model.time.clock import rfc3339
from graph_memory.model.values.arguments import is_domain

REQUEST: ContextVar[str | None] = ContextVar("request", default=None)
"""The id that the client of a server gave the running request."""
MOST_OF_TARGET = 1_000
"""Maximum number of characters of a target that are recorded."""
_OWNER = Origin()
_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class AuditLog:
    """Writes the audit log, also to the file if there is one."""

    file: Path | None = None

    @contextmanager
    def act(
        self, act: str, target: str, *, domain: str | None = None, origin: Origin = _OWNER, dry_run: bool = False
    ) -> Generator[None]:
        """Record that the block did an act, with the code of its error if it failed. A dry run is no act.

        If the act failed, its target is recorded only if it has the form of a name or an id, because callers may pass
        any text. Of a call that is refused for lack of rights, the server records the refusal.
        """
        outcome = "interrupted"
        try:
            yield
            outcome = "ok"
        except GraphError as error:
            outcome = str(error.code)
            raise
        finally:
            is_refused_call = outcome == Code.INSUFFICIENT_RIGHTS and CALLER.get() is not None
            if not dry_run and not is_refused_call:
                self._record_act(act, target, outcome, domain, origin)

    def _record_act(self, act: str, target: str, outcome: str, domain: str | None, origin: Origin) -> None:
        caller = CALLER.get()
        is_name = outcome in ("ok", "interrupted") or is_generated_id(target) or is_domain(target)
        self.record(
            act=act,
            domain=domain,
            target=without_secrets(target)[:MOST_OF_TARGET] if is_name else None,
            outcome=outcome,
            actor=origin.actor,
            key=None if caller is None else caller.principal.name,
            session=origin.session,
            request=REQUEST.get(),
        )

    def record(self, **fields: str | None) -> None:
        """Write a line with these fields, the time, and the user of this process. Fields without a value are omitted.

        If the file cannot be written, an error is logged, because the act has already happened.
        """
        known = {name: value for name, value in fields.items() if value is not None}
        line = json.dumps({"time": rfc3339(datetime.now(UTC)), "event": "audit", "user": _user(), **known})
        _log.info(line)
        if self.file is not None:
            try:
                append_private(self.file, f"{line}\n".encode())
            except OSError as error:
                _log.error("The audit log %s cannot be written: %s", self.file, error.strerror)


def _user() -> str | None:
    """Return the user of the operating system that runs this process, or None if it has no name."""
    try:
        return getpass.getuser()
    except (KeyError, OSError):
        return None
