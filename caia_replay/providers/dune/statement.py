"""A statement in Trino's SQL as words: what makes two statements the same, and which tables one names.

White space, comments, a last semicolon and the case of names do not count; everything else does.
"""

from __future__ import annotations

import re
from typing import Final

MOST_CHARS: Final = 10_000
_WORD: Final = re.compile(
    r"""(?P<skip>\s+|--[^\n]*|/\*.*?\*/)|(?P<text>'(?:[^']|'')*')|(?P<quoted>"(?:[^"]|"")*")"""
    r"""|(?P<name>[A-Za-z_][A-Za-z0-9_$]*)|(?P<number>0[xX][0-9a-fA-F]*|[0-9]+(?:\.[0-9]*)?(?:[eE][+-]?[0-9]+)?)"""
    r"""|(?P<sign><=|>=|<>|!=|\|\||->|=>|[-+*/%<>=(),.;?:\[\]])""",
    re.DOTALL,
)
_LOCAL_SCHEMAS: Final = frozenset(("information_schema", "main", "pg_catalog", "system", "temp"))
_NAME: Final = re.compile(r'[a-z_][a-z0-9_$]*|"[^"]+"')


def words_of(text: str) -> tuple[str, ...]:
    """The statement's words, names in lower case. Raises ``ValueError`` where it is none."""
    if len(text) > MOST_CHARS:
        raise ValueError(f"it has {len(text)} characters, more than {MOST_CHARS}")
    found, at = [], 0
    while at < len(text):
        word = _WORD.match(text, at)
        if word is None:
            raise ValueError(f"{text[at : at + 20]!r} at character {at} is no SQL")
        at = word.end()
        if word.lastgroup != "skip":
            found.append(word[0] if word.lastgroup == "text" else word[0].lower())
    while found and found[-1] == ";":
        found.pop()
    return tuple(found)


def tables_of(text: str) -> tuple[str, ...]:
    """The tables with a schema, such as ``dex.trades``, that stand after FROM or JOIN; () where nothing can be read.

    Schemas that every SQL engine has of itself are none of a warehouse's.
    """
    try:
        words = words_of(text)
    except ValueError:
        return ()
    found = [
        f"{words[at + 1]}.{words[at + 3]}".replace('"', "")
        for at, word in enumerate(words[:-3])
        if word in ("from", "join") and words[at + 2] == "." and is_name(words[at + 1]) and is_name(words[at + 3])
    ]
    return tuple(dict.fromkeys(name for name in found if name.partition(".")[0] not in _LOCAL_SCHEMAS))


def is_name(word: object) -> bool:
    """Whether a word can name a table or a column."""
    return isinstance(word, str) and _NAME.fullmatch(word) is not None
