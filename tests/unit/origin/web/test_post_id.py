"""Numbers of posts."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from caia_replay.errors import BadInput
from caia_replay.origin.web.post_id import post_id, written_at

MOMENTS = st.integers(1_400_000_000, 2_400_000_000)
NUMBERS = st.integers(0, (1 << 22) - 1)


@given(MOMENTS, NUMBERS, MOMENTS, NUMBERS)
def test_ids_tell_posts_apart_and_grow_with_time(first: int, one: int, second: int, other: int) -> None:
    """An id gives its second back, differs for other posts, is larger for later seconds, and has at most 19 digits."""
    id, later = post_id(first, one), post_id(second, other)
    assert written_at(id) == first and id.isdecimal() and len(id) <= 19
    assert (id == later) == ((first, one) == (second, other))
    assert first >= second or int(id) < int(later)


@pytest.mark.parametrize(("moment", "number"), [(0, 1), (1_700_000_000, -1), (1_700_000_000, 1 << 22)])
def test_what_no_post_can_have_is_refused(moment: int, number: int) -> None:
    """A moment before the epoch and a number out of range are errors."""
    with pytest.raises(BadInput):
        post_id(moment, number)
