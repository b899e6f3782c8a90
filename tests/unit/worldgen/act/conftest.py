"""What several acts' tests ask of the told story."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from caia_worldgen.event import done
from caia_worldgen.scene import Scene


@pytest.fixture(scope="session")
def failed(scene: Scene) -> dict[int, list[dict[str, Any]]]:
    """The main chain's failed transactions, block by block, in order."""
    found: dict[int, list[dict[str, Any]]] = {}
    for block in range(1, scene.main.height):
        for receipt in scene.main.ask("eth_getBlockReceipts", hex(block)):
            if receipt["status"] == "0x0":
                found.setdefault(block, []).append(receipt)
    return found


@pytest.fixture(scope="session")
def refusals(scene: Scene, failed: dict[int, list[dict[str, Any]]]) -> Callable[[str], list[str]]:
    """The errors with which one contract refused, in order, having shown that each is the deed's.

    Of every deed of it there is one failed transaction of that actor to that contract, and its trace ends in the error.
    """

    def of(role: str) -> list[str]:
        stage = scene.main
        contract = stage.contracts[role]
        named = {
            selector: name for known in stage.contracts.values() for name, selector in known.artifact.errors.items()
        }
        told = []
        for block, receipts in failed.items():
            for receipt in receipts:
                if receipt["to"] == contract.address:
                    options = {"tracer": "callTracer", "tracerConfig": {"onlyTopCall": True}}
                    traced = stage.ask("debug_traceTransaction", receipt["transactionHash"], options)
                    error = named[bytes.fromhex(traced["output"][2:10])]
                    told.append((block, receipt["from"], error))
        meant = [
            (deed.block, deed.actor, str(dict(deed.figures)["error"]))
            for deed in done(stage.deeds, "was refused", role)
        ]
        assert told == meant
        return [error for _, _, error in told]

    return of
