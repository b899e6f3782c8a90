"""Keys found for places of a trie."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from caia_replay.chain.secure_trie import path_of
from caia_replay.recording.trie_key import Guesses, TrieKeys

GUESSES = Guesses(20)


@settings(deadline=None)  # the first of them hashes thousands of keys
@given(st.text("0123456789abcdef", max_size=3))
def test_a_key_stands_where_it_was_wanted(prefix: str) -> None:
    """Any three leading digits are met by some number of the right width."""
    key = GUESSES.below(prefix)
    assert key is not None and len(key) == 20 and path_of(key).startswith(prefix)


def test_nobody_guesses_long_paths() -> None:
    """Seven digits would take a quarter of a billion hashes."""
    assert Guesses(32).below("0123456") is None


@given(st.lists(st.binary(min_size=32, max_size=32), min_size=1, max_size=20), st.integers(0, 64))
def test_known_keys_come_first(named: list[bytes], digits: int) -> None:
    """Found by their path, and taken for any place above it however deep."""
    keys = TrieKeys(GUESSES)
    paths = [keys.path(key) for key in named]
    assert paths == [path_of(key) for key in named] and [keys.known(path) for path in paths] == named
    assert keys.known(path_of(b"other")) is None
    for path in paths:
        found = keys.below(path[:digits])
        assert found in named and path_of(found).startswith(path[:digits])
