"""Renders a report as one HTML page, without scripts or other files. Every text in the page is escaped."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime
from html import escape

from graph_memory.cli.output.plots import bar_plot, bar_table, line_plot
from graph_memory.cli.output.printing import format_count, format_local_time
from graph_memory.cli.output.report_data import Latency, Report
from graph_memory.memory.entities.cleaning.results import Finding, GraphHealth
from graph_memory.model.sessions import SessionSummary

POLICY = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"
STYLE = """
:root{color-scheme:light dark;--page:#fff;--text:#1d1f23;--quiet:#5d636e;--line:#e3e3df;--s0:#2c5bc9;--s1:#c2571a}
@media (prefers-color-scheme:dark){:root{--page:#131519;--text:#e8eaee;--quiet:#a3abb8;--line:#2d323a;--s0:#8fb1ff;
--s1:#f0985f}}
@media print{:root{color-scheme:light;--page:#fff;--text:#000;--quiet:#444;--line:#ccc;--s0:#2c5bc9;--s1:#c2571a}
section{break-inside:avoid}}
*{box-sizing:border-box}
body{margin:0 auto;max-width:60rem;padding:1.5rem;background:var(--page);color:var(--text);
font:15px/1.5 system-ui,sans-serif;overflow-wrap:anywhere}
h1{margin:0;font-size:1.7rem}h2{margin:0 0 .6rem;font-size:1.1rem}h3{margin:1rem 0 .3rem;font-size:.95rem}
p{margin:.3rem 0}.quiet{color:var(--quiet);font-size:.87rem}
section{margin-top:2.2rem}
dl{display:flex;flex-wrap:wrap;gap:.8rem 2.4rem;margin:1.2rem 0 0}
dt{color:var(--quiet);font-size:.83rem}dd{margin:0;font-size:1.4rem;font-variant-numeric:tabular-nums}
table{border-collapse:collapse;width:100%;font-size:.93rem}
th,td{padding:.25rem .8rem .25rem 0;border-bottom:1px solid var(--line);text-align:left;font-weight:400;
vertical-align:top}
thead th{color:var(--quiet);font-size:.83rem}
.number{text-align:right;white-space:nowrap;font-variant-numeric:tabular-nums}
.bars{width:40%}.bars svg{width:100%;height:.6rem;vertical-align:middle}
.plot{display:block;width:100%;height:auto}.plot text{fill:var(--quiet);font-size:11px}
.grid{stroke:var(--line)}.bar{fill:var(--s0)}.line{fill:none;stroke-width:2}
.line.s0{stroke:var(--s0)}.line.s1{stroke:var(--s1)}
.legend{print-color-adjust:exact;display:flex;gap:1.6rem;margin:.3rem 0 1rem;padding:0;list-style:none;font-size:.87rem}
.legend li::before{content:"";display:inline-block;width:.8rem;height:.2rem;margin-right:.4rem;vertical-align:middle;
background:var(--s0)}
.legend .s1::before{background:var(--s1)}
ul.plain{margin:0;padding-left:1.2rem}
"""
_FINDINGS = {
    "contradiction": "Contradictions",
    "stale": "Stale: neither changed nor read for 180 days",
    "open_question": "Open questions",
    "duplicate": "Possible duplicates",
    "orphan": "Without relations",
    "hub": "With 100 relations or more",
    "lost_premise": "Inferred from facts that no longer hold",
    "misplaced_fact": "Misplaced facts",
    "unused_type": "Unused types",
}
"""The headings of the findings by kind, most urgent first."""


def render_report(report: Report) -> str:
    """Return a report as the text of one HTML page."""
    name = escape(report.info.name)
    sections = [
        ("Growth", _growth(report)),
        ("Types", _table_or(report.types, ("type", "nodes"), "There are no nodes.")),
        ("Sessions", _sessions(report.sessions)),
        (
            "Most connected",
            _table_or(
                [(f"{node.title or node.id} ({node.type})", node.connections) for node in report.connected],
                ("node", "connections"),
                "There are no connections.",
            ),
        ),
        ("Stale and contradictory", _health(report.health)),
        ("Use", _table_or(report.used, ("node", "times returned"), "No use has been counted yet.")),
        ("Search latency", _latency(report.latency)),
    ]
    body = "".join(f"<section><h2>{title}</h2>{content}</section>" for title, content in sections)
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8">'
        f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">'
        '<meta name="viewport" content="width=device-width, initial-scale=1"><meta name="referrer" '
        f'content="no-referrer"><title>Memory report: {name}</title><style>{STYLE}</style></head><body><main>'
        f'<h1>{name}</h1><p class="quiet">Report of graph-memory, {format_local_time(report.written)}</p>'
        f"{_numbers(report)}{body}</main></body></html>\n"
    )


def _numbers(report: Report) -> str:
    info, health = report.info, report.health
    numbers = {
        "Nodes": f"{info.nodes:,}",
        "Connections": f"{info.connections:,}",
        "Observations": f"{health.observations:,}",
        "Changes": f"{info.events:,}",
        "Content": _size(info.content_bytes),
        "Last change": _date(info.modified),
        "Last use": _date(info.last_access),
    }
    return f"<dl>{''.join(f'<div><dt>{name}</dt><dd>{value}</dd></div>' for name, value in numbers.items())}</dl>"


def _growth(report: Report) -> str:
    periods = report.growth
    changes_span = (report.info.created, report.info.modified) if periods else None
    span = (periods[0].end, periods[-1].end) if periods else None
    series = [
        ("Nodes", [period.nodes for period in periods]),
        ("Connections", [period.connections for period in periods]),
    ]
    changes = bar_plot("Changes over time", changes_span, [period.changes for period in periods])
    return f"{line_plot('Nodes and connections over time', span, series)}<h3>Changes</h3>{changes}"


def _sessions(sessions: Sequence[SessionSummary]) -> str:
    if not sessions:
        return _quiet("There are no sessions.")
    rows = "".join(
        f'<tr><td class="number">{format_local_time(session.began)}</td>'
        f"<td>{escape(session.actor or session.source)}</td>"
        f'<td class="number">{session.changes:,}</td><td>{escape(_topic(session))}</td></tr>'
        for session in sessions
    )
    heads = ('class="number">began', ">actor", 'class="number">changes', ">about")
    head = "".join(f'<th scope="col" {text}</th>' for text in heads)
    note = _quiet(f"The latest {format_count(len(sessions), 'session')}.")
    return f"<table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>{note}"


def _topic(session: SessionSummary) -> str:
    return session.summary or ", ".join(session.about)


def _health(health: GraphHealth) -> str:
    findings = {kind: [finding for finding in health.findings if finding.kind == kind] for kind in health.counts}
    kinds = [kind for kind in (*_FINDINGS, *findings) if findings.get(kind)]
    parts = [
        f"<h3>{escape(_FINDINGS.get(kind, kind))} ({health.counts[kind]:,})</h3>{_finding_list(findings[kind])}"
        for kind in dict.fromkeys(kinds)
    ]
    notes = [] if parts else ["No problems were found."]
    if health.left_out:
        notes.append(f"{health.left_out:,} entities were not checked.")
    return "".join(parts) + (_quiet(" ".join(notes)) if notes else "")


def _finding_list(findings: Iterable[Finding]) -> str:
    items = "".join(
        f'<li>{escape(", ".join(finding.about))} <span class="quiet">{escape(finding.reason)}</span></li>'
        for finding in findings
    )
    return f'<ul class="plain">{items}</ul>'


def _latency(latency: Latency | None) -> str:
    if latency is None:
        return _quiet("No search was measured, because no node with a title has connections.")
    times = f"Median {latency.median * 1000:,.0f} ms, slowest {latency.slowest * 1000:,.0f} ms."
    measured = f"Measured while this report was written: {latency.searches:,} searches for titles of nodes."
    return f"<p>{times}</p>{_quiet(measured + ' A server over HTTP reports the durations of its calls at /metrics.')}"


def _table_or(rows: Sequence[tuple[str, int]], heads: tuple[str, str], otherwise: str) -> str:
    return bar_table(rows, heads) if rows else _quiet(otherwise)


def _quiet(text: str) -> str:
    return f'<p class="quiet">{escape(text)}</p>'


def _date(moment: datetime | None) -> str:
    return "never" if moment is None else f"{moment.astimezone():%Y-%m-%d}"


def _size(size: int) -> str:
    kilobyte, megabyte = 1_000, 1_000_000
    if size >= megabyte:
        return f"{size / megabyte:,.1f} MB"
    return f"{size / kilobyte:,.1f} kB" if size >= kilobyte else f"{size:,} bytes"
