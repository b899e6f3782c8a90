"""The elements an answer lists, for sets and ordered lists alike."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

from caia_replay.scoring.answer import clean, folded
from caia_replay.scoring.verifiers.naming import explains, introduced, name_in
from caia_replay.scoring.verifiers.sentence import led

_SEPARATOR = re.compile(
    r",?\s*(?:->|=>|→|⇒|➔|➜|➡️?|>|»)\s*|[,;\n、；，]\s*(?:(?:and|as\s+well\s+as)\s+)?(?:also\s+|then\s+|finally\s+|lastly\s+|followed\s+by\s+|next\s+|"
    r"(?:then\s+)?to\s+)*(?:第[一二三四五六七八九十]\s*(?:是|为)?\s*|(?:second|third|fourth|fifth|last)ly?\s*(?:is\s+|:\s*|,\s*)?)?"
    r"|,?\s+(?:as\s+well\s+as|and\s+also|and\s+then)(?=\s)|\s\|\s"
    r"|\s(?:and|&|\+|plus|then|followed\s+by)(?:\s+(?:then|finally|lastly))*(?=\s)|(?<=\n)and(?=\s)|\s?/\s?|\s(?=\(?\d{1,2}[.)]\s)|"
    r"以及|和|与|及|然后|再到",
    re.IGNORECASE,
)
_BULLET = re.compile(
    r"^\s*(?:[-•+·]|#\d{1,2}\s|#?\(?\d{1,2}\s?[.):](?!\d)|第[一二三四五六七八九十](?:是|为)?|[①-⑨])\s*"
)
_OPENING = re.compile(
    r"^\W*(?:both\s+|the\s+(?:following\s+)?|first(?:ly)?,?\s+(?:is\s+|came\s+|comes\s+)?|1(?:st)?:\s*|from\s+|第一(?:是|为)?\s*)",
    re.IGNORECASE,
)
_PREDICATE = re.compile(
    r"\s+(?:are|were|is|was|make\s+up|account\s+for|make)\s+(?:the|all|both|a|an|its|among|listed)\b[^\n,;]{0,120}$",
    re.IGNORECASE,
)
_MANY = r"(?:two|three|four|five|six|seven|eight|nine|ten|\d{1,2})"
_CLOSING = re.compile(
    rf"(?<![\s,(-])[\s,(-]{{1,6}}(?:(?:all|exactly)\s+{_MANY}(?:\s+in\s+(?:total|all))?|{_MANY}\s+in\s+(?:total|all)"
    r"|in\s+(?:that|this|the\s+(?:stated|given|right|correct))\s+order)[\s).!]{0,6}$",
    re.IGNORECASE,
)
_COUNTED = re.compile(
    r"^\W*(?:一共|总共|共有?|合计|有)\s?[一二两三四五六七八九十\d]{1,3}\s?[\u4e00-\u9fff]{1,6}[,:，：]\s*(?:它们|他们|分别)?\s?(?:是|为)?\s*"
)
_SHORTENED = re.compile(r"0x[0-9a-f]*\.{2,}[0-9a-f]+", re.IGNORECASE)
_OPEN_END = re.compile(
    r"\.{3}|…|\betc\b|\bet\s+(?:al|cetera)\b|\band\s+so\s+(?:on|forth)\b|\bamong(?:st)?\s+(?:\w+\s+)?others\b"
    r"|\b(?:and|plus)\s+(?:\w+\s+)?(?:others|more)\b|\bthe\s+rest\b|\b(?:non-?|not\s+(?:an?\s+)?)(?:exhaustive|complete)\b"
    r"|\b(?:partial|incomplete)\s+list\b|\bsome\s+of\s+(?:them|the|these|those|its?|their)\b"
    r"|\btop\s+(?:two|three|four|five|ten|\d{1,2})\s+of\b|等(?:等|多|其他|其它|\s?[\d一二两三四五六七八九十几]|[^\u4e00-\u9fff]|$)|其他|其余|不完全",
    re.IGNORECASE,
)
_NUMBERED = re.compile(r"(?:^|[\n,;]\s*|\s)#?\(?(\d{1,2})[.)]\s")
_SENTENCE = re.compile(r"[.。](?=\s|$)")
_HOLDING = re.compile(r"\b(?:holds?|contains?|includ\w+|comprises?|consists?|lists?|adds?|has|have)\b", re.IGNORECASE)
_MARKS = re.compile("[:→>、]")
_ASIDE = re.compile(r"\s*\(([^()]*)\)")
_AMOUNT = re.compile(
    r"(?:[~≈]|about\s+|approx\.?\s+|[$€£¥])*\d[\d,.]*\s?(?:[kmbt%]|bn|million|billion|[a-z]{2,5})?(?:\s+[a-z]{2,6})?",
    re.IGNORECASE,
)
_ORDINAL = re.compile(r"^(?:first|second|third|fourth|fifth|last)(?:ly)?\W+", re.IGNORECASE)


def listings(answer: str, values: Sequence[str]) -> list[tuple[str, ...]]:
    """The folded elements of the whole answer, then of what follows each lead-in; a value within an element's
    explanation ("1. Aave: the largest lender") stands for the element."""
    wanted = frozenset(folded(clean(value)) for value in values)
    longest = 1 + max(len(_SEPARATOR.findall(clean(value))) for value in values)
    said = []
    phrases = introduced(answer)
    after = (rest for phrase in phrases[:2] for rest in led(phrase))
    for phrase in dict.fromkeys((*after, *phrases)):
        for text in dict.fromkeys((phrase, _OPENING.sub("", phrase, count=1))):
            bare = _PREDICATE.sub("", _ASIDE.sub(_without_amount, _CLOSING.sub("", _COUNTED.sub("", text))))
            lines = [line for line in bare.split("\n") if line.strip()]
            marked = [line for line in lines if _BULLET.match(line)]
            if len(marked) > 1 and lines[-len(marked) :] == marked and len(lines) - len(marked) < 2:
                said.append(tuple(_named(line, wanted) for line in marked))
            sentence = _SENTENCE.search(bare)
            if sentence and explains(bare[sentence.start() :]) and not _lists(bare[sentence.end() :]):
                said.append(tuple(_elements(bare[: sentence.start()], wanted, longest)))
            said.append(tuple(_elements(bare, wanted, longest)))
    return said


def open_ended(answer: str, values: Sequence[str]) -> bool:
    """Whether a list says that it goes on ("...", "etc.", "等", "among others"), in words that no value has."""
    text = _SHORTENED.sub("@", clean(answer))
    allowed = {found[0] for value in values for found in _OPEN_END.finditer(clean(value))}
    return any(found[0] not in allowed for found in _OPEN_END.finditer(text))


def misnumbered(text: str) -> bool:
    """Whether the cleaned text numbers its elements otherwise than 1, 2, 3."""
    numbers = [int(found[1]) for found in _NUMBERED.finditer(text)]
    return len(numbers) > 1 and numbers != list(range(numbers[0], numbers[0] + len(numbers)))


def _without_amount(found: re.Match[str]) -> str:
    return "" if _AMOUNT.fullmatch(found[1].strip()) else found[0]


def _elements(text: str, wanted: frozenset[str], longest: int) -> Iterator[str]:
    """Folded elements: from the left, the longest stretch of pieces that is a value, else the single piece.

    ``longest`` is the most pieces any value has, which keeps reading linear in the answer.
    """
    cuts = [(0, 0), *(found.span() for found in _SEPARATOR.finditer(text)), (len(text), len(text))]
    pieces = [(left[1], right[0]) for left, right in pairwise(cuts) if left[1] <= right[0]]
    at = 0
    while at < len(pieces):
        start = pieces[at][0]
        stretches = [_named(text[start:end], wanted) for _, end in pieces[at : at + longest]]
        run = next((size for size in range(len(stretches), 0, -1) if stretches[size - 1] in wanted), 1)
        if stretches[run - 1]:
            yield stretches[run - 1]
        at += run


def _named(piece: str, wanted: frozenset[str]) -> str:
    bare = _BULLET.sub("", piece)
    for text in (piece, bare, _ORDINAL.sub("", bare)):
        if folded(text) in wanted:
            return folded(text)
    # an element's explanation must not list more
    named = None if _HOLDING.search(bare) else name_in(bare, wanted)
    return named or folded(bare)


def _lists(text: str) -> bool:
    return _HOLDING.search(text) is not None or _MARKS.search(text) is not None
