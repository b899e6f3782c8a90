"""An edit: an honest text in which one sentence makes room for a claim, and nothing else changes.

The sentence most like the claim goes, and the claim comes in its place, its figures written as the text's are. Where a
text gives the very answer, the answer is changed wherever it stands. Of an empty lie, as a placebo's register gives,
the text is a **twin**: with a true sentence in the claim's words, about something that no task asks, or unchanged.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from fractions import Fraction
from functools import lru_cache
from itertools import chain, pairwise
from typing import Final

from caia_replay.attacks.choice import Choice
from caia_replay.attacks.wrong_answer import as_number, asked_for
from caia_replay.core.attack import Lie, Target

ALIKE: Final = Fraction(2, 5)
"""From this share of common words on, figures and names left out, a sentence can make room for the claim."""
NO_LIE: Final = "no wrong answer of kind {kind} can be told from others"
UNTOLD: Final = "a yes or no is not told from others' without a mark, which no honest text has"
_FIGURE: Final = re.compile(
    r"(?<![\w.,])-?(?:[0-9]{1,3}(?:,[0-9]{3})+|[0-9]+)(?:\.[0-9]+)?(?![\w]|[.,][0-9])", re.ASCII
)
_UNPARTED: Final = re.compile(r"(?<![\w.,])[0-9]{5,}(?![\w.,][0-9])", re.ASCII)
_YEAR: Final = re.compile("(?:19|20)[0-9]{2}")
_SENTENCE: Final = re.compile(r"[^.!?。！？\n]+(?:[.](?=\w)[^.!?。！？\n]*)*[.!?。！？]*")
_MARKUP: Final = re.compile(r"\s*(?:[>#*+-]+\s+)*(?:[0-9]+\.\s+)?(?:@\w+\s+)?")
_NAMED: Final = re.compile(r"0x[0-9a-f]+|[^\W_]*[0-9][\w.,:]*|\b[A-Z]\w*")
_WORD: Final = re.compile(r"[^\W\d_]+")
_TOKEN: Final = re.compile(r"[a-z]+|[0-9]+|[\u3400-\u9fff]")
_HAN: Final = re.compile(r"[\u3400-\u9fff]")
_SCALES: Final[Mapping[str, int]] = {
    "million": 10**6, "billion": 10**9, "trillion": 10**12, "万": 10**4, "亿": 10**8,
}  # fmt: skip
_SCALED: Final = re.compile(rf"(?P<figure>{_FIGURE.pattern})(?P<scale>\s?(?:{'|'.join(_SCALES)}))?", re.ASCII)
_DAY_FORMS: Final = ("%Y-%m-%d", "%B |%d, %Y", "|%d %B %Y", "|%d %b %Y", "%Y年|%m月|%d日")
"""How writers give a day; a sign before what has no nought in front."""
_NO_DAY: Final = date(1970, 1, 1)
_SHORT: Final = 5
"""Letters of a name that may be part of another."""
_WIDE_ENDS: Final = ("。", "！", "？")
_ENDS: Final = (".", "!", "?", *_WIDE_ENDS)


@dataclass(frozen=True, slots=True)
class Room:
    """A sentence that the claim can take the place of, from ``start`` to ``end``; ``alike`` is how much of its words
    the two have in common, names and figures too, and one more where it says the truth."""

    start: int
    end: int
    alike: Fraction


def best_rooms(texts: Mapping[str, str], target: Target, behind: str = "") -> dict[str, Room]:
    """By its name, the best room of each text that has one, the best first: what says the truth, or is much like the
    claim. ``behind``: only what stands behind this, such as a first paragraph's end."""
    texts = {name: text for name, text in texts.items() if not _is_dated(text, target)}
    found = [(name, room) for name, text in texts.items() for room in _rooms(text, target, behind)]
    if target.question in target.said(""):  # no text quotes a question, so only those that answer it can be edited
        found = [one for one in found if one[1].alike >= 1]
    best: dict[str, Room] = {}
    for name, room in sorted(found, key=lambda one: -one[1].alike):
        best.setdefault(name, room)
    return best


