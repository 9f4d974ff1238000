"""Fetches jars from the local Maven repository, or else from the public repository that `jgo` uses."""

from __future__ import annotations

import hashlib
import os
import shutil
import ssl
import time
from pathlib import Path
from typing import Any

import requests
import truststore
from requests.adapters import HTTPAdapter

from graph_memory.files import sha256_of
from graph_memory.jar import Jar

FIRST_PAUSE = 0.3
_ATTEMPTS = 4
_TIMEOUT = (10, 60)
_BLOCK = 1 << 18
_TEMPORARY_STATUSES = frozenset({408, 429, 500, 502, 503, 504})
THREADS = 16


class DownloadError(Exception):
    """Raised if a jar cannot be fetched, or has the wrong checksum."""


class _SystemTrust(HTTPAdapter):
    """An adapter that trusts the system's certificate authorities, as pip does, and the authorities of `requests`."""

    def __init__(self) -> None:
        self._context = truststore.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        super().__init__(pool_maxsize=THREADS)

    def build_connection_pool_key_attributes(
        self,
        request: requests.PreparedRequest,
        verify: bool | str,
        cert: str | tuple[str, str] | None = None,
    ) -> tuple[dict[str, Any], dict[str, Any]]:
        host, pool = super().build_connection_pool_key_attributes(request, verify, cert)
        return host, {**pool, "ssl_context": self._context}


def open_session() -> requests.Session:
    """Return a session with connections for `THREADS` threads. Use it in a `with` statement, which closes it."""
    session = requests.Session()
    session.mount("https://", _SystemTrust())
    return session


def obtain(jar: Jar, target: Path, connections: requests.Session) -> None:
    """Fetch a jar to `target` atomically, and verify its checksum. Raises DownloadError if that fails."""
    if target.is_file() and sha256_of(target) == jar.sha256:
        return
    target.parent.mkdir(parents=True, exist_ok=True)
    partial_file = target.with_name(f"{target.name}.part")
    sha256 = _copy_local(jar, partial_file) or fetch(jar.path, partial_file, connections)
    if sha256 != jar.sha256:
        partial_file.unlink()
        raise DownloadError(f"{jar.coordinates} has the wrong checksum {sha256}, not {jar.sha256}")
    partial_file.replace(target)


def fetch(path: str, partial_file: Path, connections: requests.Session) -> str:
    """Download a file from the public repository to `partial_file`, with retries.

    Returns the file's SHA-256. Raises DownloadError if all attempts fail.
    """
    from jgo.constants import MAVEN_CENTRAL_URL

    for pause in (*(FIRST_PAUSE * 2**attempt for attempt in range(_ATTEMPTS - 1)), None):
        try:
            return _download(f"{MAVEN_CENTRAL_URL}/{path}", partial_file, connections)
        except requests.RequestException as error:
            is_temporary = error.response is None or error.response.status_code in _TEMPORARY_STATUSES
            if pause is None or not is_temporary:
                raise DownloadError(f"{path.rpartition('/')[2]}: {_describe_error(error)}") from error
            time.sleep(pause)
    raise AssertionError


def _describe_error(error: requests.RequestException) -> str:
    """Return the reason for a failed request as message text, without addresses and class names of the library."""
    match error:
        case requests.HTTPError(response=requests.Response(status_code=status)):
            return f"the repository answers HTTP {status}"
        case requests.exceptions.SSLError():
            return (
                "the repository's TLS certificate is not trusted here (set REQUESTS_CA_BUNDLE to trust its authority)"
            )
        case requests.exceptions.ProxyError():
            return "the proxy cannot be reached"
        case requests.ConnectionError() | requests.Timeout():
            return "the repository cannot be reached"
        case _:
            return type(error).__name__


def _download(url: str, partial_file: Path, connections: requests.Session) -> str:
    digest = hashlib.sha256()
    with connections.get(url, stream=True, timeout=_TIMEOUT) as response, partial_file.open("wb") as file:
        response.raise_for_status()
        for block in response.iter_content(_BLOCK):
            digest.update(block)
            file.write(block)
    return digest.hexdigest()


def _copy_local(jar: Jar, partial_file: Path) -> str | None:
    repository = os.environ.get("M2_REPO") or Path.home() / ".m2" / "repository"
    source = Path(repository) / jar.path
    if not source.is_file() or sha256_of(source) != jar.sha256:
        return None
    shutil.copyfile(source, partial_file)
    return sha256_of(partial_file)
