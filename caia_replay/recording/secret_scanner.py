"""Values that look drawn at random, as keys are, whatever name they stand under.

A name-based scan misses a key under a harmless name or inside a text. This one looks at the characters alone, so it
must know what else looks random in recordings of chains and markets: hashes, addresses and bytecode are hexadecimal,
addresses of other chains have alphabets and checks of their own, embedded files are longer than any key.
What cannot be told apart is left out: hexadecimal keys, and keys shorter than 20 characters.
"""

from __future__ import annotations

import json
import math
import re
from collections import Counter
from collections.abc import Iterator
from hashlib import sha256
from typing import Any

from caia_replay.canonical import require_shallow
from caia_replay.cassette.secret import SCRUBBED

SHORTEST = 20
LONGEST = 128
"""Characters of a key. What is longer is content: an embedded picture, a signed document, a program."""

# Measured on keys drawn at random from letters of one or both cases and digits: nine of ten pass at 24 characters.
_LEAST_BITS = 3.4
_LONGEST_RUN = 3.5

_WORD = re.compile(r"[A-Za-z0-9_-]{20,}")
_DATA_URL = re.compile(r"data:[a-z]+/[A-Za-z0-9.+-]+;base64,[A-Za-z0-9+/=_-]*")
_BLOB = re.compile(r"[A-Za-z0-9+/_=-]{129,}")
_UUID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.IGNORECASE)
_INTEGRITY = re.compile(r"sha(?:256|384|512)-[A-Za-z0-9+/=]+")
_BECH32 = re.compile(r"[a-z]{1,12}1[02-9ac-hj-np-z]{38,}")
_BASE58 = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"
_BASE58_VALUE = {letter: value for value, letter in enumerate(_BASE58)}
# IPFS, Stellar and Stacks: an alphabet of 32, a fixed first letter and a fixed length.
_BASE32 = re.compile(r"b[a-z2-7]{58}|G[A-Z2-7]{55}|S[PM][0-9A-HJKMNP-TV-Z]{38,40}")
# A place in a list, or a digest of the content: random to look at, and worth nothing to a thief.
_HARMLESS_NAME = re.compile(
    r"^id$|cursor|next|prev|continu|page|paginat|scroll|offset|etag|hash|digest|checksum|signature|integrity|nonce",
    re.IGNORECASE,
)
_HEXADECIMAL = re.compile(r"0x[0-9a-f]*|(?<![0-9a-z])(?:cx|hx|xdc)?[0-9a-f]{16,}|%[0-9a-f]{2}", re.IGNORECASE)
_PLAIN = re.compile(r"[a-z]{1,24}|[A-Z]?[a-z]{1,24}|[A-Z]{1,16}|[0-9]{1,16}")
_RUN = re.compile(r"[A-Z]?[a-z]+|[A-Z]+|[0-9]+")
# The path of a link names a public file or picture; where an API has its keys in the path it stands behind a version.
_LINK = re.compile(r"https?:(?:\\?/){2}(?![^\s\"'<>?#]{0,2000}/(?:v[0-9]|rpc)/)[^\s\"'<>?#]+")
_TIMES = re.compile(r"\d{4}-\d\d-\d\d")


def key_like(text: str) -> Iterator[str]:
    """The values in ``text`` that look like keys, in order. JSON is read member by member, names considered."""
    yield from (found for piece in _texts(text) for found in _in_piece(piece))


def looks_drawn(word: str) -> bool:
    """Whether a word of letters and digits is as mixed as one drawn at random, and is no known kind of public value."""
    if not SHORTEST <= len(word) <= LONGEST or _TIMES.match(word):
        return False
    if _is_public(word):
        return False
    # Where people join words with separators the pieces are words and numbers; what is left of a key is still long.
    stretch = "".join(piece for piece in re.split(r"[_-]", word) if not _PLAIN.fullmatch(piece))
    if len(stretch) < SHORTEST - 4 or _is_public(stretch):
        return False
    letters, digits = sum(c.isalpha() for c in stretch), sum(c.isdigit() for c in stretch)
    if digits < 2 or letters < 4 or not re.search(r"[g-zG-Z]", stretch):
        return False  # words, numbers, hexadecimal
    # Words, also when they are joined by capitals, are made of longer runs than chance makes.
    run = len(stretch) / len(_RUN.findall(stretch))
    return run <= _LONGEST_RUN and bits_per_character(stretch) >= _LEAST_BITS


def bits_per_character(text: str) -> float:
    """Shannon's entropy of the characters of ``text``; 0 for no text."""
    counts = Counter(text).values()
    return -sum(count / len(text) * math.log2(count / len(text)) for count in counts)


def _texts(text: str) -> Iterator[str]:
    """``text``, or, of JSON, every name and every string but those under names of harmless values."""
    try:
        require_shallow(text.encode("utf-8", "surrogatepass"))
        value = json.loads(text)
    except ValueError:
        yield text
        return
    yield from _strings(value)


def _strings(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        for name, child in value.items():
            yield name
            if not (isinstance(child, str) and _HARMLESS_NAME.search(name)):
                yield from _strings(child)
    elif isinstance(value, list):
        for child in value:
            yield from _strings(child)
    elif isinstance(value, str):
        yield value


def _in_piece(text: str) -> Iterator[str]:
    if not _WORD.search(text):  # most texts have no word that is long enough, and what is cut out below makes none
        return
    for pattern in (_DATA_URL, _LINK, _INTEGRITY, _BLOB, _UUID, _HEXADECIMAL):
        text = pattern.sub(" ", text)
    for found in _WORD.finditer(text):
        named = re.search(r"([A-Za-z_.-]+)=$", text[max(0, found.start() - 60) : found.start()])
        if named is not None and _HARMLESS_NAME.search(named[1]):
            continue
        if SCRUBBED not in found[0] and looks_drawn(found[0]):
            yield found[0]


def _is_public(word: str) -> bool:
    """Whether a word is an address, a transaction or a content id in an alphabet that has nothing else in it."""
    if _BECH32.fullmatch(word) or _BASE32.fullmatch(word):
        return True
    if not 26 <= len(word) <= 90 or not set(word) <= _BASE58_VALUE.keys():
        return False
    number = 0
    for letter in word:
        number = number * 58 + _BASE58_VALUE[letter]
    zeros = len(word) - len(word.lstrip("1"))
    raw = b"\0" * zeros + number.to_bytes((number.bit_length() + 7) // 8, "big")
    checked = len(raw) > 4 and sha256(sha256(raw[:-4]).digest()).digest()[:4] == raw[-4:]
    # 32 and 64 bytes: a Solana account and signature, which carry no check; 34: an IPFS digest.
    return checked or len(raw) in (32, 64) or (len(raw) == 34 and raw[:2] == b"\x12\x20")
