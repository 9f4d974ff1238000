"""Converts errors into errors that an agent can act on."""

from __future__ import annotations

import logging
import uuid
from collections.abc import Generator
from contextlib import contextmanager

from graph_memory.model.errors import Code, GraphError, unusable_path, unwrap_single

logger = logging.getLogger(__name__)


@contextmanager
def masking() -> Generator[None]:
    """Replace errors other than GraphError by INTERNAL with an id, under which the traceback is logged."""
    try:
        yield
    except GraphError:
        raise
    except Exception as error:  # this is the edge of the server: a client gets an answer, whatever failed
        raise _mask_error(error) from error


def _mask_error(error: BaseException) -> GraphError:
    error = unwrap_single(error)
    if isinstance(error, GraphError):
        return error
    if isinstance(error, OSError):
        return unusable_path(error)
    log_id = f"fault_{uuid.uuid4().hex[:12]}"
    logger.error("Unexpected failure %s", log_id, exc_info=error)
    hint = "The arguments are not at fault. Give this id to the operator of the server: its log has the details."
    return GraphError(
        Code.INTERNAL, f"Internal error in graph-memory, logged as {log_id}", {"id": log_id, "hint": hint}
    )
