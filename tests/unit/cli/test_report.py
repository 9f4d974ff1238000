"""The page of a report: its numbers, and that stored text is only ever text in it."""

from __future__ import annotations

import time
from datetime import UTC, datetime, timedelta
from html.parser import HTMLParser
from xml.etree import ElementTree

import pytest

from graph_memory.cli.output.plots import bar_plot, bar_table, line_plot
from graph_memory.cli.output.report_data import PERIODS, Latency, Report, periods_of
from graph_memory.cli.output.report_page import render_report
from graph_memory.memory.entities.cleaning.results import Finding, GraphHealth
from graph_memory.memory.history.results import ChangeCount, Operation
from graph_memory.model.domain_results import DomainInfo
from graph_memory.model.results import ConnectedCount, ReadyCall
from graph_memory.model.sessions import SessionSummary
from graph_memory.model.subjects.kinds import Kind

START = datetime(2026, 1, 1, tzinfo=UTC)
HARM = '</title></svg><script>harm()</script><img src=x onerror="harm()">\' & <b>'


def info_of(nodes: int = 3, connections: int = 2, name: str = "home") -> DomainInfo:
    return DomainInfo(
        name=name, created=START, modified=START + timedelta(days=40), events=3, node_types=1, connection_types=1,
        ontology_version=1, nodes=nodes, connections=connections, content_bytes=1_500,
    )  # fmt: skip


def test_periods_have_the_numbers_at_their_ends_and_all_changes() -> None:
    rows: list[tuple[int, Kind, Operation, int]] = [
        (0, Kind.NODE, "create", 5), (0, Kind.CONNECTION, "create", 2), (0, Kind.OBSERVATION, "create", 9),
        (3, Kind.NODE, "delete", 1), (3, Kind.NODE, "update", 4), (39, Kind.NODE, "create", 2),
    ]  # fmt: skip
    counts = [
        ChangeCount(period=period, kind=kind, operation=operation, changes=changes)
        for period, kind, operation, changes in rows
    ]
    periods = periods_of(counts, info_of(nodes=6, connections=2))
    shown = {number: (periods[number].nodes, periods[number].connections, periods[number].changes) for number in
             (0, 1, 2, 3, 38, 39)}  # fmt: skip
    assert shown == {0: (5, 2, 16), 1: (5, 2, 0), 2: (5, 2, 0), 3: (4, 2, 5), 38: (4, 2, 0), 39: (6, 2, 2)}
    assert len(periods) == PERIODS
    assert [periods[number].end for number in (0, 39)] == [START + timedelta(days=1), START + timedelta(days=40)]


def test_changes_that_the_log_no_longer_has_remain_in_the_numbers() -> None:
    count = ChangeCount(period=39, kind=Kind.NODE, operation="create", changes=1)
    first, *_, last = periods_of([count], info_of(nodes=100, connections=7))
    assert (first.nodes, first.connections, last.nodes) == (99, 7, 100)


def test_plots_are_well_formed_and_reach_their_highest_value() -> None:
    times = (START, START + timedelta(days=2))
    for values in ([0, 0, 0], [1, 999, 1_000], [7, 3, 20]):
        for text in (line_plot(HARM, times, [(HARM, values)]), bar_plot(HARM, times, values)):
            root = ElementTree.fromstring(f"<main>{text}</main>")
            assert not [element for element in root.iter() if element.tag in ("script", "img", "b")]
    table = ElementTree.fromstring(bar_table([(HARM, 4), ("b", 1)], ("name", "number")))
    assert [bar.get("width") for bar in table.iter("rect")] == ["100.0", "25.0"]
    highest = ElementTree.fromstring(bar_plot("", times, [1, 20, 2]))
    assert max(float(bar.get("height", "")) for bar in highest.iter("rect")) == 180
    assert line_plot("", None, [("one", [5])]).count("points=") == 1


def test_labels_are_the_first_and_last_moment_in_local_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TZ", "UTC-05:30")
    time.tzset()
    try:
        report = report_of("x")
        text = Page(render_report(report)).text
        assert labels_of(bar_plot("", (START, START + timedelta(hours=20)), [1])) == [
            "2026-01-01 05:30 +0530",
            "2026-01-02 01:30 +0530",
        ]
        evening = START - timedelta(hours=1)
        assert labels_of(line_plot("", (evening, START + timedelta(days=9)), [])) == ["2026-01-01", "2026-01-10"]
        assert text.count("2026-01-01") > text.count("2026-01-02") > 0
    finally:
        monkeypatch.undo()
        time.tzset()


def labels_of(plot: str) -> list[str | None]:
    root = ElementTree.fromstring(f"<main>{plot}</main>")
    return [element.text for element in root.iter("text")][-2:]


class Page(HTMLParser):
    """The tags and the text of a page."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: dict[str, int] = {}
        self.attributes: set[str] = set()
        self.text = ""
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags[tag] = self.tags.get(tag, 0) + 1
        self.attributes |= {name for name, _ in attrs}

    def handle_data(self, data: str) -> None:
        self.text += data


def report_of(text: str) -> Report:
    call = ReadyCall(tool="t", arguments={})
    info = info_of(name=text)
    return Report(
        written=START,
        info=info,
        growth=periods_of([], info),
        types=[(text, 3)],
        sessions=[
            SessionSummary(
                session=text, source=text, actor=text, began=START, ended=START, changes=1, subjects=1, about=(text,),
                summary=None, first_seq=1, last_seq=1,
            )
        ],
        connected=[ConnectedCount(id=text, type=text, title=text, connections=2)],
        used=[(text, 4)],
        health=GraphHealth(
            entities=1, observations=1, relations=0, healthy=False, counts={"stale": 1, text: 1}, left_out=2,
            findings=tuple(Finding(kind=kind, about=(text,), reason=text, call=call) for kind in ("stale", text)),
        ),
        latency=Latency(15, 0.0214, 0.5),
    )  # fmt: skip


def test_stored_text_is_text_and_the_page_refers_to_nothing() -> None:
    plain, hostile = Page(render_report(report_of("kumquat"))), Page(render_report(report_of(HARM)))
    assert hostile.tags == plain.tags
    assert hostile.text.count(HARM) == plain.text.count("kumquat") > 10
    assert not {"script", "link", "img", "iframe", "object"} & plain.tags.keys()
    assert not {"src", "href", "style"} & plain.attributes
    assert "url(" not in render_report(report_of("x"))
    assert "Median 21 ms, slowest 500 ms." in plain.text
    assert "2 entities were not checked." in plain.text


def test_an_empty_domain_has_a_report() -> None:
    full = report_of("x")
    empty = Report(
        written=START,
        info=full.info,
        growth=full.growth,
        types=[],
        sessions=[],
        connected=[],
        used=[],
        health=GraphHealth(entities=0, observations=0, relations=0, healthy=True, counts={}, findings=(), left_out=0),
        latency=None,
    )
    text = Page(render_report(empty)).text
    assert "No problems were found." in text
    assert "No search was measured" in text
