"""Classifies the driver's errors, and converts them to GraphErrors."""

from __future__ import annotations

import logging
import ssl

from neo4j.exceptions import (
    AuthError,
    ConfigurationError,
    ConnectionAcquisitionTimeoutError,
    ConstraintError,
    DriverError,
    IncompleteCommit,
    Neo4jError,
    ServiceUnavailable,
    SessionExpired,
)

from graph_memory.model.errors import Code, GraphError, Hint
from graph_memory.model.text.wording import without_credentials
from graph_memory.model.values.arguments import invalid_argument

LOST = (ServiceUnavailable, SessionExpired, OSError)
"""Errors of a broken connection, or of a connection that could not be opened."""
UNREACHABLE = (ServiceUnavailable, OSError)
"""Errors of a server that does not answer. A cluster without a leader answers, and raises SessionExpired."""


class ServerMoved(ServiceUnavailable):
    """Raised if the server no longer listens at its address. Nothing was sent to the process that now listens there."""


_log = logging.getLogger(__name__)


def is_transient(error: BaseException) -> bool:
    """Return whether a retry can succeed after this error of the driver."""
    if _lacks_memory(error):
        return False
    if isinstance(error, (OSError, IncompleteCommit)) or is_locked_out(error):
        return True
    if _has_code(error, "EntityNotFound"):  # another writer deleted an entity while the statement was reading it
        return True
    return isinstance(error, (DriverError, Neo4jError)) and error.is_retryable()


def is_transient_at_start(error: BaseException) -> bool:
    """Return whether retrying the first connection can succeed because the server is still starting."""
    return isinstance(error, ServerMoved) or is_locked_out(error)


def is_login_error(error: BaseException) -> bool:
    """Return whether the server rejected the user or password. Another server may have taken over the address."""
    return isinstance(error, AuthError)


def is_locked_out(error: BaseException) -> bool:
    """Return whether the server temporarily rejects this user's logins because of failed logins."""
    return _has_code(error, "AuthenticationRateLimit")


def may_be_committed(error: BaseException) -> bool:
    """Return whether an auto-commit statement may have been committed although the connection or the commit failed."""
    was_sent = not isinstance(error, ServerMoved) and not str(error).startswith("Couldn't connect")
    return is_failed_commit(error) or (isinstance(error, LOST) and was_sent)


def is_failed_commit(error: BaseException) -> bool:
    """Return whether the database failed during a commit, usually because of a full disk. It then needs a restart."""
    code = (error.code or "") if isinstance(error, Neo4jError) else ""
    return code.startswith(_TRANSACTION_CODES) and not code.endswith("StartFailed")


_TRANSACTION_CODES = "Neo.DatabaseError.Transaction."
_TOO_LITTLE_MEMORY = "too little memory"


def rolled_itself_back(error: BaseException) -> bool:
    """Return whether a statement rolled itself back. It does so by dividing by zero."""
    return _has_code(error, "ArithmeticError")


def exceeds_resources(error: GraphError) -> bool:
    """Return whether the request exceeded the server's time or memory limit. A smaller request may succeed."""
    return error.code is Code.TIMEOUT or _TOO_LITTLE_MEMORY in error.message


def _lacks_memory(error: BaseException) -> bool:
    return _has_code(error, "OutOfMemory")


def _has_code(error: BaseException, part: str) -> bool:
    return isinstance(error, Neo4jError) and part in (error.code or "")


class translate_errors:  # noqa: N801
    """A context manager that converts the driver's errors to GraphErrors. Messages contain `uri` if it is given."""

    def __init__(self, uri: str = "") -> None:
        self._uri = uri

    def __enter__(self) -> None:
        return None

    def __exit__(self, exc_type: object, error: BaseException | None, trace: object) -> None:
        if isinstance(error, (DriverError, Neo4jError, OSError, ValueError)):
            raise graph_error_of(error, uri=self._uri) from error


