"""The scale and unit that a table's header states for the numbers below it: "TVL ($M)", "TVL, in thousands"."""

from __future__ import annotations

import re
from collections.abc import Iterator

from caia_replay.core.task import Column
from caia_replay.scoring.unit import COUNTED, KNOWN, SCALES, looks_like_symbol, own_unit, parse_unit

STATED = re.compile(r"[(\[]([^()\[\]]*)[)\]]")
"""What stands in brackets."""
_WORD = re.compile(r"[A-Za-zÀ-ÿ]+|[%‰$€£¥Ξ₿]|[\u4e00-\u9fff]+")
_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])|_")
_ZEROS = re.compile(r"(?<![\d,.'A-Za-z])(?:[x×*]\s?)?(?:1[,.]?)?'?((?:000)(?:[,.]?000)*)s?(?![\d,'A-Za-z])")
_POWER = re.compile(r"(?<![\d,.])(?:1e|10\s?\^\s?)(\d{1,2})(?!\d)", re.IGNORECASE)
_NUMBER = re.compile(r"([$€£¥]?)\s?([+-]?\d[\d.,\s]*)(.*)", re.DOTALL)
_HAN_SCALE = re.compile("[十百千]?[万萬亿億]|千")
_SCALE_WORDS = {1: "", 10**3: "thousand", 10**6: "million", 10**9: "billion", 10**12: "trillion"}
_SCALE_WORDS |= {10**4: "万", 10**5: "十万", 10**7: "千万", 10**8: "亿"}


def with_heading(cell: str, name: str, column: Column) -> str:
    """A number's cell with what its header ``name`` states; the cell itself for other columns.

    Empty, and so no answer, where the cell and its header tell different scales.
    """
    found = _NUMBER.fullmatch(cell.strip()) if column.kind == "number" else None
    if found is None:
        return cell
    scale, units = _stated(name, column)
    own = [SCALES[word.casefold()] for word in _words(found[3]) if word.casefold() in SCALES]
    if scale != 1 and own and own != [scale]:
        return ""
    if scale not in _SCALE_WORDS and not own:
        return ""
    tail = found[3].strip()
    scaled = "" if own else _SCALE_WORDS[scale]
    bare = not found[1] and all(word.casefold() in SCALES for word in _words(tail))
    return " ".join(part for part in (found[1] + found[2].strip(), scaled, tail, *(units if bare else [])) if part)


def _stated(name: str, column: Column) -> tuple[int, list[str]]:
    """The scale a header states, 1 for none, and its units."""
    taken = {word.casefold() for word in _words(column.name)}
    scales = {1000 ** (zeros[1].count("000")) for zeros in _ZEROS.finditer(name)}
    scales |= {10 ** int(power[1]) for power in _POWER.finditer(name)}
    units: list[str] = []
    inside = " ".join(stated[1] for stated in STATED.finditer(name))
    for word in _words(name):
        low = word.casefold()
        if low in taken and word not in _words(inside):
            continue
        if low in SCALES:
            scales.add(SCALES[low])
        elif _is_unit(low, column) or (word in _words(inside) and _may_be_unit(word, column)):
            units.append(word)
    product = 1
    for one in scales:
        product *= one
    return product, list(dict.fromkeys(units))


def _words(text: str) -> list[str]:
    return list(_split(_CAMEL.sub(" ", text)))


def _split(text: str) -> Iterator[str]:
    for word in _WORD.findall(text):
        scale = _HAN_SCALE.match(word)
        if scale and scale.end() < len(word):
            yield scale[0]
            yield word[scale.end() :]
        else:
            yield word


def _is_unit(low: str, column: Column) -> bool:
    """Whether a word is a known unit that is not only a time ("7 days"), or one where a time is asked for."""
    if low not in KNOWN or low in COUNTED:
        return False
    family = own_unit(low).family
    asked = parse_unit(column.unit)[0] if column.unit else None
    return family not in ("time", "month", "times") or (asked is not None and asked.family == family)


def _may_be_unit(word: str, column: Column) -> bool:
    """Whether an unlisted word in brackets may be a token: by its capitals."""
    low = word.casefold()
    if low in COUNTED or low in KNOWN or column.unit is None:
        return False
    return looks_like_symbol(word)
