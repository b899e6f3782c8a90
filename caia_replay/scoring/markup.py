"""Typeset answers said plainly: LaTeX formulas, HTML tags, digits of every script; digits in names blanked out."""

from __future__ import annotations

import re
import unicodedata

from caia_replay.scoring.numeral import DIGITS, digits

_MARKS = {"٫": ".", "٬": ",", "’": "'"}
_MARK = r"\[\^?\d{1,3}(?: ?[,;] ?\^?\d{1,3}){0,8}\]"
_NOT_NUMBERS = re.compile(
    r"https?://\S+|\b0[xX][0-9a-fA-F]+(?:\.{2,}|…)?[0-9a-fA-F]*\b|\b(?=\d{0,63}[a-fA-F])[0-9a-fA-F]{40,64}\b"
    rf"|(?:(?<=[\w%.)\"\n])|(?<=[\w%.)\"] )){_MARK}(?:[,;]? ?{_MARK})*|【[^】]{{0,40}}】"
    r"|\b(?:arXiv|doi)[: ]{1,2}[\w./-]*\d",
    re.IGNORECASE,
)
_MARKED = re.compile(r"\d+")
_LAST = re.compile(rf"({DIGITS})[^\d\n]{{0,40}}$")
_FOOTNOTE = re.compile(r"(?<=\n)(?:\((\d{1,2})\)|(\^\d{1,2})(?!\d)):? ?(?=[A-Za-z@])")
"""What explains a mark, on a line of its own behind the answer: "(1) Dune", "^1 Dune"."""
_BULLET = re.compile(r"^\(?(\d{1,2})[.)] ", re.MULTILINE)
_TAG = re.compile(r"</?[A-Za-z][^<>\n]{0,60}>")
_DISPLAY = re.compile(r"\$\$([^$]{1,400})\$\$")
_MATH = re.compile(r"\$((?:[^$\\\n]|\\.){1,200})\$(?!\d)")
_DELIMITER = re.compile(r"\\[()\[\]]|\\(?:begin|end)\s?\{[a-z]{1,12}\*?\}")
_MATH_ONLY = re.compile(r"[-+\d.,\s%^{}()=×x]+")
_COMMAND = re.compile(
    r"\\(?:f?boxed|fbox|[mh]box|text(?:bf|it|rm|sf|tt|normal)?|math(?:rm|bf|it|sf|tt)|operatorname|underline|emph|bm"
    r"|boldsymbol)\s?\{([^{}]*+)\}"
)
_CANCELLED = re.compile(r"\\(?:sout|st|x?b?cancel)\s?\{[^{}]*+\}")
_FRACTION = re.compile(r"\\[dt]?frac\s?\{([^{}]*+)\}\s?\{([^{}]*+)\}")
_STYLE = re.compile(r"\\(?:displaystyle|textstyle|[lL]arge|LARGE|[hH]uge|bf|rm|it|quad|qquad|!)(?![A-Za-z])")
_TIE = re.compile(r"(?<=[\d}])~(?=[A-Za-z\\])")
_DOLLAR = "\ue000"
_FORMULA = re.compile(rf"\\|{_DOLLAR}")
_DEEPEST = 6
"""How deep commands may stand in each other; reading stays linear."""
_SYMBOLS = {"times": "×", "cdot": "×", "approx": "≈", "sim": "~", "pm": "±"} | dict.fromkeys(("leq", "le"), "≤")
_SYMBOLS |= {"geq": "≥", "ge": "≥", "lt": "<", "gt": ">", "to": "→", "rightarrow": "→", "left": "", "right": ""}
_SYMBOL = re.compile(rf"\\({'|'.join(_SYMBOLS)})(?![A-Za-z])")
_SPACE = re.compile(r"\\[,;:>\s]")
_ESCAPED = re.compile(r"\\([%$#&_{}])")
_POWER = re.compile(r"\^\{\s?([+-]?\d{1,3})\s?\}")
_CONTINENTAL = re.compile(r"(?<![\d.,])[1-9]\d{0,2}(?:(?:\.\d{3}){2,}|(?:\.\d{3})+,\d{1,2}(?!\d))(?![\d.])")
_COUNTED = re.compile(
    r"(?<![\d.,])([1-9]\d{0,2})\.(\d{3})(?=\s(?:Mio|Mrd|Millionen|Milliarden|millones|Adressen|Transaktionen|Inhaber|"
    r"Nutzer|Blöcke|direcciones|transacciones|transferencias|titulares|usuarios|bloques|carteras|adresses|détenteurs|"
    r"utilisateurs|transferts|blocs)(?![a-zà-ÿ]))",
    re.IGNORECASE,
)
"""Three digits behind a point, of what is not counted in thousandths, as German, Spanish and French write them."""
_QUOTE = re.compile(
    r"(?:^|(?<=\n))(?:(?<=\n\n)|(?=[> ]*(?:[*_`\\]|\$[$\\]|(?!About|Approx|Around|Roughly|Nearly|Almost|Eth|Bit"
    r"|Usd)[A-Z][a-z]+[ :])))(?:>[^\S\n]{1,3})+(?=\S)"
)
_DOTTED = re.compile(r"(?<![\d.,])([1-9]\d{0,2})\.(\d{3})(?![\d.,]\d|\d)")