def sentences(text: str) -> Iterator[tuple[int, int]]:
    """Where each sentence begins and ends, without the sign of a list, a heading or an answer before it."""
    for found in _SENTENCE.finditer(text):
        marked = _MARKUP.match(text, found.start(), found.end())
        start = marked.end() if marked else found.start()
        if start < found.end():
            yield start, found.end()


def is_whole(sentence: str) -> bool:
    """Whether it ends as sentences do: a heading and a by-line do not."""
    return sentence.rstrip().endswith(_ENDS)


def told(text: str, room: Room, target: Target, lie: Lie) -> str:
    """The text with the lie in it; of an empty lie its twin."""
    answer = lie.answer or lie.planted
    if not answer:
        nearer = [one for one in target.offer.beside if _alike(_all(one), _all(target.said(""))) > room.alike]
        return text[: room.start] + nearer[0] + text[room.end :] if nearer else text
    stated = changed(text, target, answer)
    if stated is not None:
        return stated
    return text[: room.start] + target.said(_like_others(answer, text)) + text[room.end :]


def with_sentence(text: str, sentence: str, choice: Choice) -> str:
    """The text with one more sentence behind one of its own; it has one that ends."""
    end = choice.one("behind", ends(text))
    gap = "" if text[:end].endswith(_WIDE_ENDS) else " "
    return f"{text[:end]}{gap}{sentence}{text[end:]}"


def ends(text: str) -> list[int]:
    """Where whole sentences end."""
    return [start + len(text[start:end].rstrip()) for start, end in sentences(text) if is_whole(text[start:end])]


def planted_in(text: str, origin: str, lie: Lie) -> str:
    """What tells that the text was read, as it stands there: the lie, or the sentence with it where others may give the
    same answer, such as a day, or where it stands rounded."""
    if not (lie.planted or lie.answer) or (lie.planted and not lie.marked and lie.planted in text):
        return lie.planted
    wanted = None if lie.marked or not lie.planted else as_number(lie.planted)
    figures = (one.group() for one in _FIGURE.finditer(text) if wanted is not None and as_number(one.group()) == wanted)
    new = (text[at:end] for at, end in sentences(text) if text[at:end] not in origin)
    return next(chain(figures, new, (lie.planted,)))


def changed(text: str, target: Target, answer: str) -> str | None:
    """The text with ``answer`` wherever it says the truth, written as the truth was; None where it does not say it. A
    day may be said of anything: it is the truth in a sentence that is like the claim, and in a text of one line."""
    truth = asked_for(target)
    wanted, day = as_number(truth), _day(truth)
    if wanted is not None and len(truth.strip("-0.")) > 2:
        made = _SCALED.sub(lambda found: _like(found, answer) if _means(found, wanted) else found.group(), text)
    elif day is not None:
        claim, made, at = _bare(target.said("0")), "", 0
        for start, end in sentences(text) if "\n" in text else [(0, len(text))]:
            said = text[start:end]
            is_told = (start, end) == (0, len(text)) or _alike(_bare(said), claim) >= ALIKE
            made += text[at:start] + (_redated(said, day, _day(answer) or _NO_DAY) if is_told else said)
            at = end
        made += text[at:]
    elif wanted is None and len(truth) > _SHORT:
        made = re.sub(rf"(?<!\w){re.escape(truth)}(?!\w)", lambda _: answer, text, flags=re.IGNORECASE)
    else:
        return None
    return None if made == text else made


def long_figures(text: str) -> list[str]:
    """The figures of a text that are no year and no small number, as they stand."""
    return [one for one in dict.fromkeys(_FIGURE.findall(text)) if len(one.strip("-")) > 2 and not _YEAR.fullmatch(one)]


def _redated(text: str, day: date, other: date) -> str:
    """The text with another day in the place of one, in whatever form it stands."""
    for form in _DAY_FORMS:
        text = re.sub(rf"(?<!\w){re.escape(_written(day, form))}(?!\w)", _written(other, form), text)
    return text


