"""The names of the files of a folder. Pure."""

from __future__ import annotations

import hashlib
import re
from urllib.parse import quote

from graph_memory.model.values.content import ContentRef

_EXTENSIONS = {"markdown": "md", "text": "txt", "plain": "txt", "jpeg": "jpg"}
_PLAIN = re.compile(r"[a-z0-9]{1,10}")
_DEVICE = re.compile(r"(con|prn|aux|nul|com\d|lpt\d)(\..*)?", re.IGNORECASE)
_LONGEST_NAME = 200


class Paths:
    """Gives each content a file of its own, also where `Foo.md` and `foo.md` are one: the later gets a number."""

    def __init__(self) -> None:
        self._taken: set[str] = set()

    def of(self, kind: str, subject: str, ref: ContentRef) -> str:
        """Return where the content of a node or connection is kept."""
        known = ref.format if _PLAIN.fullmatch(str(ref.format)) else ("txt" if ref.is_text else "bin")
        name, ending = f"_content/{kind}/{_file_name(subject)}", _EXTENSIONS.get(ref.format, known)
        path, number = f"{name}.{ending}", 1
        while path.lower() in self._taken:
            number += 1
            path = f"{name}~{number}.{ending}"
        self._taken.add(path.lower())
        return path


def _file_name(subject: str) -> str:
    """Return an id as the name of a file: it names no other folder and no device, whatever it is."""
    name = quote(subject, safe="@")
    if not name or name.startswith(".") or _DEVICE.fullmatch(name):
        name = f"%{ord(name[0]):02X}{name[1:]}" if name else "%"
    if len(name) > _LONGEST_NAME:
        return f"{name[:100]}~{hashlib.sha256(subject.encode()).hexdigest()}"
    return name
