"""A text's words, spelled one way: what is left when case, accents, markup and thousands separators are taken off.

Unicode's own normal forms are made word by word: over a whole hostile text they would take time in its square.
"""

from __future__ import annotations

import html
import re
import unicodedata
from typing import Final

from caia_replay.search.text import CJK

_ENTITY: Final = re.compile(r"&(?:#[0-9]{1,7}|#[xX][0-9a-fA-F]{1,6}|[a-zA-Z]{2,8});")
_ESCAPE: Final = re.compile(r"\\(?:u([0-9a-fA-F]{4})|[nrt\"'/\\])")
# Tags, and where a Markdown link leads: neither is read.
_MARKUP: Final = re.compile(r"</?[A-Za-z][^<>]{0,500}>|\]\([^()\s]{0,500}\)")
# Combining accents, and marks of no width that are put between letters.
_MARK: Final = re.compile("[\u00ad\u0300-\u036f\u200b-\u200f\u2060-\u2064\ufe00-\ufe0f\ufeff]+")
_THOUSANDS: Final = re.compile(r"(?<=[0-9])[,'’_](?=[0-9]{3}(?![0-9]))")
_WORD: Final = re.compile(rf"[{CJK}]|[^\W_{CJK}]+")
_HALF: Final = re.compile(f"[{CJK}]")


def words_of(text: str) -> list[str]:
    """The words of a text in order; every Chinese, Japanese or Korean character is one. Never raises."""
    if "\\" in text:
        text = _ESCAPE.sub(lambda found: chr(int(found[1], 16)) if found[1] else " ", text)
    text = _MARKUP.sub(" ", text)
    if "&" in text:
        text = _ENTITY.sub(lambda found: html.unescape(found[0]), text)
    if not text.isascii():
        text = _MARK.sub("", text)
    words = _WORD.findall(_THOUSANDS.sub("", text))
    return [word.lower() if word.isascii() else _plain(word) for word in words]


def is_half(word: str) -> bool:
    """Whether a word is a single character of a script without spaces, which says about half as much."""
    return len(word) == 1 and _HALF.match(word) is not None


def _plain(word: str) -> str:
    if is_half(word):
        return word
    spelled = unicodedata.normalize("NFKD", word).casefold()
    return "".join(char for char in spelled if not unicodedata.combining(char)) or word
