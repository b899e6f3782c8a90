"""Ranges a task declares: what they claim, and what cannot be one. How they are read is tested in test_capture_task."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from caia_replay.chain.claim import Claim, Claims
from caia_replay.core.task import Anchor, CaptureRange
from caia_replay.errors import BadInput
from caia_replay.recording.capture_range import claim_of, ranges_are_kept

ADDRESS, TOPIC = "0x" + "0A" * 20, "0x" + "0b" * 32


def task(*ranges: CaptureRange) -> Any:
    return SimpleNamespace(id="t", anchor=Anchor("toy", 9, 1), capture=ranges)


def test_a_range_becomes_the_claim_it_says() -> None:
    """Addresses in any case, topics by position, an empty position for any."""
    wanted = CaptureRange("logs", 2, 9, (ADDRESS,), ((), (TOPIC,)))
    narrowed = (frozenset(), frozenset([bytes.fromhex(TOPIC[2:])]))
    assert claim_of(task(), wanted) == Claim("logs", 2, 9, frozenset([bytes.fromhex(ADDRESS[2:])]), narrowed)


@pytest.mark.parametrize(
    "wrong",
    [CaptureRange("logs", 2, 10), CaptureRange("logs", 5, 4), CaptureRange("blocks", 1, 2, (ADDRESS,)),
     CaptureRange("logs", 1, 2, ("0x01",)), CaptureRange("receipts", 1, 2, (), ((TOPIC,),)),
     CaptureRange("logs", 1, 2, (), (("0x",),)), CaptureRange("logs", -1, 2)],
)  # fmt: skip
def test_a_range_that_cannot_be_is_refused_by_task_and_table(wrong: CaptureRange) -> None:
    """Past the anchor, backwards, narrowed where nothing can be, or no hex."""
    with pytest.raises(BadInput, match=f"task t, capture of {wrong.table}"):
        claim_of(task(), wrong)


def test_ranges_are_kept_where_the_snapshot_claims_them() -> None:
    """All of them, in one claim or in pieces."""
    one, two = CaptureRange("logs", 1, 4), CaptureRange("blocks", 0, 3)
    pieces = [Claim("logs", 1, 2), Claim("logs", 3, 9)]
    snapshot: Any = SimpleNamespace(claims=Claims.of(pieces))
    assert ranges_are_kept(task(one), snapshot) and ranges_are_kept(task(), snapshot)
    assert not ranges_are_kept(task(one, two), snapshot)
