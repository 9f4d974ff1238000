"""The embedder in this process: a small int8 model. ONNX Runtime runs it with one thread per call."""

from __future__ import annotations

import asyncio
import concurrent.futures
import os
import sys
import threading
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, cast

import anyio
import anyio.to_thread

from graph_memory.embedding.embedder import EmbeddingUnavailable
from graph_memory.embedding.local_models import (
    DEFAULT,
    MODELS,
    NETWORK,
    PAUSE_SECONDS,
    TOKENIZER,
    LocalModel,
    model_folder,
)
from graph_memory.embedding.texts import to_model_text

if TYPE_CHECKING:
    import numpy as np
    from tokenizers import Encoding, Tokenizer

TOKENS = 256
"""Maximum number of tokens of a text. The model ignores further tokens."""
QUERY_SECONDS = 5.0
"""Maximum time in seconds that a query waits for the model to be downloaded and loaded."""
PASSAGES_SECONDS = 10.0
"""Maximum time in seconds that passages wait for the model to be loaded. It is short, because a search may wait for
them."""
LEAST_PRIORITY = 19


class LocalEmbedder:
    """An embedder with a local model, which is downloaded and loaded on first use.

    Vectors of passages are computed in one thread, with the lowest priority on Linux. Queries do not wait for passages,
    because they run the same network in other threads.
    """

    def __init__(self, cache: Path, model: LocalModel = MODELS[DEFAULT]) -> None:
        self._cache = cache
        self._model = model
        self._network: concurrent.futures.Future[_Network] | None = None
        self._failed_at = 0.0
        self._background_thread = ThreadPoolExecutor(1, "graph-memory-embedding", initializer=_yield_to_others)

    @property
    def model(self) -> str:
        """The model name that is stored with its vectors."""
        return self._model.id

    @property
    def dimensions(self) -> int | None:
        """The number of dimensions of the vectors."""
        return self._model.dimensions

    async def passages(self, texts: Sequence[str]) -> list[list[float]]:
        """Return the vectors of the texts, in order. If cancelled, stops after the current text.

        Raises EmbeddingUnavailable if the model cannot be loaded within `PASSAGES_SECONDS`.
        """
        network, prefix = await self._load(PASSAGES_SECONDS), self._model.passage_prefix
        run = asyncio.get_running_loop().run_in_executor
        return [await run(self._background_thread, network.embed, prefix + text) for text in texts]

    async def query(self, text: str) -> list[float]:
        """Return the vector of the query, without waiting for passages.

        Raises EmbeddingUnavailable if the model cannot be loaded within `QUERY_SECONDS`.
        """
        network, prefixed = await self._load(QUERY_SECONDS), self._model.query_prefix + text
        return await anyio.to_thread.run_sync(network.embed, prefixed, abandon_on_cancel=True)

    async def aclose(self) -> None:
        """Stop the thread for passages after its current text."""
        self._background_thread.shutdown(wait=False, cancel_futures=True)

    async def _load(self, max_wait: float) -> _Network:
        """Return the loaded network. The first call starts downloading and loading it.

        Raises EmbeddingUnavailable if that fails or takes longer than `max_wait` seconds.
        """
        if self._failed_at and time.monotonic() - self._failed_at > PAUSE_SECONDS:
            self._network, self._failed_at = None, 0.0
        if self._network is None:
            self._network = concurrent.futures.Future()
            # A daemon thread, because an ending process must not wait for a network that does not answer.
            threading.Thread(target=_load_into, args=(self._network, self._model, self._cache), daemon=True).start()
        network = asyncio.wrap_future(self._network)
        network.add_done_callback(_retrieve_error)
        try:
            with anyio.move_on_after(max_wait):
                return await asyncio.shield(network)
        except EmbeddingUnavailable:
            self._failed_at = self._failed_at or time.monotonic()
            raise
        raise EmbeddingUnavailable(f"the model {self.model} is still being fetched", "Search again in a moment.")


class _Session(Protocol):
    """An ONNX Runtime session, which threads can share. The library itself has no type hints."""

    def run(self, outputs: None, inputs: dict[str, np.ndarray], /) -> list[np.ndarray]: ...


class _Network:
    """The tokenizer and the neural network of a model. Threads can share them."""

    def __init__(self, tokenizer: Tokenizer, session: _Session) -> None:
        self._tokenizer = tokenizer
        self._session = session

    def embed(self, text: str) -> list[float]:
        """Return the vector of a text: the mean of its token embeddings, scaled to length 1.

        The network processes one text per run. It quantizes activations by their range, so other texts in the same run
        would change the vector.
        """
        import numpy as np

        encoding: Encoding = self._tokenizer.encode(to_model_text(text))
        ids = np.array([encoding.ids], dtype=np.int64)
        inputs = {"input_ids": ids, "attention_mask": np.ones_like(ids), "token_type_ids": np.zeros_like(ids)}
        (states,) = self._session.run(None, inputs)
        mean = states[0].mean(axis=0)
        return (mean / np.linalg.norm(mean)).tolist()


def _retrieve_error(network: asyncio.Future[_Network]) -> None:
    """Retrieve a load's error, so that asyncio does not log it if no caller waits for the network."""
    if not network.cancelled():
        network.exception()


def _load_into(network: concurrent.futures.Future[_Network], model: LocalModel, cache: Path) -> None:
    try:
        network.set_result(_fetch_and_open(model, cache))
    except EmbeddingUnavailable as error:
        network.set_exception(error)


def _fetch_and_open(model: LocalModel, cache: Path) -> _Network:
    try:
        folder = model_folder(model, cache)
    except OSError as error:
        hint = (
            "Connect to the internet once (you can set HTTPS_PROXY to a proxy), set GRAPH_MEMORY_CACHE to a full "
            "cache, or set GRAPH_MEMORY_EMBEDDINGS to off or to another provider."
        )
        raise EmbeddingUnavailable(
            f"the local model is not in the cache and cannot be fetched: {error}", hint
        ) from error
    return _open_network(folder)


def _open_network(folder: Path) -> _Network:
    os.environ["ORT_DISABLE_TELEMETRY"] = "1"  # otherwise, its import stores a device id
    try:
        import onnxruntime
        from tokenizers import Tokenizer

        runtime = cast("Any", onnxruntime)  # it has no types
        runtime.disable_telemetry_events()
        tokenizer = Tokenizer.from_file(str(folder / TOKENIZER))
        tokenizer.no_padding()
        tokenizer.enable_truncation(TOKENS)  # pyright: ignore[reportUnknownMemberType]
        options = runtime.SessionOptions()
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        options.log_severity_level = 3
        session: _Session = runtime.InferenceSession(str(folder / NETWORK), options, providers=["CPUExecutionProvider"])
        return _Network(tokenizer, session)
    except Exception as error:  # tokenizers and onnxruntime raise plain Exception for a damaged file
        hint = f"Delete {folder} to have it fetched again, or set GRAPH_MEMORY_EMBEDDINGS to off or another provider."
        raise EmbeddingUnavailable(f"the local model cannot be loaded: {error}", hint) from error


def _yield_to_others() -> None:
    """Give this thread the lowest priority on Linux.

    Does nothing on other systems, where priorities belong to processes.
    """
    if sys.platform == "linux":
        os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), LEAST_PRIORITY)
