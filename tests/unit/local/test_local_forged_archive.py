"""A forged backup is refused before anything is written, or at least leaves nothing behind."""

from __future__ import annotations

import hashlib
import json
import os
import random
import tarfile
from pathlib import Path
from typing import Any

import pytest

from graph_memory.local.backup.archive import DomainMark, read_manifest, unpack, write_archive
from graph_memory.model.errors import Code, GraphError
from graph_memory.progress import log_progress
from tables import for_rows
from unit.local.test_local_archive import DUMP, error_of, manifest_of

BLOB = b"content of a blob"
NAME = f"blobs/notes/{hashlib.sha256(BLOB).hexdigest()}"
TERABYTE = 1 << 40
ROUNDS = int(os.environ.get("FORGERIES", "1500"))

Members = list[tuple[tarfile.TarInfo, bytes]]


def member(name: str, data: bytes, **others: Any) -> tuple[tarfile.TarInfo, bytes]:
    info = tarfile.TarInfo(name)
    info.size = len(data)
    for key, value in others.items():
        setattr(info, key, value)
    return info, data


def note(value: object) -> bytes:
    return value if isinstance(value, bytes) else json.dumps(value).encode()


def manifest(**others: Any) -> dict[str, Any]:
    return {**manifest_of(DUMP).model_dump(mode="json"), **others}


def seal(*blobs: bytes, **others: Any) -> dict[str, Any]:
    lines = [f"{NAME} {len(blob)} {hashlib.sha256(blob).hexdigest()}\n" for blob in blobs]
    digest = hashlib.sha256("".join(lines).encode()).hexdigest()
    return {"blobs": len(blobs), "bytes": sum(map(len, blobs)), "sha256": digest, **others}


def members(**parts: Any) -> Members:
    """Return the members of a backup, of which some are forged."""
    made = [
        ("manifest", member("manifest.json", note(parts.pop("manifest", manifest())))),
        ("dump", parts.pop("dump", member("neo4j.dump", DUMP))),
        ("blob", parts.pop("blob", member(NAME, BLOB))),
        ("seal", member("seal.json", note(parts.pop("seal", seal(BLOB))))),
    ]
    assert not parts
    return [part for _, part in made]


def forge_archive(file: Path, members: Members, pax: dict[str, dict[str, str]] | None = None) -> Path:
    """Write an archive with these members and headers."""
    with tarfile.open(file, "w", format=tarfile.PAX_FORMAT) as tar:
        for info, data in members:
            info.pax_headers = (pax or {}).get(info.name, {})
            buffer = info.tobuf(tarfile.PAX_FORMAT)
            assert tar.fileobj is not None
            tar.fileobj.write(buffer + data + bytes(-len(data) % 512))
            tar.offset += len(buffer) + len(data) + -len(data) % 512
    return file


@pytest.fixture
def target(tmp_path: Path) -> Path:
    folder = tmp_path / "restored"
    folder.mkdir()
    return folder


def refusals(file: Path, target: Path) -> tuple[GraphError, GraphError]:
    """Return the errors of reading and of unpacking an archive. Asserts that nothing was written."""
    results = error_of(lambda: read_manifest(file)), error_of(lambda: unpack(file, target, log_progress))
    assert list(target.iterdir()) == []
    return results


def test_what_these_tests_forge_is_sound_without_a_forgery(tmp_path, target):
    file = forge_archive(tmp_path / "sound.tar", members())
    assert read_manifest(file) == manifest_of(DUMP)
    unpack(file, target, log_progress)
    assert (target / NAME).read_bytes() == BLOB


class Header(tarfile.TarInfo):
    """A header of which single bytes are forged."""

    def __init__(self, name: str, **fields: bytes) -> None:
        super().__init__(name)
        self.forged = {int(at.lstrip("_")): data for at, data in fields.items()}

    def tobuf(self, *arguments: Any, **_options: Any) -> bytes:
        buffer = bytearray(super().tobuf(tarfile.USTAR_FORMAT))
        for at, data in {**self.forged, 148: b"        "}.items():
            buffer[at : at + len(data)] = data
        buffer[148:156] = b"%06o\0 " % sum(buffer)
        return bytes(buffer)


