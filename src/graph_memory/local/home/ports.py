"""Selects free ports on the loopback interface, and checks whether a Bolt server answers on a port."""

from __future__ import annotations

import socket
import sys

from graph_memory.model.errors import Code, GraphError

HOST = "127.0.0.1"
_HANDSHAKE = (
    bytes.fromhex("6060B017") + bytes.fromhex("00080805") + bytes(12)
)  # the magic bytes, then the versions: 5.0 to 5.8


def speaks_bolt(port: int, timeout: float = 1.0) -> bool:
    """Return whether a server on this machine answers a Bolt handshake on the port within `timeout` seconds."""
    try:
        with socket.create_connection((HOST, port), timeout) as connection:
            connection.settimeout(timeout)
            connection.sendall(_HANDSHAKE)
            agreed_version = _receive(connection, 4)
            return len(agreed_version) == 4 and any(agreed_version)
    except OSError:
        return False


def accepts_connections(port: int) -> bool:
    """Return whether a process on this machine accepts connections on the port."""
    try:
        with socket.create_connection((HOST, port), 1.0):
            return True
    except OSError:
        return False


def is_free(port: int) -> bool:
    """Return whether a server could listen on the port now."""
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as probe:
        if sys.platform == "win32":
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_EXCLUSIVEADDRUSE, 1)
        else:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)  # a port in TIME_WAIT is free
        try:
            probe.bind((HOST, port))
        except OSError:
            return False
    return True


def choose_port(configured: int, preferred: tuple[int, ...], setting: str) -> int:
    """Return the configured port. If it is 0, return the first free preferred port, or otherwise any free port.

    Raises STORE_UNAVAILABLE if the configured port is in use. The hint then mentions `setting`, the name of the
    setting.
    """
    if configured and not is_free(configured):
        hint = f"Stop the program that listens there, or set {setting} to another port, or to 0 for any free port."
        raise GraphError(Code.STORE_UNAVAILABLE, f"Port {configured} is taken", {"hint": hint, "port": configured})
    return configured or next((port for port in preferred if is_free(port)), 0) or find_free_port()


def find_free_port() -> int:
    """Return a port on the loopback interface that is now free."""
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as probe:
        probe.bind((HOST, 0))
        return int(probe.getsockname()[1])


def _receive(connection: socket.socket, size: int) -> bytes:
    answer = b""
    while len(answer) < size and (block := connection.recv(size - len(answer))):
        answer += block
    return answer
