"""Hashes."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from caia_replay.core.task import AnswerSpec
from caia_replay.scoring.verifiers.hash import HashVerifier

hashes = st.binary(min_size=32, max_size=32).map(lambda raw: "0x" + raw.hex())


@settings(max_examples=100)
@given(hashes, hashes)
def test_equal_bytes_and_nothing_else(value: str, other: str) -> None:
    """Right exactly for the same 32 bytes, whatever the case and prose."""
    spec = AnswerSpec("hash", (value,))
    verdict = HashVerifier().verify(spec, f"The transaction is {other.upper()}.").correct
    assert verdict is (value == other)
    assert HashVerifier().verify(spec, f"tx {value.upper()}").correct is True


def test_a_truncated_hash_is_not_read() -> None:
    """Sixty-two digits are no hash."""
    assert HashVerifier().verify(AnswerSpec("hash", ("0x" + "ab" * 32,)), "0x" + "ab" * 31).reading is None
