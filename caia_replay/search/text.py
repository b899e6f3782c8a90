"""Text as the index reads it: one Unicode form, numbers without separators, Latin words apart from CJK pairs.

Only what is indexed is normalised; a page itself, and every snippet cut from it, keeps its own spelling.
"""

from __future__ import annotations

import re
import unicodedata

# Han, kana, Hangul and full-width forms: scripts written without spaces between words.
CJK = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003134f"
SEPARATORS = ",_'’"
"""What may stand between the thousands of a number."""

_CJK_RUN = re.compile(f"[{CJK}]+")
_SURROGATE = re.compile("[\ud800-\udfff]")
_GROUPED = re.compile(
    rf"(?<![\w.])(?<!\d[{SEPARATORS}])\d{{1,3}}(?:[{SEPARATORS}]\d{{3}})+(?![{SEPARATORS}]?\d)", re.ASCII
)
_SEPARATED = re.compile(rf"[{SEPARATORS}]\d{{3}}", re.ASCII)
_SEPARATOR = re.compile(f"[{SEPARATORS}]")
_MARK = re.compile(r"(?<!\w)(?:[#@]\w+|\$[^\W\d_]\w*)")
_BREAK = "|"


def normalised(text: str) -> str:
    """``text`` in one Unicode form (NFKC), lone surrogates replaced, which no index can hold."""
    if text.isascii():
        return text
    return unicodedata.normalize("NFKC", _SURROGATE.sub("\N{REPLACEMENT CHARACTER}", text))


def plain_numbers(text: str) -> str:
    """Normalised text whose numbers stand without thousands separators: 1,234,567.8 is 1234567.8.

    Only groups of exactly three digits behind one to three are joined, so 10,20 and 2024,100 stay as they are.
    """
    if _SEPARATED.search(text) is None:  # much cheaper, and true of most texts
        return text
    return _GROUPED.sub(lambda found: _SEPARATOR.sub("", found.group()), text)


def latin(text: str) -> str:
    """Normalised text without its CJK runs."""
    return text if text.isascii() else _CJK_RUN.sub(" ", text)


def cjk_runs(text: str) -> list[str]:
    """The CJK runs of normalised text, in order."""
    return [] if text.isascii() else _CJK_RUN.findall(text)


def bigrams(run: str) -> list[str]:
    """The overlapping pairs of a run; a run of one character has none."""
    return [run[i : i + 2] for i in range(len(run) - 1)]


def bigram_text(text: str) -> str:
    """Every run's bigrams, separated by spaces; a break between runs keeps phrases from reaching across them."""
    return f" {_BREAK} ".join(" ".join(bigrams(run)) for run in cjk_runs(text) if len(run) > 1)


def unigram_text(text: str) -> str:
    """Every CJK character once, for queries of a single character."""
    return " ".join(sorted({char for run in cjk_runs(text) for char in run}))


def marks(text: str) -> list[str]:
    """The #tags, @mentions and $TICKERS of normalised text in lower case, each once, sorted; $100 is none."""
    return sorted({found.lower() for found in _MARK.findall(text)})
