"""Regular expressions that came with data, and the bound on what matching one may cost.

The matcher of the standard library tries every way a pattern can be laid over a text, and a few characters are enough
to make the ways more than the universe has time for. A pattern of a stranger is therefore weighed before it is used:

- it has at most ``LONGEST`` characters and no back reference or conditional;
- what is repeated more than once has itself one fixed length and no alternative in it, so ``(a+)+`` and ``(a|b)*``
  are refused where ``(?:ab)*`` and ``[ab]*`` are not;
- its ways over the text it is meant for are at most ``MOST_STEPS``: each place to begin, times each length of every
  repetition that does not end by itself, times every alternative, times the longest walk along one that does.

A repetition ends by itself when what must follow is a letter that it cannot hold (``[0-9]+ blocks``) or nothing. Its
walk does not count when it ends the pattern, or when no match can begin inside it. The bound counts ways, not time:
the same pattern for the same length of text is refused or taken on every machine.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from re import _constants as _code  # type: ignore[attr-defined]
from re import _parser  # type: ignore[attr-defined]
from typing import Any, Final

LONGEST: Final = 1_000
"""Characters of a pattern."""

MOST_STEPS: Final = 2_000_000_000
"""Ways of laying a pattern over a text. Real patterns stay far below: this is the worst of texts."""

_REPEATS: Final = frozenset({_code.MAX_REPEAT, _code.MIN_REPEAT, _code.POSSESSIVE_REPEAT})
_SINGLE: Final = frozenset({_code.LITERAL, _code.NOT_LITERAL, _code.ANY, _code.IN})
_GROUPS: Final = frozenset({_code.SUBPATTERN, _code.ATOMIC_GROUP})
_LOOKS: Final = frozenset({_code.ASSERT, _code.ASSERT_NOT})
_CATEGORIES: Final = {
    _code.CATEGORY_DIGIT: str.isdecimal,
    _code.CATEGORY_SPACE: str.isspace,
    _code.CATEGORY_WORD: lambda letter: letter.isalnum() or letter == "_",
}
_NOT: Final = {
    _code.CATEGORY_NOT_DIGIT: _code.CATEGORY_DIGIT,
    _code.CATEGORY_NOT_SPACE: _code.CATEGORY_SPACE,
    _code.CATEGORY_NOT_WORD: _code.CATEGORY_WORD,
}
_MOST_LETTERS: Final = 256

_Letters = frozenset[str] | None
"""The letters something can begin with; None where they were not counted."""


def tame(pattern: str, characters: int) -> re.Pattern[str]:
    """``pattern`` compiled, for texts of at most ``characters``. Raises ``ValueError`` saying which rule it breaks."""
    if len(pattern) > LONGEST:
        raise ValueError(f"a pattern of {len(pattern)} characters, more than {LONGEST}")
    try:
        compiled = re.compile(pattern)
        parsed = list(_parser.parse(pattern))
    except (re.error, OverflowError, RecursionError) as fault:
        raise ValueError(f"no pattern: {fault}") from fault
    begins, may_be_empty = _begins(parsed)
    folds_case = bool(compiled.flags & re.IGNORECASE)
    weigher = _Weigher(characters, folds_case, None if may_be_empty else begins)
    ways = weigher.ways(parsed, frozenset())
    if (characters + 1) * ways * weigher.walk > MOST_STEPS:
        raise ValueError(f"a pattern that may take more than {MOST_STEPS} steps on {characters} characters")
    return compiled


class _Weigher:
    """Counts the ways of one pattern that begins with ``begins``; ``walk`` is its longest walk from one place."""

    def __init__(self, characters: int, folds_case: bool, begins: _Letters) -> None:
        self._characters = characters
        self._folds_case = folds_case
        self._begins = begins
        self.walk = 1

    def ways(self, items: list[Any], after: _Letters) -> int:
        """In how many ways ``items`` can be laid over a text where ``after`` follows. Raises ``ValueError``."""
        product = 1
        for at, (kind, value) in enumerate(items):
            follow, is_through = _begins(items[at + 1 :])
            if is_through:
                follow = None if follow is None or after is None else follow | after
            if kind in _REPEATS:
                product *= self._of_repeat(int(value[0]), int(value[1]), value[2], follow)
            elif kind in _GROUPS:
                product *= self.ways(_inside(kind, value), follow)
            elif kind in _LOOKS:
                product *= self.ways(list(value[1]), None)
            elif kind is _code.BRANCH:
                product *= sum(self.ways(list(branch), follow) for branch in value[1])
            elif kind not in _SINGLE and kind is not _code.AT:
                raise ValueError(f"a pattern with a {str(kind).lower()}, which is not matched here")
        return product

    def _of_repeat(self, least: int, most: int, body: Any, follow: _Letters) -> int:
        inside = self.ways(list(body), follow)
        if most > 1 and not _is_fixed(body):
            raise ValueError("a pattern that repeats what has no one length, or an alternative")
        if least == most:
            return inside
        spread = min(most - least, self._characters) + 1
        if not self._cannot_hold(body, follow):
            return inside * spread
        if follow and not self._cannot_hold(body, self._begins):
            self.walk = max(self.walk, spread)
        return inside

    def _cannot_hold(self, body: Any, letters: _Letters) -> bool:
        single = len(body) == 1 and body[0][0] in _SINGLE
        if letters is None or not single or (letters and self._folds_case):
            return not letters and letters is not None
        return not any(_holds(body[0], letter) for letter in letters)


def _begins(items: list[Any]) -> tuple[_Letters, bool]:
    """The letters ``items`` can begin with, and whether they can be laid over nothing."""
    found: frozenset[str] = frozenset()
    for kind, value in items:
        letters, may_be_empty = _item_begins(kind, value)
        if letters is None:
            return None, may_be_empty
        found |= letters
        if not may_be_empty:
            return found, False
    return found, True


def _item_begins(kind: Any, value: Any) -> tuple[_Letters, bool]:
    if kind in _REPEATS:
        letters, may_be_empty = _begins(list(value[2]))
        return letters, may_be_empty or value[0] == 0
    if kind in _GROUPS:
        return _begins(_inside(kind, value))
    if kind is _code.BRANCH:
        each = [_begins(list(branch)) for branch in value[1]]
        known = [letters for letters, _ in each if letters is not None]
        every = frozenset[str]().union(*known) if len(known) == len(each) else None
        return every, any(may_be_empty for _, may_be_empty in each)
    if kind in _SINGLE:
        return _letters(kind, value), False
    return None, True


def _letters(kind: Any, value: Any) -> _Letters:
    if kind is _code.LITERAL:
        return frozenset({chr(value)})
    if kind is not _code.IN:
        return None
    found: set[str] = set()
    for part, what in value:
        if part is _code.LITERAL:
            found.add(chr(what))
        elif part is _code.RANGE and what[1] - what[0] < _MOST_LETTERS:
            found.update(map(chr, range(what[0], what[1] + 1)))
        elif part is _code.CATEGORY and what is _code.CATEGORY_SPACE:
            found.update(" \t\n\r\f\v\x1c\x1d\x1e\x1f\x85\xa0\u1680\u2028\u2029\u202f\u205f\u3000")
            found.update(map(chr, range(0x2000, 0x200B)))
        else:
            return None
    return frozenset(found)


def _inside(kind: Any, value: Any) -> list[Any]:
    return list(value[-1] if kind is _code.SUBPATTERN else value)


def _is_fixed(body: Any) -> bool:
    """Whether everything in ``body`` has one length and can be laid in one way."""
    for kind, value in body:
        if kind is _code.BRANCH:
            return False
        if kind in _REPEATS and (value[0] != value[1] or not _is_fixed(value[2])):
            return False
        if kind in _GROUPS and not _is_fixed(_inside(kind, value)):
            return False
    return True


def _holds(item: Any, letter: str) -> bool:
    """Whether a single-letter item of a parsed pattern can be ``letter``."""
    kind, value = item
    if kind is _code.LITERAL:
        return bool(value == ord(letter))
    if kind is _code.NOT_LITERAL:
        return bool(value != ord(letter))
    if kind is _code.IN:
        negated = bool(value) and value[0][0] is _code.NEGATE
        return negated != any(_holds_part(part, letter) for part in value)
    return True  # ANY: that it stops at a line's end is of no use here


def _holds_part(part: Any, letter: str) -> bool:
    kind, value = part
    if kind is _code.RANGE:
        return bool(value[0] <= ord(letter) <= value[1])
    if kind is _code.CATEGORY:
        known: Callable[[str], bool] = _CATEGORIES[_NOT.get(value, value)]
        return known(letter) != (value in _NOT)
    return bool(kind is _code.LITERAL and value == ord(letter))
