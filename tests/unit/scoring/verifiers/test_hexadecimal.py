"""What addresses and hashes share."""

from __future__ import annotations

import re

import pytest

from caia_replay.core.task import AnswerSpec
from caia_replay.errors import BadInput
from caia_replay.scoring.verifiers.hexadecimal import judge_hexadecimal

SHORT = re.compile(r"(?:0x)?\b([0-9a-f]{4})\b")


def test_the_reading_is_lower_case_with_its_prefix() -> None:
    """Readings are canonical, so equal answers are equal texts."""
    assert judge_hexadecimal(AnswerSpec("hash", ("abcd",)), "it is abcd", SHORT, "word").reading == "0xabcd"


def test_several_words_are_a_hedge() -> None:
    """Two different words choose neither; the same one twice is one."""
    spec = AnswerSpec("hash", ("abcd",))
    assert judge_hexadecimal(spec, "abcd 1234", SHORT, "word").correct is False
    assert judge_hexadecimal(spec, "abcd (abcd)", SHORT, "word").correct is True


def test_a_value_that_is_no_such_word_is_bad_input() -> None:
    """The spec's own value is checked by the same pattern."""
    with pytest.raises(BadInput, match="not one word"):
        judge_hexadecimal(AnswerSpec("hash", ("xyz",)), "abcd", SHORT, "word")
