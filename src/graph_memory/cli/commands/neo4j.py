"""`graph-memory neo4j …`: starts, stops and inspects the local Neo4j."""

from __future__ import annotations

import json
import shlex
import sys
import webbrowser
from dataclasses import asdict
from datetime import UTC, datetime
from typing import Annotated
from urllib.parse import urlsplit

import typer

from graph_memory import local
from graph_memory.cli.input.options import DomainOption, JsonOption
from graph_memory.cli.output.printing import format_local_time, note
from graph_memory.cli.output.progress import progress_bar
from graph_memory.cli.session import read_settings
from graph_memory.embedding import fetch_model
from graph_memory.model.errors import Code, GraphError
from graph_memory.model.text.wording import without_credentials
from graph_memory.model.values.arguments import check_domain
from graph_memory.settings import Settings

app = typer.Typer(help="The local Neo4j: start it, stop it, and show its status.", no_args_is_help=True)

_LOGIN_TIMEOUT = 20.0

PasswordOption = Annotated[bool, typer.Option("--show-password", help="Print the password as well.")]


@app.command()
def start(as_json: JsonOption = False) -> None:
    """Start the local Neo4j, if it is not running. It keeps running until `stop`.

    Downloads Neo4j and the model for embeddings if they are not there yet, so that no call waits for them later.
    """
    settings = read_settings()
    with progress_bar() as progress:
        server = local.ensure_running(settings, progress)
        has_model = fetch_model(settings)
    if as_json:
        typer.echo(json.dumps(_status_data(local.status(settings))))
    else:
        typer.echo(f"Neo4j {server.version} is running as process {server.pid}.")
        typer.echo(f"Bolt {server.uri}, HTTP {server.http_url}; `graph-memory neo4j browser` opens it.")
    if not has_model:
        note(
            "The model for embeddings could not be downloaded. The next search tries again; until then, it finds words."
        )
    if settings.neo4j_uri:
        note("NEO4J_URI is set, so graph-memory itself uses that server, not this one.")


@app.command()
def stop(as_json: JsonOption = False) -> None:
    """Stop the local Neo4j and wait for it to end."""
    settings = read_settings()
    was_running = local.stop(settings)
    text = "Stopped." if was_running else "It was not running."
    typer.echo(json.dumps({"was_running": was_running}) if as_json else text)
    if local.fast_start(settings).reason == local.BEING_CREATED:
        note("For faster starts, a cache is still being created in the background. This takes a minute or two.")


@app.command()
def status(as_json: JsonOption = False) -> None:
    """Show whether the local Neo4j is running, and its addresses. Exits with status 3 if it is stopped."""
    settings = read_settings()
    server_status, fast_start = local.status(settings), local.fast_start(settings)
    typer.echo(
        json.dumps({**_status_data(server_status), "fast_start": asdict(fast_start)})
        if as_json
        else _status_text(server_status)
    )
    if not as_json:
        typer.echo(f"fast start: {fast_start.reason}")
    raise typer.Exit(3 if server_status.state is local.State.STOPPED else 0)


@app.command()
def logs(
    lines: Annotated[int, typer.Option("--lines", "-n", min=1, help="Number of lines to print, from the end.")] = 100,
    path: Annotated[bool, typer.Option("--path", help="Print the path of the log file, not its lines.")] = False,
) -> None:
    """Print the last lines of the log of the local Neo4j."""
    settings = read_settings()
    if path:
        return typer.echo(str(local.status(settings).log))
    for line in local.console_log(settings, lines):
        typer.echo(line)
    return None


@app.command()
def browser(
    domain: DomainOption = None,
    opens: Annotated[
        bool,
        typer.Option("--open/--no-open", help="Open it, or only print the addresses and login of the running Neo4j."),
    ] = True,
    show_password: PasswordOption = False,
    as_json: JsonOption = False,
) -> None:
    """Open Neo4j Browser on the local Neo4j, logged in. Starts Neo4j if needed. Prints the login for other programs.

    With --no-open nothing is started. The line after `cypher-shell` is a command for your shell.
    """
    settings = read_settings(domain=domain)
    check_domain(settings.domain)
    if opens:
        _reject_other_server(settings)
        with progress_bar() as progress:
            local.ensure_running(settings, progress)
    access = _read_access(settings)
    if not show_password:
        access.pop("password", None)
    if not as_json:
        typer.echo("\n".join(f"{name:<12}  {value}" for name, value in access.items()))
    opened = opens and _open_browser(_running_server(settings), settings.domain)
    if as_json:
        typer.echo(json.dumps({name.replace("-", "_"): value for name, value in access.items()} | {"opened": opened}))


