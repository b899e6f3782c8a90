import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from caia_replay.cassette.answer import Answer
from caia_replay.cassette.cassette import Interaction
from caia_replay.cassette.row_bytes import KEY_AT, read_row, row_bytes

ANY_TEXT = st.text(st.characters(), max_size=8)  # lone surrogates too
HEADERS = st.dictionaries(ANY_TEXT, st.lists(ANY_TEXT, min_size=1, max_size=3).map(tuple), max_size=3)
ITEMS = st.builds(
    Interaction,
    method=ANY_TEXT,
    uri=ANY_TEXT,
    request_body=st.binary(max_size=20),
    request_headers=HEADERS,
    status=st.integers(100, 599),
    reason=ANY_TEXT,
    headers=HEADERS,
    body=st.binary(max_size=40),
)
IDS = st.none() | st.lists(st.none() | ANY_TEXT, min_size=1, max_size=3).map(tuple)


@settings(max_examples=150, deadline=None)
@given(st.binary(max_size=20), IDS, ITEMS)
def test_a_row_is_read_as_it_was_written(key, ids, item):
    """Every field comes back exactly, header order included, and the key stands where it can be read alone."""
    row = row_bytes(key, ids, item)
    answer = read_row(row, key)
    assert (answer.ids, answer.interaction) == (ids, item)
    assert list(answer.interaction.headers) == list(item.headers)
    parsed = Answer.of(item, ids)
    for name in ("status", "reason", "lines", "body", "key", "reply"):
        assert getattr(answer, name) == getattr(parsed, name)
    assert row[KEY_AT : KEY_AT + len(key)] == key


@settings(max_examples=150, deadline=None)
@given(ITEMS, st.data())
def test_other_bytes_are_refused_or_read_as_something(item, data):
    """A cut, longer or changed row is a ValueError at worst, whatever lengths it claims."""
    row = bytearray(row_bytes(b"key", ("1",), item))
    for _ in range(data.draw(st.integers(1, 4))):
        row[data.draw(st.integers(0, len(row) - 1))] = data.draw(st.integers(0, 255))
    for damaged in (bytes(row), bytes(row[: data.draw(st.integers(0, len(row)))])):
        try:
            found = read_row(damaged, b"key").interaction
        except ValueError:
            continue
        assert isinstance(found, Interaction)
    for wrong_length in (bytes(row[:-1]), bytes(row) + b"x", b""):
        with pytest.raises(ValueError):
            read_row(wrong_length, b"key")
