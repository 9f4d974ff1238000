"""What our Neo4j is told: its configuration and the arguments of its Java."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path, PurePath

from graph_memory.files import write_private
from graph_memory.local.browser.jar import GUIDE
from graph_memory.local.home.home import Home, Run
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
# A writer, or a new constraint, that cannot have a lock gives up instead of holding up everybody behind it.
db.lock.acquisition.timeout=30s
# Nothing leaves this machine.
dbms.usage_report.enabled=false
dbms.fleet_manager.enabled=false
server.fleet_discovery.enabled=false
client.allow_telemetry=false
# A password of 160 random bits is not guessed, so nobody may lock its owner out by wrong ones.
dbms.security.auth_max_failed_attempts=0
# A web page from elsewhere may not read what is answered over HTTP. Over Bolt, Neo4j asks no page where it is from.
dbms.security.http_access_control_allow_origin=http://localhost:{http}
browser.remote_content_hostname_whitelist=localhost,127.0.0.1
dbms.security.http_static_content_security_policy_header={policy}
browser.post_connect_cmd=guide http://localhost:{http}/{guide}
# An end of the transaction log that cannot be read is cut off only when somebody asks for it.
internal.dbms.tx_log.fail_on_corrupted_log_files={strict_log}
# Small on disk, and no copy of what users ask.
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
"""What Neo4j Browser may load: what this server serves, its login, and databases that a person names."""

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
    """Give those of the server's flags that an AOT cache must have been made with."""
    compiler = (_QUICK_COMPILER,) if settings.neo4j_compiler == "quick" else ()
    return (*compiler, _SMALL_COLLECTOR, *_NEO4J_JAVA)


def write_config(settings: Settings, place: Home, run: Run, jars: Sequence[Path]) -> None:
    """Write neo4j.conf and the argument file with the class path."""
    conf = _CONF.format(
        host=HOST,
        bolt=run.bolt_port,
        http=run.http_port,
        page_cache=settings.neo4j_page_cache,
        strict_log="false" if settings.neo4j_salvage else "true",
        policy=_POLICY,
        guide=GUIDE,
    )
    write_private(place.conf / "neo4j.conf", conf)
    write_private(place.java_arguments, quoted_class_path(jars))


def quoted_class_path(jars: Sequence[PurePath]) -> str:
    """Give the class path as an argument file for Java, in its quoting and with the system's separator."""
    separator = ";" if jars[0].drive else ":"
    quoted = separator.join(str(jar) for jar in jars).replace("\\", "\\\\").replace('"', '\\"')
    return f'-cp\n"{quoted}"\n'


def server_command(settings: Settings, place: Home, java: Path, extra: Sequence[str] = ()) -> list[str]:
    """Give the command line of the server. Its `--home-dir` is what an orphan is known by."""
    arguments = (MAIN_CLASS, home_argument(place), f"--config-dir={place.conf}", "--console-mode")
    return [*java_command(settings, place, java, extra), *arguments]


def java_command(settings: Settings, place: Home, java: Path, extra: Sequence[str]) -> list[str]:
    """Give the part of the server's command line that is Java's own, with extra flags."""
    own = (f"-Xmx{_heap(settings)}", f"-Djava.io.tmpdir={place.temporary}")
    return [str(java), *extra, *own, *cached_flags(settings), f"@{place.java_arguments}"]


def _heap(settings: Settings) -> str:
    """Give the largest heap. Where a log is torn, Neo4j may take anything for a length, and ask for up to 2 GB."""
    return max(settings.neo4j_heap, _SALVAGE_HEAP, key=_bytes) if settings.neo4j_salvage else settings.neo4j_heap


def _bytes(size: str) -> int:
    return int(size[:-1]) << {"k": 10, "m": 20, "g": 30}[size[-1].lower()]


def home_argument(place: Home) -> str:
    """Give the argument that names the server's folder."""
    return f"--home-dir={place.root}"


def admin_command(place: Home, java: Path, *arguments: str, heap: str = "128m") -> list[str]:
    """Give the command line of one of Neo4j's admin commands. It needs `admin_environment`."""
    return [
        str(java),
        f"-Xmx{heap}",
        _QUICK_COMPILER,
        _SMALL_COLLECTOR,
        f"@{place.java_arguments}",
        ADMIN_CLASS,
        *arguments,
    ]


def admin_environment(place: Home) -> dict[str, str]:
    """Give the variables that tell an admin command which server it is about."""
    return {"NEO4J_HOME": str(place.root), "NEO4J_CONF": str(place.conf)}
