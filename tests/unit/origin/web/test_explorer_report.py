"""Reports of addresses."""

from __future__ import annotations

from caia_replay.origin.web.explorer_report import POISONING, reports_of
from caia_replay.origin.web.truth import Truth


def test_only_deeds_give_reason(truth: Truth) -> None:
    """Look-alikes are reported from their first deed on; genuine tokens of projects are never reported."""
    found = reports_of(truth.scene)
    first: dict[str, int] = {}
    for deed in truth.scene.main.deeds:
        if deed.verb in ("faked a transfer", "sent nothing"):
            first.setdefault(str(dict(deed.figures)["looks_like"]), deed.block)
    assert {address: block for address, (block, why) in found.items() if why == POISONING} == first
    genuine = {truth.scene.assets[role].address for role in ("dollar", "exchange", "lend", "arena")}
    assert not genuine & set(found)