def graph_error_of(
    error: BaseException, *, uri: str = "", in_doubt: bool = False, is_local: bool = False
) -> GraphError:
    """Return the GraphError for a driver's error. The driver's message is logged, but not shown to the caller."""
    _log.info("driver error: %r", error)
    server = f" at {without_credentials(uri)}" if uri else ""
    if in_doubt and not _has_stopped(error):
        hint = "Read the subject again before you repeat the change."
        return unavailable_error("Neo4j was lost during the commit; the change may or may not have been made", hint)
    if is_login_error(error):
        return unavailable_error(
            f"Neo4j{server} rejected the user name or password", _LOCAL_LOGIN if is_local else _LOGIN
        )
    if isinstance(error, (ConfigurationError, ValueError)) and uri:
        hint = "Set NEO4J_URI to a bolt:// or neo4j:// address, with +s or +ssc for TLS."
        return unavailable_error(f"Neo4j{server} cannot be used", hint)
    if _is_about_tls(error):
        hint = (
            "Use +s:// with a trusted certificate, +ssc:// with any certificate, or neither if the server has no TLS."
        )
        return unavailable_error(f"Neo4j{server} cannot be reached over TLS", hint)
    if isinstance(error, LOST):
        hint = Hint("Check that the server runs and NEO4J_URI is correct. Run {graph-memory doctor} to find the cause.")
        if "+s" in uri.partition("://")[0]:
            hint = Hint("{hint} For a server without TLS, use bolt:// or neo4j://, without +s.", hint=hint)
        return unavailable_error(f"Neo4j{server} cannot be reached", hint)
    if isinstance(error, ConnectionAcquisitionTimeoutError):
        hint = "Make fewer calls at once, or lower GRAPH_MEMORY_MAX_CALLS."
        return GraphError(Code.OVERLOADED, "All connections to Neo4j are in use", {"retry_after": 5, "hint": hint})
    if isinstance(error, Neo4jError):
        return _server_error(error, server, in_doubt=in_doubt)
    return GraphError(Code.INTERNAL, "The Neo4j driver reported an unexpected error", {"error": type(error).__name__})


def open_transaction_error(error: BaseException, seconds: float) -> GraphError:
    """Return the GraphError for the error that ended an open transaction. `seconds` is the transaction's time limit."""
    if isinstance(error, LOST) or (isinstance(error, DriverError) and not isinstance(error, ConfigurationError)):
        message = "The connection to Neo4j was lost before the commit, and nothing was changed"
        return GraphError(Code.TRANSACTION_LOST, message, {"hint": "Run the whole transaction again."})
    if _has_code(error, "TransactionTimedOut"):
        message = f"The transaction was open for more than {seconds:g} seconds; nothing was changed"
        hint = "Prepare data before you open the transaction, or raise the limit GRAPH_MEMORY_WRITE_TIMEOUT."
        return GraphError(Code.TIMEOUT, message, {"hint": hint})
    return graph_error_of(error)


_NOT_LUCENE = (
    *("queryparser.classic", "TooManyClauses", "IllegalArgumentException", "TooComplexToDeterminize"),
    "StackOverflowError",
)
"""Parts of Lucene's error messages for invalid or too complex queries."""
_LUCENE = (
    'Close quotes and brackets, complete AND, OR and NOT, and put a backslash before + - && || ! ( ) { } [ ] ^ " ~ * '
    "? : / and \\ if they are meant as text. Or omit syntax."
)
_LOGIN = "Set NEO4J_USERNAME and NEO4J_PASSWORD."
_LOCAL_LOGIN = "If you changed its password, write the new password to `neo4j/run/password` in the home folder."


def _is_about_tls(error: BaseException | None) -> bool:
    while error is not None and not isinstance(error, ssl.SSLError):
        error = error.__cause__ or error.__context__
    return error is not None


