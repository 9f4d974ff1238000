"""A person at a terminal: the command runs on a pseudo terminal, is read until it asks, and is typed to."""

from __future__ import annotations

import fcntl
import os
import re
import select
import signal
import subprocess
import termios
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from acceptance.agents import COMMAND

PATIENCE = 60.0
"""Seconds for which a terminal waits for what it expects."""
_CONTROLS = re.compile(r"\x1b\[[0-?]*[ -/]*[@-~]|\r")


class Terminal:
    """A terminal that shows a command to a person, who can type."""

    def __init__(self, process: subprocess.Popen[bytes], screen: int) -> None:
        self._process, self._screen = process, screen
        self.seen = ""
        """All that was shown, without what moves and colours it."""
        self._read_to = 0

    def until(self, text: str) -> str:
        """Return the output since the last call, up to a text. Fails if the text does not appear."""
        deadline = time.monotonic() + PATIENCE
        while text not in self.seen[self._read_to :]:
            assert time.monotonic() < deadline, f"{text!r} is not in {self.seen!r}"
            assert self._more(), f"the command ended without {text!r}: {self.seen!r}"
        end = self.seen.index(text, self._read_to) + len(text)
        shown, self._read_to = self.seen[self._read_to : end], end
        return shown

    def answer(self, question: str, line: str) -> str:
        """Wait for a question, type a line, and return what was shown before."""
        shown = self.until(question)
        self.type(line + "\n")
        return shown

    def type(self, keys: str) -> None:
        """Type keys."""
        os.write(self._screen, keys.encode())

    def interrupt(self) -> int:
        """Press Ctrl-C, again where it came between a question and the reading of its answer; return the status."""
        deadline = time.monotonic() + PATIENCE
        while True:
            self.type("\x03")
            try:
                return self._process.wait(5)
            except subprocess.TimeoutExpired:
                assert time.monotonic() < deadline, f"Ctrl-C does not end it: {self.seen!r}"

    def end(self) -> tuple[int, str]:
        """Return the exit status, and what was shown since the last time."""
        while self._more():
            pass
        return self._process.wait(PATIENCE), self.seen[self._read_to :]

    def _more(self) -> bool:
        if not select.select([self._screen], [], [], PATIENCE)[0]:
            return False
        try:
            data = os.read(self._screen, 65536)
        except OSError:  # what Linux says when nobody has the terminal open any more
            return False
        self.seen += _CONTROLS.sub("", data.decode(errors="replace"))
        return bool(data)


def _at_the_terminal() -> None:
    """Let Ctrl-C reach the command, also where the tests run as a shell's background job, which ignores it."""
    fcntl.ioctl(0, termios.TIOCSCTTY, 0)
    signal.signal(signal.SIGINT, signal.SIG_DFL)


@contextmanager
def terminal(environment: Mapping[str, str], *arguments: str, term: str = "dumb") -> Iterator[Terminal]:
    """Give a terminal in which the command was started; it is killed if it still runs at the end."""
    screen, keyboard = os.openpty()
    process = subprocess.Popen(
        [COMMAND, *arguments],
        env={**os.environ, **environment, "TERM": term, "COLUMNS": "200"},
        stdin=keyboard,
        stdout=keyboard,
        stderr=keyboard,
        start_new_session=True,
        preexec_fn=_at_the_terminal,
    )
    os.close(keyboard)
    try:
        yield Terminal(process, screen)
    finally:
        process.kill()
        process.wait()
        os.close(screen)
