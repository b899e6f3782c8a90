"""A proposal's identity is the deployed contracts'; whether it passes is their rule."""

from __future__ import annotations

import pytest

from caia_replay.origin.act.motion import Motion, Side
from caia_replay.origin.artifact import load_artifact
from caia_replay.origin.scene import Scene
from caia_replay.origin.stage import Contract

HERE = "0x" + "12" * 20


def motion(text: str) -> Motion:
    calls = (
        (Contract(HERE, load_artifact("FeeVaultV1")), b"\1\2\3"),
        (Contract("0x" + "34" * 20, load_artifact("FeeVaultV1")), b""),
    )
    return Motion("test", text, calls, 3, 9, quorum=10)


def test_identities_are_the_deployed_contracts(scene: Scene) -> None:
    """The governor's and the timelock's own hashing functions give the same numbers."""
    one, governor, lock = (
        motion("a text, with a word: é"),
        scene.main.contracts["governor"],
        scene.main.contracts["timelock"],
    )

    def read(contract: Contract, function: str, *arguments: object) -> object:
        data = "0x" + contract.artifact.call(function, arguments).hex()
        reply = scene.main.ask("eth_call", {"to": contract.address, "data": data}, "latest")
        return contract.artifact.decode(function, bytes.fromhex(reply[2:]))[0]

    assert read(governor, "hashProposal", *one.arguments()) == one.id
    salt = bytes(a ^ b for a, b in zip(bytes.fromhex(governor.address[2:]) + bytes(12), one.text_hash, strict=True))
    assert read(lock, "hashOperationBatch", *one.batch, bytes(32), salt) == one.operation(governor.address)
    assert motion("another text").id != one.id


@pytest.mark.parametrize(
    ("tally", "passes"),
    [
        ((0, 10, 0), True),
        ((9, 10, 0), True),
        ((10, 10, 0), False),
        ((0, 9, 0), False),
        ((0, 1, 9), True),
        ((9, 0, 10), False),
    ],
)
def test_what_passes(tally: tuple[int, int, int], passes: bool) -> None:
    """More for than against, and a quorum of 10 to which abstentions count and votes against do not."""
    one = motion("a text")
    for side in Side:
        one.tally[side] = tally[side]
    assert one.passes() is passes