def number(value: int) -> bytes:
    return tarfile.itn(value, 12, tarfile.GNU_FORMAT)


@pytest.mark.parametrize(("part", "name"), [("dump", "neo4j.dump"), ("blob", NAME)])
def test_a_hole_of_a_terabyte_is_not_made(tmp_path, target, part, name):
    """As GNU tar writes it: one extent of nothing, at the end of 1 TB."""
    holes = Header(name, _156=b"S", _386=number(TERABYTE) + number(0), _483=number(TERABYTE))
    for error in refusals(forge_archive(tmp_path / "sparse.tar", members(**{part: (holes, b"")})), target):
        assert error.code is Code.CONTENT_READ_FAILED


@pytest.mark.parametrize("version", ["0.0", "0.1", "1.0"])
def test_nor_is_one_that_an_extension_describes(tmp_path, target, version):
    pax = {
        "0.0": {"GNU.sparse.size": str(TERABYTE), "GNU.sparse.numblocks": "1", "GNU.sparse.offset": str(TERABYTE),
                "GNU.sparse.numbytes": "0"},
        "0.1": {"GNU.sparse.size": str(TERABYTE), "GNU.sparse.map": f"{TERABYTE},0"},
        "1.0": {"GNU.sparse.major": "1", "GNU.sparse.minor": "0", "GNU.sparse.realsize": str(TERABYTE)},
    }[version]  # fmt: skip
    file = forge_archive(tmp_path / "sparse.tar", members(), {"neo4j.dump": pax})
    for error in refusals(file, target):
        assert error.code is Code.CONTENT_READ_FAILED


@pytest.mark.parametrize("size", ["-5", "1099511627776", "9" * 30, "x", "٣", ""])
def test_a_size_that_the_file_has_not_is_refused(tmp_path, target, size):
    file = forge_archive(tmp_path / "sizes.tar", members(), {"neo4j.dump": {"size": size}})
    for error in refusals(file, target):
        assert error.code is Code.CONTENT_READ_FAILED


@pytest.mark.parametrize("size", [-512, -1, TERABYTE, (1 << 63) - 1])
def test_nor_one_in_the_header_itself(tmp_path, target, size):
    header = Header("neo4j.dump", _124=number(size))
    for error in refusals(forge_archive(tmp_path / "sizes.tar", members(dump=(header, b""))), target):
        assert error.code is Code.CONTENT_READ_FAILED


@for_rows(
    "kind",
    [tarfile.LNKTYPE, tarfile.SYMTYPE, tarfile.CHRTYPE, tarfile.BLKTYPE, tarfile.FIFOTYPE, tarfile.DIRTYPE,
     tarfile.CONTTYPE, tarfile.GNUTYPE_LONGNAME, tarfile.XGLTYPE, b"V"],
)  # fmt: skip
@for_rows("at", ["dump", "blob"])
def test_what_is_no_plain_file_is_refused(tmp_path, target, kind, at):
    name = {"dump": "neo4j.dump", "blob": NAME}[at]
    info = member(name, b"", type=kind, linkname="/etc/passwd")
    for error in refusals(forge_archive(tmp_path / "kinds.tar", members(**{at: info})), target):
        assert error.code is Code.CONTENT_READ_FAILED


def test_an_extension_that_is_large_is_not_read(tmp_path, target):
    file = forge_archive(tmp_path / "large.tar", members(), {"neo4j.dump": {"comment": "x" * 2_000_000}})
    for error in refusals(file, target):
        assert error.code is Code.CONTENT_READ_FAILED


NESTED = b"[" * 200_000 + b"]" * 200_000


