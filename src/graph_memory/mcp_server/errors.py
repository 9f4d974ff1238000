"""Converts unexpected errors to errors with a code and a next step for the agent."""

from __future__ import annotations

import logging
import uuid
from collections.abc import Generator
from contextlib import contextmanager

from graph_memory.model.errors import Code, GraphError, unusable_path_error, unwrap_single

logger = logging.getLogger(__name__)


@contextmanager
def mask_internal_errors() -> Generator[None]:
    """Convert errors other than GraphError to INTERNAL. The log contains the traceback under the error's id."""
    try:
        yield
    except GraphError:
        raise
    except Exception as error:  # the client must get an answer, whatever failed
        raise _mask_error(error) from error


def _mask_error(error: BaseException) -> GraphError:
    error = unwrap_single(error)
    if isinstance(error, GraphError):
        return error
    if isinstance(error, OSError):
        return unusable_path_error(error)
    log_id = f"fault_{uuid.uuid4().hex[:12]}"
    logger.error("Unexpected failure %s", log_id, exc_info=error)
    hint = "Your arguments did not cause it. Give this id to the operator of the server, whose log has the details."
    return GraphError(
        Code.INTERNAL, f"Internal error in graph-memory, logged as {log_id}", {"id": log_id, "hint": hint}
    )
