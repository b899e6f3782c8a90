"""Tokens reported and estimated."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from caia_replay.core.message import Message, ToolCall
from caia_replay.core.model import Usage
from caia_replay.core.tool import ToolSpec
from caia_replay.models.usage import MOST_TOKENS, estimated_usage, prompt_bytes, read_usage

REASONED = {"completion_tokens_details": {"reasoning_tokens": 12}}
COUNTS = {"prompt_tokens": 100, "completion_tokens": 20}


@pytest.mark.parametrize(
    ("extra", "usage"),
    [
        ({}, Usage(100, 20)),
        ({"total_tokens": 120}, Usage(100, 20)),
        ({"total_tokens": 7}, Usage(100, 20)),
        ({"prompt_tokens": 100.0}, Usage(100, 20)),
        ({"prompt_tokens_details": {"cached_tokens": 64}}, Usage(100, 20, cached_tokens=64)),
        ({"prompt_tokens_details": {"cached_tokens": 640}}, Usage(100, 20, cached_tokens=100)),
        ({"prompt_tokens_details": None, "prompt_cache_hit_tokens": 60}, Usage(100, 20, cached_tokens=60)),
        ({"cached_tokens": 50}, Usage(100, 20, cached_tokens=50)),
        ({"prompt_tokens_details": {"cached_tokens": -1}}, Usage(100, 20)),
        ({"prompt_tokens_details": "none"}, Usage(100, 20)),
        (REASONED, Usage(100, 20, reasoning_tokens=12)),
        (REASONED | {"total_tokens": 120}, Usage(100, 20, reasoning_tokens=12)),
        (REASONED | {"total_tokens": 132}, Usage(100, 32, reasoning_tokens=12)),
        (REASONED | {"total_tokens": 140}, Usage(100, 20, reasoning_tokens=12)),
        ({"total_tokens": 500}, Usage(100, 400, reasoning_tokens=380)),
    ],
)  # fmt: skip
def test_vendors_forms_are_read(extra: dict[str, Any], usage: Usage) -> None:
    """Cached and reasoning tokens wherever they stand; reasoning that only the total counts is put back."""
    assert read_usage(COUNTS | extra, said=True) == usage


@pytest.mark.parametrize(
    "usage",
    [
        None, [], "many", {}, {"prompt_tokens": 7}, {"completion_tokens": 7},
        COUNTS | {"prompt_tokens": "100"}, COUNTS | {"prompt_tokens": True}, COUNTS | {"prompt_tokens": -1},
        COUNTS | {"completion_tokens": MOST_TOKENS + 1}, COUNTS | {"completion_tokens": 1.5},
        COUNTS | {"prompt_tokens": 0}, COUNTS | {"completion_tokens": 0}, COUNTS | {"completion_tokens": float("inf")},
    ],
)  # fmt: skip
def test_nonsense_is_no_report(usage: Any) -> None:
    """Wrong types, absurd counts and silent zeros."""
    assert read_usage(usage, said=True) is None


def test_nothing_said_may_cost_nothing() -> None:
    """An empty message of no tokens is believable."""
    assert read_usage(COUNTS | {"completion_tokens": 0}, said=False) == Usage(100, 0)


@given(st.integers(0, 10**9), st.lists(st.text(max_size=20)))
def test_an_estimate_is_bytes_by_four_rounded_up_and_marked(size: int, said: list[str]) -> None:
    """Never below a quarter of the bytes, never a token more, never zero for something."""
    got = estimated_usage(size, said)
    bytes_said = len("".join(said).encode("utf-8", "replace"))
    assert not got.reported
    assert 0 <= got.prompt_tokens * 4 - size < 4 and 0 <= got.completion_tokens * 4 - bytes_said < 4


def test_every_text_of_a_request_counts() -> None:
    """Messages, calls and what tools are described by, in UTF-8."""
    tool = ToolSpec("add", "Adds.", {"type": "object"}, "c", "authoritative")
    talk = [Message("user", "价格?"), Message("assistant", "", (ToolCall("c1", "add", "{}"),))]
    assert prompt_bytes(talk, ()) == 7 + 5
    assert prompt_bytes(talk, (tool,)) == 12 + len('addAdds.{"type": "object"}')