@for_rows(
    "expected",
    [
        NESTED, b'{"domains": ' + NESTED + b"}", b"", b"null", b"7", b"\xff", b"{", b"[]", b'"text"', b"9" * 10_000,
        b" " * (65 << 20),
        manifest(domains={}), manifest(domains=[{"name": "work", "seq": -1}]),
        manifest(domains=[{"name": "../x", "seq": 1}]), manifest(domains=[{"name": "a/../x", "seq": 1}]),
        manifest(domains=[{"name": "work", "seq": 10**40}]), manifest(domains=[{"name": "work", "seq": True}]),
        manifest(dump={"bytes": -1, "sha256": "0" * 64}), manifest(dump={"bytes": 1, "sha256": "0" * 63}),
        manifest(dump={"bytes": len(DUMP) + 1, "sha256": manifest()["dump"]["sha256"]}), manifest(dump=None),
        manifest(database_bytes=-1), manifest(database_bytes="1"), manifest(database_bytes=float("nan")),
        manifest(neo4j=2026), manifest(neo4j="²026.1"), manifest(neo4j="9" * 5000), manifest(neo4j="\x1b[2J"),
        manifest(graph_memory=["0.1"]), manifest(graph_memory="\x1b[2J"), manifest(schema_version="3"),
        manifest(schema_version=-1), manifest(blobs_elsewhere=7), manifest(made=None), manifest(made="x" * 1000),
        manifest(graph_memory_backup="1"), manifest(graph_memory_backup=0), manifest(graph_memory_backup=True),
        manifest(more=1),
    ],
)  # fmt: skip
def test_a_manifest_that_is_none_is_refused(tmp_path, target, expected):
    for error in refusals(forge_archive(tmp_path / "forged.tar", members(manifest=expected)), target):
        assert error.code is Code.CONTENT_READ_FAILED
        assert "\x1b" not in error.message


@for_rows(
    "expected",
    [
        NESTED, b'{"blobs": ' + NESTED + b"}", b"", b"null", b"\xff", seal(BLOB, blobs=2), seal(BLOB, bytes=TERABYTE),
        seal(BLOB, blobs=-1), seal(BLOB, blobs=10**40), seal(BLOB, sha256=7), seal(BLOB, more=1), seal(),
    ],
)  # fmt: skip
def test_a_seal_that_is_none_is_refused(tmp_path, target, expected):
    for error in refusals(forge_archive(tmp_path / "forged.tar", members(seal=expected)), target):
        assert error.code is Code.CONTENT_READ_FAILED


@pytest.mark.parametrize("sealed", [BLOB, b"as long as before"])
def test_a_blob_that_is_not_what_its_name_says_is_refused(tmp_path, target, sealed):
    other = b"as long as before"
    assert len(other) == len(BLOB)
    file = forge_archive(tmp_path / "forged.tar", members(blob=member(NAME, other), seal=seal(sealed)))
    assert error_of(lambda: unpack(file, target, log_progress)).code is Code.CONTENT_READ_FAILED


def test_a_blob_that_comes_twice_is_refused(tmp_path, target):
    twice = members(seal=seal(BLOB, BLOB))
    twice.insert(2, member(NAME, BLOB))
    error = error_of(lambda: unpack(forge_archive(tmp_path / "twice.tar", twice), target, log_progress))
    assert error.code is Code.CONTENT_READ_FAILED


@pytest.mark.parametrize(
    "order", [(1, 0, 2, 3), (0, 2, 1, 3), (0, 1, 3, 2), (0, 1, 2), (0, 1, 2, 3, 2), (0, 0, 1, 2, 3)]
)
def test_parts_come_in_their_order_and_once(tmp_path, target, order):
    result = members()
    file = forge_archive(tmp_path / "order.tar", [result[number] for number in order])
    for error in refusals(file, target):
        assert error.code in {Code.INVALID_ARGUMENT, Code.CONTENT_READ_FAILED}


def test_a_damaged_blob_is_left_out_of_a_backup_which_can_be_restored(tmp_path, target):
    blobs, dump, file = tmp_path / "home" / "blobs", tmp_path / "dump", tmp_path / "saved.tar"
    (blobs / "work").mkdir(parents=True)
    for number in range(20):
        data = os.urandom(number * 500)
        (blobs / "work" / hashlib.sha256(data).hexdigest()).write_bytes(data if number % 3 else data + b"!")
    sound = {
        path.name for path in (blobs / "work").iterdir() if hashlib.sha256(path.read_bytes()).hexdigest() == path.name
    }
    dump.write_bytes(DUMP)
    written = write_archive(file, manifest_of(DUMP), dump, blobs, log_progress)
    assert len(written.damaged) == 7
    assert written.blob_totals.blobs == len(sound) == 13
    unpack(file, target, log_progress)
    assert {path.name for path in (target / "blobs" / "work").iterdir()} == sound


