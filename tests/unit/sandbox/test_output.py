"""What a guest writes, kept as far as it is shown."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from caia_replay.sandbox.output import Output


@given(st.lists(st.text(max_size=20), max_size=10), st.integers(1, 40), st.booleans())
def test_an_output_is_the_first_or_the_last_of_what_was_written(parts: list[str], limit: int, last: bool) -> None:
    """However it was written, whole characters of one end are kept, at most one fewer than would fit."""
    output = Output(limit, last=last)
    for part in parts:
        output.add(part.encode())
    text, size = output.take()
    whole = "".join(parts)
    assert size == len(whole.encode())
    assert whole.endswith(text) if last else whole.startswith(text)
    assert text == whole if size <= limit else limit - 3 <= len(text.encode()) <= limit


def test_an_output_begins_anew_once_taken() -> None:
    """What was taken is not told again."""
    output = Output(10, last=False)
    output.add(b"one")
    assert output.take() == ("one", 3)
    assert output.take() == ("", 0)


def test_what_is_no_text_becomes_replacement_characters() -> None:
    """Bytes that are no UTF-8 are shown as such and counted."""
    output = Output(10, last=True)
    output.add(b"\xff\xfea")
    assert output.take() == ("\N{REPLACEMENT CHARACTER}" * 2 + "a", 3)


def test_memory_is_bounded_by_the_limit() -> None:
    """A flood is counted and not kept."""
    for last in (False, True):
        output = Output(100, last=last)
        for _ in range(1_000):
            output.add(b"x" * 10_000)
        assert len(output._kept) == 100 and output.take() == ("x" * 100, 10_000_000)