def plain(text: str) -> str:
    """``text`` (already cleaned) without typesetting: ``$\\boxed{1\\,234}$`` is 1 234.

    Beside a number that can only be continental (19.000.000 or 1.234,50), 48.213 is 48,213.
    """
    flat = _COUNTED.sub(r"\1,\2", unformatted(_TAG.sub("", ascii_digits(text))))
    return _DOTTED.sub(r"\1,\2", flat) if _CONTINENTAL.search(flat) else flat


def source(text: str) -> str:
    """A raw answer, before anything is folded, without its formulas and the marks of its quoted paragraphs."""
    return unformatted(_unquoted(text))


def _unquoted(text: str) -> str:
    """Without Markdown's mark of a quotation, a ">" and a space: a lone "> 42" is more than 42 and stays.

    Quoted is what is words or marked up, or what stands behind an empty line.
    """
    if ">" not in text:
        return text
    lines = "\n".join(line.strip() for line in text.strip().splitlines())
    return _QUOTE.sub("", lines)


def unformatted(text: str) -> str:
    """``text`` with its LaTeX said plainly; a text that has none is unchanged."""
    flat = text.replace("\\$", _DOLLAR)
    if "$" in flat:
        flat = _MATH.sub(
            lambda found: found[1] if _FORMULA.search(found[1]) or _MATH_ONLY.fullmatch(found[1]) else found[0],
            _DISPLAY.sub(r" \1 ", flat),
        )
    if "\\" in flat:
        flat = _CANCELLED.sub(" ", flat)
        flat = _SPACE.sub(" ", _STYLE.sub(" ", _TIE.sub(" ", _DELIMITER.sub(" ", flat.replace("{,}", ",")))))
        for _ in range(_DEEPEST):
            flat, deeper = _COMMAND.sub(_argument, _FRACTION.sub(r"(\1)/(\2)", flat)), flat
            if flat == deeper:
                break
        flat = _SYMBOL.sub(lambda found: _SYMBOLS[found[1]], flat)
        flat = _POWER.sub(r"^\1", _ESCAPED.sub(r"\1", flat))
        flat = re.sub(" {2,}", " ", flat).strip(" ")
    elif "^{" in flat:
        flat = _POWER.sub(r"^\1", flat)
    return flat.replace(_DOLLAR, "$")


def _argument(found: re.Match[str]) -> str:
    """What a command is about, apart from the number it stands beside."""
    inside = found[1]
    return f"{' ' * inside[:1].isalpha()}{inside}{' ' * inside[-1:].isalpha()}"


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
    flat = _NOT_NUMBERS.sub(_blank, _without_footnotes(text))
    bullets = [int(found[1]) for found in _BULLET.finditer(flat)]
    if bullets != list(range(1, len(bullets) + 1)):
        return flat
    rest = _BULLET.sub("@ ", flat)
    return rest if any(c.isdigit() for c in rest) else flat


def _blank(found: re.Match[str]) -> str:
    """Nothing, but for "1.5 [1, 2]": what lies between two marks may be their middle."""
    marks = [int(mark) for mark in _MARKED.findall(found[0])] if found[0].startswith("[") and "," in found[0] else []
    before = _LAST.search(found.string, max(0, found.start() - 60), found.start()) if len(marks) > 1 else None
    middle = digits(before[1]) if before is not None else None
    return found[0] if middle is not None and min(marks) <= middle <= max(marks) else " @ "


def _without_footnotes(text: str) -> str:
    """Without the marks (1) and ^1 that a line at the end explains."""
    for mark in sorted({found[0].rstrip(": ") for found in _FOOTNOTE.finditer(text)}):
        text = re.sub(rf"(?<=[\w%.)\n\"]) ?{re.escape(mark)}(?![\d.,]*\d)", " @ ", text)
    return text