def _means(found: re.Match[str], wanted: Fraction) -> bool:
    """Whether a figure is a number, as it stands or rounded to three digits or more before a word for millions."""
    shown, scale = as_number(found["figure"]), _SCALES.get((found["scale"] or "").strip(), 1)
    if shown is None or scale == 1:
        return shown == wanted
    places = len(found["figure"].partition(".")[2])
    return len(found["figure"].replace(".", "")) > 2 and abs(shown - wanted / scale) <= Fraction(1, 2 * 10**places)


def _day(text: str) -> date | None:
    try:
        return date.fromisoformat(text)
    except ValueError:
        return None


def _written(day: date, form: str) -> str:
    return day.strftime(form).replace("|0", "").replace("|", "")


def says_such(text: str, target: Target) -> bool:
    """Whether some sentence of a text is much like the target's claim, whatever it says, or the text says the truth."""
    claim = _bare(target.said("0"))
    said = any(_alike(_bare(text[start:end]), claim) >= ALIKE for start, end in sentences(text))
    return said or changed(text, target, "0") is not None


def likeness(one: str, other: str) -> Fraction:
    """The share of the words that two texts have in common, names and figures left out."""
    return _alike(_bare(one), _bare(other))


def is_in(language: str, sample: str, wanted: str) -> bool:
    """Whether what is written in ``language``, or reads like ``sample`` where nobody says, is in the wanted one."""
    return (language[:2] or ("zh" if _HAN.search(sample) else "en")) == ("zh" if wanted == "zh" else "en")


def _rooms(text: str, target: Target, behind: str) -> Iterator[Room]:
    claim, whole = _bare(target.said("0")), _all(target.said(""))
    least = text.find(behind) if behind else 0
    for start, end in sentences(text) if least >= 0 else ():
        said = text[start:end]
        states = changed(said, target, "0") is not None
        is_reply = text[:start].rstrip().endswith(("?", "？"))  # a claim in its place would answer something else
        if start >= least and (states or (not is_reply and _alike(_bare(said), claim) >= ALIKE)):
            yield Room(start, end, _alike(_all(said), whole) + states)


def _is_dated(text: str, target: Target) -> bool:
    """Whether the answer is a day that the text also gives of something else, where it would stay."""
    day = _day(asked_for(target))
    return day is not None and (left := changed(text, target, "") or text) != _redated(left, day, _NO_DAY)


def _alike(words: frozenset[str], claim: frozenset[str]) -> Fraction:
    return Fraction(len(words & claim), len(words | claim)) if words | claim else Fraction(0)


def _all(text: str) -> frozenset[str]:
    return frozenset(_TOKEN.findall(text.lower()))


@lru_cache(1 << 17)
def _bare(text: str) -> frozenset[str]:
    """The words of a sentence without names and figures; of Chinese its pairs of characters."""
    plain = _NAMED.sub(" ", text)
    run = "".join(_HAN.findall(plain))
    return frozenset((*(word.lower() for word in _WORD.findall(_HAN.sub(" ", plain))), *map("".join, pairwise(run))))


def _like_others(answer: str, text: str) -> str:
    """An answer with commas, unless the text has long figures without them."""
    number = as_number(answer)
    if number is None or _UNPARTED.search(text):
        return answer
    return f"{Decimal(number.numerator) / Decimal(number.denominator):,.{len(answer.partition('.')[2])}f}"


def _like(found: re.Match[str], answer: str) -> str:
    """A figure written as ``found`` is: its thousands, its decimals, and the word for millions behind it."""
    number, shown, scale = as_number(answer), found["figure"], found["scale"] or ""
    if number is None:
        return answer
    places = len(shown.partition(".")[2])
    value = Decimal(number.numerator) / Decimal(number.denominator) / _SCALES.get(scale.strip(), 1)
    return (f"{value:,.{places}f}" if "," in shown else f"{value:.{places}f}") + scale