def _read_access(settings: Settings) -> dict[str, str]:
    if settings.neo4j_uri:
        return {
            "bolt": without_credentials(settings.neo4j_uri),
            "username": settings.neo4j_username,
            "cypher-shell": _server_shell_line(settings),
        }
    server = _running_server(settings)
    return {
        "browser": server.browser_url,
        "bolt": server.uri,
        "username": server.username,
        "password": server.password,
        "cypher-shell": _local_shell_line(settings, server),
    }


def _reject_other_server(settings: Settings) -> None:
    if settings.neo4j_uri:
        host = urlsplit(settings.neo4j_uri).hostname or "that server"
        hint = f"That server's browser may be at http://{host}:7474/browser/. To open the local one, unset NEO4J_URI."
        message = "NEO4J_URI is set to another server, but this command opens the browser of the local Neo4j"
        raise GraphError(Code.INVALID_ARGUMENT, message, {"hint": hint})


def _open_browser(server: local.LocalServer, domain: str) -> bool:
    """Open the page if there is a display, and report it on stderr. Return whether it was opened."""
    from graph_memory.cli.input.browser_login import (  # imports a web server, which no other command needs
        hand_over,
        has_display,
    )

    by_hand = (
        "open the address yourself. --show-password prints the password. In Neo4j Browser, first run "
        f":param domain => '{domain}'"
    )
    if not has_display():
        typer.echo(f"There is no display: {by_hand}", err=True)
        return False
    login = {"host": server.uri, "username": server.username, "password": server.password, "domain": domain}
    opened = hand_over(server.browser_url, login, webbrowser.open, _LOGIN_TIMEOUT)
    typer.echo("Opened in your web browser, logged in." if opened else f"No web browser opened it: {by_hand}", err=True)
    return opened


def _local_shell_line(settings: Settings, server: local.LocalServer) -> str:
    """Return a command that opens cypher-shell on the local server. It reads the password from the server's file."""
    file = str(local.password_file(settings))
    if sys.platform == "win32":  # PowerShell
        quoted = file.replace("'", "''")
        password = f"(Get-Content '{quoted}')"
        return f"$env:NEO4J_USERNAME='{server.username}'; $env:NEO4J_PASSWORD={password}; cypher-shell -a {server.uri}"
    return f'NEO4J_USERNAME={server.username} NEO4J_PASSWORD="$(cat {shlex.quote(file)})" cypher-shell -a {server.uri}'


def _server_shell_line(settings: Settings) -> str:
    """Return a command that opens cypher-shell on the server in the settings.

    cypher-shell reads the password from the environment, or asks for it.
    """
    words = ["cypher-shell", "-a", settings.neo4j_uri or "", "-u", settings.neo4j_username]
    return shlex.join([*words, *(["-d", settings.neo4j_database] if settings.neo4j_database else [])])


def _running_server(settings: Settings) -> local.LocalServer:
    if local.status(settings).state is local.State.STOPPED:
        hint = "Start it with `graph-memory neo4j start`."
        raise GraphError(Code.STORE_UNAVAILABLE, "The local Neo4j is not running", {"hint": hint})
    return local.ensure_running(settings)


def _status_data(status: local.Status) -> dict[str, object]:
    started = status.started and datetime.fromtimestamp(status.started, UTC).isoformat(timespec="seconds")
    return {**asdict(status), "home": str(status.home), "log": str(status.log), "started": started or None}


def _status_text(status: local.Status) -> str:
    if status.state is local.State.STOPPED:
        return f"stopped; its data is in {status.home}"
    since = format_local_time(datetime.fromtimestamp(status.started or 0, UTC))
    addresses = f"Bolt {status.uri}, HTTP {status.http_url}, data in {status.home}"
    return f"{status.state}: Neo4j {status.version}, process {status.pid} since {since}\n{addresses}"
