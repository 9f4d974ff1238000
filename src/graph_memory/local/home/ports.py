"""Ports on the loopback interface: which are free, and whether a Bolt server answers on one."""

from __future__ import annotations

import socket
import sys

from graph_memory.model.errors import Code, GraphError

HOST = "127.0.0.1"
_HELLO = bytes.fromhex("6060B017") + bytes.fromhex("00080805") + bytes(12)  # the magic, then: 5.0 to 5.8, nothing else


def speaks_bolt(port: int, timeout: float = 1.0) -> bool:
    """Tell whether a server on this machine answers a Bolt handshake on the port within the seconds given."""
    try:
        with socket.create_connection((HOST, port), timeout) as connection:
            connection.settimeout(timeout)
            connection.sendall(_HELLO)
            agreed = _received(connection, 4)
            return len(agreed) == 4 and any(agreed)
    except OSError:
        return False


def accepts(port: int) -> bool:
    """Tell whether anything on this machine listens on the port."""
    try:
        with socket.create_connection((HOST, port), 1.0):
            return True
    except OSError:
        return False


def is_free(port: int) -> bool:
    """Tell whether a server could listen on the port now."""
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as probe:
        _refuse_sharing(probe)
        try:
            probe.bind((HOST, port))
        except OSError:
            return False
    return True


def choose_port(wanted: int, preferred: tuple[int, ...], setting: str) -> int:
    """Give the wanted port, else the first free one of the preferred, else any free one.

    STORE_UNAVAILABLE when a wanted port (not 0) is taken; `setting` is the name that the remedy gives.
    """
    if wanted and not is_free(wanted):
        hint = f"Stop what is listening there, or set {setting} to another port, or to 0 for any free one."
        raise GraphError(Code.STORE_UNAVAILABLE, f"port {wanted} is taken", {"hint": hint, "port": wanted})
    return wanted or next((port for port in preferred if is_free(port)), 0) or any_free()


def any_free() -> int:
    """Give a port that nobody listens on."""
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as probe:
        probe.bind((HOST, 0))
        return int(probe.getsockname()[1])


def _refuse_sharing(probe: socket.socket) -> None:
    if sys.platform == "win32":
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_EXCLUSIVEADDRUSE, 1)
    else:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)  # a port in TIME_WAIT is free


def _received(connection: socket.socket, size: int) -> bytes:
    answer = b""
    while len(answer) < size and (block := connection.recv(size - len(answer))):
        answer += block
    return answer
