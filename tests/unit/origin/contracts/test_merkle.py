"""Laws of the airdrop's tree; tests/contracts claims against it."""

from __future__ import annotations

from eth_utils.crypto import keccak
from hypothesis import given
from hypothesis import strategies as st

from caia_replay.origin.contracts.merkle import leaf, proof, root

trees = st.lists(st.binary(min_size=32, max_size=32), min_size=1, max_size=40, unique=True)


def climbed(node: bytes, path: list[bytes]) -> bytes:
    """The root a verifier comes to."""
    for neighbour in path:
        node = keccak(min(node, neighbour) + max(node, neighbour))
    return node


@given(trees, st.data())
def test_every_leaf_climbs_to_the_root_and_no_other_does(leaves: list[bytes], data: st.DataObject) -> None:
    """A proof leads its own leaf to the root; any other leaf comes out elsewhere."""
    index = data.draw(st.integers(0, len(leaves) - 1))
    path = proof(leaves, index)
    assert climbed(leaves[index], path) == root(leaves)
    assert climbed(bytes(31) + b"\7", path) != root(leaves)


def test_leaves_tell_their_fields_apart() -> None:
    """Another index, account or amount is another leaf."""
    fields = [(0, "0x" + "11" * 20, 5), (1, "0x" + "11" * 20, 5), (0, "0x" + "12" * 20, 5), (0, "0x" + "11" * 20, 6)]
    assert len({leaf(*claim) for claim in fields}) == 4