def test_long_names_names_with_slashes_and_many_domains_are_taken(tmp_path, target):
    blobs, dump, file = tmp_path / "home" / "blobs", tmp_path / "dump", tmp_path / "saved.tar"
    domain = "a" * 64
    (blobs / domain).mkdir(parents=True)
    (blobs / domain / hashlib.sha256(BLOB).hexdigest()).write_bytes(BLOB)
    dump.write_bytes(DUMP)
    domains = tuple(DomainMark(name=f"home/d{number}", seq=number) for number in range(20_000))
    assert not write_archive(file, manifest_of(DUMP, domains=domains), dump, blobs, log_progress).damaged
    assert read_manifest(file).domains == domains
    unpack(file, target, log_progress)


def mutate(data: bytes, choice: random.Random) -> bytes:
    """Return an archive with changed bytes, most often in trusted parts: headers and notes."""
    changed = bytearray(data)
    for _ in range(choice.randint(1, 4)):
        at = choice.choice(
            [choice.randrange(len(changed)), choice.randrange(0, len(changed), 512) + choice.randrange(160)]
        )
        at = min(at, len(changed) - 1)
        way = choice.randrange(4)
        if way == 0:
            changed[at] = choice.randrange(256)
        elif way == 1:
            changed[at : at + choice.randint(1, 600)] = choice.randbytes(choice.randint(0, 600))
        elif way == 2:
            changed[at:at] = changed[(begin := choice.randrange(len(changed))) : begin + choice.choice([1, 512, 1024])]
        else:
            del changed[at : at + choice.choice([1, 8, 512])]
    for begin in range(0, len(changed) - 511, 512):  # most changes would be found by the checksum of their header
        if choice.random() < 0.7 and changed[begin + 257 : begin + 262] == b"ustar":
            changed[begin + 148 : begin + 156] = b"        "
            changed[begin + 148 : begin + 156] = b"%06o\0 " % sum(changed[begin : begin + 512])
    return bytes(changed)


@pytest.mark.long
def test_whatever_was_changed_is_refused_or_makes_no_difference(tmp_path, target):
    sound, file = forge_archive(tmp_path / "sound.tar", members()).read_bytes(), tmp_path / "mutated.tar"
    codes: set[Code] = set()
    for number in range(ROUNDS):
        file.write_bytes(mutate(sound, random.Random(number)))
        folder = target / str(number)
        folder.mkdir()
        try:
            unpack(file, folder, log_progress)
        except GraphError as error:
            codes.add(error.code)
        else:
            assert (folder / NAME).read_bytes() == BLOB
            assert (folder / "neo4j.dump").read_bytes() == DUMP
        assert sum(path.stat().st_size for path in folder.rglob("*") if path.is_file()) < 100_000
    assert codes <= {Code.INVALID_ARGUMENT, Code.CONTENT_READ_FAILED, Code.STORE_INCOMPATIBLE}
    assert {path.name for path in tmp_path.iterdir()} == {"sound.tar", "mutated.tar", "restored"}


def test_a_home_is_not_touched_by_what_is_refused(tmp_path):
    from graph_memory.local.backup.restore import restore_to_new_home
    from graph_memory.settings import Settings

    settings = Settings(home=tmp_path / "home")
    (settings.home / "blobs" / "work").mkdir(parents=True)
    (settings.home / "blobs" / "work" / "kept").write_text("kept")
    other = b"other"
    file = forge_archive(tmp_path / "forged.tar", members(blob=member(NAME, other), seal=seal(other)))

    def restore() -> None:
        with restore_to_new_home(settings, file, manifest_of(DUMP)):
            raise AssertionError

    assert error_of(restore).code is Code.CONTENT_READ_FAILED
    assert {path.name for path in settings.home.iterdir()} == {"blobs", "neo4j"}
    assert (settings.home / "blobs" / "work" / "kept").read_text() == "kept"
