"""Typeset answers said plainly: LaTeX formulas, HTML tags, digits of every script; digits in names blanked out."""

from __future__ import annotations

import re
import unicodedata

_MARKS = {"٫": ".", "٬": ",", "’": "'"}
_NOT_NUMBERS = re.compile(
    r"https?://\S+|\b0[xX][0-9a-fA-F]+(?:\.{2,}|…)?[0-9a-fA-F]*\b|\b(?=\d{0,63}[a-fA-F])[0-9a-fA-F]{40,64}\b"
    r"|(?<=[\w%.)\"\n])\[\^?\d{1,3}\]|(?<=[\w%.)\"] )\[\^?\d{1,3}\]|【[^】]{0,40}】"
)
_BULLET = re.compile(r"^\(?(\d{1,2})[.)] ", re.MULTILINE)
_TAG = re.compile(r"</?[A-Za-z][^<>\n]{0,60}>")
_MATH = re.compile(r"\$((?:[^$\\\n]|\\.){1,200})\$(?!\d)")
_MATH_ONLY = re.compile(r"[-+\d.,\s%^{}()=×x]+")
_COMMAND = re.compile(r"\\(?:boxed|text|textbf|mathrm|mathbf|mathit|operatorname)\s?\{([^{}]*+)\}")
_SYMBOLS = {"times": "×", "cdot": "×", "approx": "≈", "sim": "~", "pm": "±"} | dict.fromkeys(("leq", "le"), "≤")
_SYMBOLS |= {"geq": "≥", "ge": "≥", "lt": "<", "gt": ">", "to": "→", "rightarrow": "→", "left": "", "right": ""}
_SYMBOL = re.compile(rf"\\({'|'.join(_SYMBOLS)})(?![A-Za-z])")
_SPACE = re.compile(r"\\[,;:! ]")
_ESCAPED = re.compile(r"\\([%$#&_{}])")
_POWER = re.compile(r"\^\{\s?([+-]?\d{1,3})\s?\}")
_CONTINENTAL = re.compile(r"(?<![\d.,])[1-9]\d{0,2}(?:(?:\.\d{3}){2,}|(?:\.\d{3})+,\d{1,2}(?!\d))(?![\d.])")
_DOTTED = re.compile(r"(?<![\d.,])([1-9]\d{0,2})\.(\d{3})(?![\d.,]\d|\d)")


def plain(text: str) -> str:
    """``text`` (already cleaned) without typesetting: ``$\\boxed{1\\,234}$`` is 1 234.

    Beside a number that can only be continental (19.000.000 or 1.234,50), 48.213 is 48,213.
    """
    flat = _TAG.sub("", ascii_digits(text))
    if "$" in flat:
        flat = _MATH.sub(
            lambda found: found[1] if "\\" in found[1] or _MATH_ONLY.fullmatch(found[1]) else found[0], flat
        )
    if "\\" in flat:
        flat = _SYMBOL.sub(lambda found: _SYMBOLS[found[1]], _COMMAND.sub(r"\1", _COMMAND.sub(r"\1", flat)))
        flat = _POWER.sub(r"^\1", _ESCAPED.sub(r"\1", _SPACE.sub(" ", flat)))
        flat = re.sub(" {2,}", " ", flat)
    return _DOTTED.sub(r"\1,\2", flat) if _CONTINENTAL.search(flat) else flat


def ascii_digits(text: str) -> str:
    """``text`` with the digits of every script, and the Arabic marks between them, in ASCII. Length is kept."""
    if text.isascii():
        return text
    return "".join(
        c if c < "\x80" else _MARKS.get(c, c) if unicodedata.category(c) != "Nd" else str(unicodedata.decimal(c))
        for c in text
    )


def without_names(text: str) -> str:
    """``text`` with URLs, hexadecimal words, citation marks and the numbers of a numbered list blanked out."""
    flat = _NOT_NUMBERS.sub(" @ ", text)
    bullets = [int(found[1]) for found in _BULLET.finditer(flat)]
    if bullets != list(range(1, len(bullets) + 1)):
        return flat
    rest = _BULLET.sub("@ ", flat)
    return rest if any(c.isdigit() for c in rest) else flat
