"""A kind of subject is whole: what is forgotten of one loses data without an error."""

from __future__ import annotations

import pytest

from graph_memory.memory.domains.deletion import STAGES
from graph_memory.memory.transfer.archive import records
from graph_memory.model.subjects.kinds import ATTACHED, DATA, KINDS, Kind
from graph_memory.storage.queries import cypher_root


@pytest.mark.parametrize("kind", DATA)
def test_users_data_is_written_verified_branched_and_deleted_with_its_domain(kind: Kind):
    for name in ("log/put_{}s", "log/drop_{}s", "verify/live_{}s", "branches/put_{}s"):
        assert (cypher_root() / (name.format(kind) + ".cypher")).is_file(), name.format(kind)
    assert f"{kind}s" in STAGES or kind is Kind.CONNECTION  # a relationship goes with its nodes
    assert KINDS[kind].put == f"put_{kind}s"
    assert KINDS[kind].drop == f"drop_{kind}s"


@pytest.mark.parametrize("kind", ATTACHED)
def test_what_is_attached_goes_with_its_nodes(kind: Kind):
    assert f"'{kind}' AS kind" in (cypher_root() / "changes" / "attached.cypher").read_text()


def test_a_file_may_hold_each_kind():
    assert set(records._STATE_MODELS) == set(KINDS)
    assert set(records._DELETION_MODELS) == {kind for kind, record in KINDS.items() if record.drop is not None}
