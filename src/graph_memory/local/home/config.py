"""Writes the configuration of the local Neo4j, and builds the command lines that start it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path, PurePath

from graph_memory.files import write_private
from graph_memory.local.browser.jar import GUIDE
from graph_memory.local.home.home import HomeFolder, Run
from graph_memory.local.home.ports import HOST
from graph_memory.settings import Settings

MAIN_CLASS = "org.neo4j.server.Neo4jCommunity"
ADMIN_CLASS = "org.neo4j.cli.AdminTool"

_CONF = """\
# Written by graph-memory at each start: changes made here are lost.
server.default_listen_address={host}
server.default_advertised_address=localhost
server.bolt.listen_address={host}:{bolt}
server.bolt.advertised_address=localhost:{bolt}
server.http.listen_address={host}:{http}
server.http.advertised_address=localhost:{http}
server.https.enabled=false
server.memory.pagecache.size={page_cache}
# A writer that waits too long for a lock gives up, so that it does not block the writers behind it.
db.lock.acquisition.timeout=30s
# Nothing leaves this machine.
dbms.usage_report.enabled=false
dbms.fleet_manager.enabled=false
server.fleet_discovery.enabled=false
client.allow_telemetry=false
# A password of 160 random bits cannot be guessed, so wrong ones must not lock its owner out.
dbms.security.auth_max_failed_attempts=0
# Web pages of other origins may not read HTTP responses. Over Bolt, Neo4j does not check the origin.
dbms.security.http_access_control_allow_origin=http://localhost:{http}
browser.remote_content_hostname_whitelist=localhost,127.0.0.1
dbms.security.http_static_content_security_policy_header={policy}
browser.post_connect_cmd=guide http://localhost:{http}/{guide}
# An unreadable end of the transaction log is cut off only with GRAPH_MEMORY_NEO4J_SALVAGE.
internal.dbms.tx_log.fail_on_corrupted_log_files={strict_log}
# Small on disk, and no log of queries.
db.tx_log.preallocate=false
db.logs.query.enabled=OFF
# Stops in 0.3 s instead of 10.
internal.dbms.bolt.netty_server_shutdown_quiet_period_duration=0s
internal.dbms.bolt.netty_server_shutdown_timeout=1s
"""

_POLICY = (
    "default-src 'self'; img-src 'self' data:; style-src 'self' 'unsafe-inline'; "
    "connect-src 'self' ws: wss: http://localhost:* http://127.0.0.1:*; "
    "base-uri 'none'; object-src 'none'; frame-ancestors 'none'"
)
"""The sources from which Neo4j Browser may load: this server, its login, and databases to which a user connects."""

_QUICK_COMPILER = "-XX:TieredStopAtLevel=1"
_SMALL_COLLECTOR = "-XX:+UseSerialGC"
_NEO4J_JAVA = (
    "--add-opens=java.base/java.nio=ALL-UNNAMED",
    "--add-opens=java.base/java.io=ALL-UNNAMED",
    "--add-opens=java.base/sun.nio.ch=ALL-UNNAMED",
    "--add-opens=java.base/java.util.concurrent=ALL-UNNAMED",
    "--enable-native-access=ALL-UNNAMED",
    "-XX:-OmitStackTraceInFastThrow",
    "-XX:+DisableExplicitGC",
    "-XX:+ExitOnOutOfMemoryError",
    "-Djdk.nio.maxCachedBufferSize=1024",
    "-Dio.netty.tryReflectionSetAccessible=true",
    "-Dio.netty.leakDetection.level=DISABLED",
    "-Dlog4j2.disable.jmx=true",
    "-Dfile.encoding=UTF-8",
)
_SALVAGE_HEAP = "4g"


def cached_flags(settings: Settings) -> tuple[str, ...]:
    """Return the server's JVM flags on which an AOT cache depends. The cache must be created with the same flags."""
    compiler = (_QUICK_COMPILER,) if settings.neo4j_compiler == "quick" else ()
    return (*compiler, _SMALL_COLLECTOR, *_NEO4J_JAVA)


def write_config(settings: Settings, home: HomeFolder, run: Run, jars: Sequence[Path]) -> None:
    """Write neo4j.conf, and the JVM's argument file with the class path."""
    conf = _CONF.format(
        host=HOST,
        bolt=run.bolt_port,
        http=run.http_port,
        page_cache=settings.neo4j_page_cache,
        strict_log="false" if settings.neo4j_salvage else "true",
        policy=_POLICY,
        guide=GUIDE,
    )
    write_private(home.conf / "neo4j.conf", conf)
    write_private(home.java_arguments, quoted_class_path(jars))


def quoted_class_path(jars: Sequence[PurePath]) -> str:
    """Return the class path as quoted text for a JVM argument file, with the platform's separator."""
    separator = ";" if jars[0].drive else ":"
    quoted = separator.join(str(jar) for jar in jars).replace("\\", "\\\\").replace('"', '\\"')
    return f'-cp\n"{quoted}"\n'


def server_command(settings: Settings, home: HomeFolder, java: Path, extra: Sequence[str] = ()) -> list[str]:
    """Return the command line of the server. Its argument `--home-dir` also identifies orphaned server processes."""
    arguments = (MAIN_CLASS, home_argument(home), f"--config-dir={home.conf}", "--console-mode")
    return [*java_command(settings, home, java, extra), *arguments]


def java_command(settings: Settings, home: HomeFolder, java: Path, extra: Sequence[str]) -> list[str]:
    """Return the start of the server's command line: Java and its flags. The flags in `extra` come first."""
    # To salvage a damaged log, the heap has at least the size `_SALVAGE_HEAP`.
    heap = max(settings.neo4j_heap, _SALVAGE_HEAP, key=size_in_bytes) if settings.neo4j_salvage else settings.neo4j_heap
    memory_flags = (f"-Xmx{heap}", f"-Djava.io.tmpdir={home.temporary}")
    return [str(java), *extra, *memory_flags, *cached_flags(settings), f"@{home.java_arguments}"]


def size_in_bytes(size: str) -> int:
    """Return a memory size for the JVM, such as `512m`, in bytes."""
    return int(size[:-1]) << {"k": 10, "m": 20, "g": 30}[size[-1].lower()]


def home_argument(home: HomeFolder) -> str:
    """Return the command line argument with the path of the server's folder."""
    return f"--home-dir={home.root}"


def admin_command(home: HomeFolder, java: Path, *arguments: str, heap: str = "128m") -> list[str]:
    """Return the command line of a Neo4j admin command. Run it with the variables of `admin_environment`."""
    return [
        str(java),
        f"-Xmx{heap}",
        _QUICK_COMPILER,
        _SMALL_COLLECTOR,
        f"@{home.java_arguments}",
        ADMIN_CLASS,
        *arguments,
    ]


def admin_environment(home: HomeFolder) -> dict[str, str]:
    """Return the environment variables that select the server for an admin command."""
    return {"NEO4J_HOME": str(home.root), "NEO4J_CONF": str(home.conf)}