def _has_stopped(error: BaseException) -> bool:
    return isinstance(error, Neo4jError) and (error.code or "").startswith(_TRANSACTION_CODES)


def _stopped_database_error(error: BaseException, server: str, *, in_doubt: bool) -> GraphError:
    """Return the STORE_UNAVAILABLE error for a database that needs a restart, usually because the disk is full."""
    hint = Hint("Free some disk space, then restart Neo4j; for the local one, {graph-memory neo4j stop} is enough.")
    if not in_doubt and not is_failed_commit(error):
        return unavailable_error(f"Neo4j{server} has stopped serving this database after a failure", hint)
    message = f"Neo4j{server} failed during the commit; the change may or may not have been made"
    return unavailable_error(message, Hint("{hint} Read the subject again before you repeat the change.", hint=hint))


def unavailable_error(message: str, hint: str) -> GraphError:
    """Return a STORE_UNAVAILABLE error with this message and hint."""
    return GraphError(Code.STORE_UNAVAILABLE, message, {"hint": hint})


def _server_error(error: Neo4jError, server: str, *, in_doubt: bool) -> GraphError:
    code = error.code or ""
    if "TransactionTimedOut" in code:
        hint = "Narrow the request, or raise GRAPH_MEMORY_READ_TIMEOUT or GRAPH_MEMORY_WRITE_TIMEOUT."
        return GraphError(Code.TIMEOUT, "Neo4j stopped the statement at its time limit", {"hint": hint})
    if _lacks_memory(error):
        hint = "Make the change smaller, or increase Neo4j's memory: GRAPH_MEMORY_NEO4J_HEAP for the local one."
        return unavailable_error(f"Neo4j{server} has {_TOO_LITTLE_MEMORY} for this change; nothing was changed", hint)
    if _has_stopped(error):
        return _stopped_database_error(error, server, in_doubt=in_doubt)
    if "DatabaseNotFound" in code:
        return unavailable_error(f"Neo4j{server} has no such database", "Set NEO4J_DATABASE to an existing database.")
    is_index_gone = "schema index" in (error.message or "")
    if (
        "ProcedureCallFailed" in code
        and not is_index_gone
        and any(text in (error.message or "") for text in _NOT_LUCENE)
    ):
        return invalid_argument("query", "The query is not valid Lucene syntax", _LUCENE)
    if "IndexNotFound" in code or ("ProcedureCallFailed" in code and "index" in (error.message or "")):
        hint = Hint("Run {graph-memory rebuild} to create it, or {graph-memory doctor} to list all missing indexes.")
        return GraphError(Code.STORE_INCOMPATIBLE, "The database lacks an index that this call needs", {"hint": hint})
    if isinstance(error, ConstraintError) or "ConstraintCreationFailed" in code:
        hint = Hint("Run {graph-memory verify} to see where the graph and its log differ.")
        return GraphError(Code.STORE_CONFLICT, "The database contains data that is not in the log", {"hint": hint})
    if "DeadlockDetected" in code or "LockClient" in code or "LockAcquisition" in code:
        return GraphError(
            Code.DOMAIN_BUSY, "Too many writers are waiting for this domain", {"hint": "Try again in a moment."}
        )
    if is_locked_out(error):
        hint = "Try again in a few seconds, and look in the server's log for repeated logins with wrong passwords."
        return unavailable_error(f"Neo4j{server} is refusing logins after too many failed attempts", hint)
    if code.startswith("Neo.ClientError.Security."):
        hint = "Give the user the privileges of the role `architect`, and a password that has not expired."
        return unavailable_error(f"Neo4j{server} does not allow this user to run the operation", hint)
    if error.is_retryable():
        hint = Hint(
            "Try again in a moment; if it still fails, find the cause with {graph-memory neo4j logs} or in debug.log."
        )
        return unavailable_error(f"Neo4j{server} is not available right now", hint)
    return GraphError(Code.INTERNAL, "Neo4j rejected a statement", {"neo4j_code": code})
