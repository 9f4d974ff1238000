"""Every failure becomes one that an agent can act on."""

from __future__ import annotations

import logging
import uuid
from collections.abc import Generator
from contextlib import contextmanager

from graph_memory.model.errors import Code, GraphError, single, unusable_place

logger = logging.getLogger(__name__)


@contextmanager
def masking() -> Generator[None]:
    """Raise a GraphError as it is, and any other exception as INTERNAL, with its traceback in the log under an id."""
    try:
        yield
    except GraphError:
        raise
    except Exception as error:  # the edge of the server: a client gets an answer whatever failed
        raise _masked(error) from error


def _masked(error: BaseException) -> GraphError:
    error = single(error)
    if isinstance(error, GraphError):
        return error
    if isinstance(error, OSError):
        return unusable_place(error)
    fault = f"fault_{uuid.uuid4().hex[:12]}"
    logger.error("Unexpected failure %s", fault, exc_info=error)
    hint = "The arguments are not at fault. Give this id to whoever runs the server: its log says more."
    return GraphError(Code.INTERNAL, f"Internal error in graph-memory, logged as {fault}", {"id": fault, "hint": hint})
