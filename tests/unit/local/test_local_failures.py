import json

import pytest

from graph_memory.local.home.home import HomeFolder
from graph_memory.local.process.startup_errors import exit_error, hang_error, timeout_error
from graph_memory.model.errors import Code
from graph_memory.settings import Settings

NOON = 1_795_000_000.0  # 2026-11-18 11:06:40 UTC
CAUSE = (
    "java.lang.RuntimeException: outer\nCaused by: java.lang.RuntimeException: Transaction logs are missing.\n\tat x"
)


@pytest.fixture
def place(tmp_path) -> HomeFolder:
    place = HomeFolder.of(Settings(home=tmp_path))
    place.make_folders()
    return place


def debug_line(time: str, message: str) -> str:
    return json.dumps({"time": time, "level": "ERROR", "message": message, "stacktrace": CAUSE}) + "\n"


def test_a_server_that_ended_gives_its_last_cause_a_hint_and_the_log(place):
    place.console_log.write_text(
        "INFO Starting...\nCaused by: a.b.PortBindException: first\n"
        "Caused by: c.d.Errors$NativeIoException: Address already in use\n\tat x\n"
    )
    error = exit_error(place)
    assert error.code is Code.STORE_UNAVAILABLE
    assert "Address already in use" in error.message
    assert error.hint
    assert error.path == str(place.console_log)


def test_a_reason_that_names_the_home_is_told_without_its_folder(place):
    place.console_log.write_text(f"Caused by: a.b.IOException: {place.data}/store_lock: Permission denied\n")
    assert str(place.root) not in str(exit_error(place).to_dict())
    assert "neo4j/data/store_lock: Permission denied" in exit_error(place).message


@pytest.mark.parametrize("line", ["[]", "1", '"text"', "[" * 100_000, '{"time": 1, "message": null}', "\x00"])
def test_a_line_of_the_log_that_is_none_is_passed_over(place, line):
    place.debug_log.write_text(line + "\n")
    assert hang_error(place, 0.0) is None


@pytest.mark.parametrize(("written", "expected"), [("", "it wrote nothing"), ("no such option\n", "no such option")])
def test_a_server_that_gave_no_cause_gives_its_last_line(place, written, expected):
    place.console_log.write_text(written)
    assert expected in exit_error(place).message


def test_a_broken_system_database_is_seen_in_the_debug_log(place):
    place.debug_log.write_text(
        debug_line("2026-11-18 11:06:45.0+0000", "Failed to start DatabaseId{00000000[system]}") + "not JSON\n"
    )
    error = hang_error(place, NOON)
    assert error
    assert error.code is Code.STORE_UNAVAILABLE
    assert "Transaction logs are missing" in error.message


def test_what_an_earlier_server_wrote_does_not_count(place):
    place.debug_log.write_text(debug_line("2026-11-18 10:00:00.0+0000", "Failed to start DatabaseId{0[system]}"))
    assert hang_error(place, NOON) is None


def test_other_errors_may_pass(place):
    place.debug_log.write_text(debug_line("2026-11-18 12:00:00.0+0000", "Something else"))
    assert hang_error(place, NOON) is None


def test_a_server_without_a_log_may_still_come_up(place):
    assert hang_error(place, NOON) is None


def test_a_slow_start_says_try_again(place):
    assert timeout_error(place, Settings(start_timeout=3)).code is Code.STARTING
