"""`Transfer`: taking a domain from one place to another. The work is done in the modules beside it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import IO

from graph_memory.memory.core import Core
from graph_memory.memory.transfer import export, folder_import, folders, importing
from graph_memory.memory.transfer.results import Exported, FolderExported, FolderImported, Imported
from graph_memory.progress import Progress, silent


class Transfer:
    """Exports and imports of domains. It is `Memory.transfer`.

    `tell` is called with what is being done and the fraction done, None where it is not known.
    """

    def __init__(self, core: Core, domain_of: Callable[[str | None], str]) -> None:
        self._core = core
        self._domain = domain_of

    async def export_file(
        self, target: Path | str | IO[bytes], *, tell: Progress = silent, domain: str | None = None
    ) -> Exported:
        """Write a domain's whole log with all content to a file, from which the same domain can be made elsewhere.

        The file appears under its name when it is complete, and replaces one that was there; a name that ends in
        `.gz` is compressed. A stream is written to as it is. Others may write meanwhile: what they change after the
        export began is not in it. Raises ONTOLOGY_NOT_FOUND, DOMAIN_BUSY, CONTENT_READ_FAILED and
        FILE_CREATION_FAILED.
        """
        return await export.export_file(self._core, self._domain(domain), target, tell)

    async def import_file(self, source: Path | str, *, name: str | None = None, tell: Progress = silent) -> Imported:
        """Make a domain of a file that `export_file` wrote: its log to the letter, and all that follows from it.

        The domain has the name that it had, unless another is given. The file is read twice, and nothing is written
        before all of it was found whole and undamaged. An import that was cut off goes on when the same is asked
        for again; until then its domain is busy, and can only be deleted. A branch has its past before the fork only
        if the domain that it was made from is there. Raises INVALID_ARCHIVE, CONTENT_TOO_LARGE, DOMAIN_ALREADY_EXISTS,
        DOMAIN_BUSY and FILE_CREATION_FAILED.
        """
        return await importing.import_file(self._core, source, name, tell)

    async def export_folder(
        self, folder: Path | str, *, at: int | str | None = None, tell: Progress = silent, domain: str | None = None
    ) -> FolderExported:
        """Write what was in a domain at a point, by default now, into a new folder.

        It gets a registry, the ontology, and a file for each content. There is no log in it, no observation, and
        nothing of what was before; `export_file` keeps all that. Raises ONTOLOGY_NOT_FOUND, DOMAIN_BUSY,
        HISTORY_COMPACTED, CONTENT_READ_FAILED, FILE_CREATION_FAILED, and INVALID_ARGUMENT for a folder that is not
        empty.
        """
        return await folders.export_folder(self._core, self._domain(domain), at, folder, tell)

    async def import_folder(
        self, folder: Path | str, *, name: str | None = None, tell: Progress = silent
    ) -> FolderImported:
        """Make a domain of a folder: its types, and each node and connection created anew with the id that it had.

        Everything is checked before anything is written. The log begins with these creations, at the time of the
        import; `created` and `modified` of the registry are the times of the nodes and connections. Content without
        an encoding is text if it is UTF-8, and binary else. Cut off in the middle it leaves a domain that is busy,
        to be deleted. Raises INVALID_ARCHIVE, INVALID_ONTOLOGY, INVALID_ENCODING, CONTENT_TOO_LARGE,
        DOMAIN_ALREADY_EXISTS, DOMAIN_BUSY and FILE_CREATION_FAILED.
        """
        return await folder_import.import_folder(self._core, self._domain(name), folder, tell)
