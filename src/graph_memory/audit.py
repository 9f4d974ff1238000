"""The audit log: one line of JSON per administrative action, and per call rejected for missing rights.

Lines contain no secrets. They are logged at level INFO, and written to a file if the settings name one.
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
"""The id that the client gave to the current request."""
MAX_TARGET_CHARACTERS = 1_000
"""Maximum number of recorded characters of an action's target."""
_OWNER = Origin()
_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class AuditLog:
    """Writes the audit log to the logger and, if set, to `file`."""

    file: Path | None = None

    @contextmanager
    def act(
        self, act: str, target: str, *, domain: str | None = None, origin: Origin = _OWNER, dry_run: bool = False
    ) -> Generator[None]:
        """Record the administrative action in the `with` block and, if it fails, its error code.

        If the action fails, its target is recorded only if it looks like a name or an id, because callers may pass any
        text. Dry runs are not recorded. The server itself records calls that lack rights.
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
            target=without_secrets(target)[:MAX_TARGET_CHARACTERS] if is_name else None,
            outcome=outcome,
            actor=origin.actor,
            key=None if caller is None else caller.principal.name,
            session=origin.session,
            request=REQUEST.get(),
        )

    def record(self, **fields: str | None) -> None:
        """Write a line with these fields, the time, and the user of this process. Fields that are None are omitted.

        If the file cannot be written, log an error instead of raising it, because the action has already happened.
        """
        values = {name: value for name, value in fields.items() if value is not None}
        line = json.dumps({"time": rfc3339(datetime.now(UTC)), "event": "audit", "user": _user(), **values})
        _log.info(line)
        if self.file is not None:
            try:
                append_private(self.file, f"{line}\n".encode())
            except OSError as error:
                _log.error("The audit log %s cannot be written: %s", self.file, error.strerror)


def _user() -> str | None:
    """Return the name of the operating system user that runs this process, or None if the user has no name."""
    try:
        return getpass.getuser()
    except (KeyError, OSError):
        return None
