"""A process that puts events into a spool until it is killed, and says on stdout which of them are on disk.

`python spool_writer.py HOME DOMAIN NAME`.
"""

from __future__ import annotations

import sys
from pathlib import Path

from graph_memory.hooks.events import event_of
from graph_memory.hooks.spool import Spool


def main(home: str, domain: str, name: str) -> None:
    spool = Spool.of(Path(home))
    for number in range(10_000):
        text = f"{name}-{number}"
        event = event_of("claude-code", "prompt", {"session_id": "s", "prompt": text}, domain=domain)
        if event and spool.add(event.to_json()):
            sys.stdout.write(f"{text}\n")
            sys.stdout.flush()


if __name__ == "__main__":
    main(*sys.argv[1:])
