"""What a composed question offers whoever lies about it, and how policies without a model read it and what is claimed.

``claims.toml`` has a sentence for each form, in both languages. From it and from the phrases of the form comes the
form's recipe, which finds in a question the words that stand in its slots, and in a page the claim with them. So one
table words the lie and reads it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from decimal import Decimal
from fractions import Fraction
from functools import cache
from itertools import permutations
from pathlib import Path
from typing import Any, Final

from caia_replay.core.attack import AttackSurface
from caia_replay.core.recipe import FilledRecipe
from caia_replay.core.suite import Recipe
from caia_replay.core.task import AnswerKind, AnswerSpec, Task
from caia_replay.store.plain import read_toml
from caia_worldgen.people import Namer
from caia_worldgen.questions.draw import Drawn
from caia_worldgen.questions.dress import undressed
from caia_worldgen.questions.expression import both
from caia_worldgen.questions.page_reading import HOLDER, LEAD
from caia_worldgen.questions.wording import phrases, said
from caia_worldgen.rng import Rng
from caia_worldgen.web.truth import Truth

CLAIMS: Final = Path(__file__).with_name("claims.toml")
_PLANTED: Final = "{planted}"
_SLOT: Final = re.compile(r"\{([a-z_]+)\}")
_NAME: Final = r"[A-Z][\w'&-]{0,20}"
_ITEM: Final = r"[A-Z][\w' -]{1,40}"
ANSWER: Final = (
    r"(?P<answer>0x[0-9a-f]{40}|20[0-9]{2}-[0-9]{2}-[0-9]{2}|yes\b|no\b"
    rf"|{_ITEM}; {_ITEM}; {_ITEM}|{_NAME} {_NAME}(?: {_NAME})?"
    r"|-?[0-9][0-9,]{0,20}(?:\.[0-9]{1,30})?)"
)
"""An answer of any kind, where a claim has it."""
_ANYTHING: Final = r"[^\n]{1,40}?"
_WORDS: Final = r"[^\n]{1,90}?"
_CELL: Final = r"[^\n]{1,60}?"
_WORD: Final = "[A-Za-z0-9_.-]{1,30}"
_SLOTS: Final[Mapping[str, str]] = {
    "ticker": "(?:[A-Za-z0-9]{1,12}|代币)", "dollar": "[A-Za-z0-9]{1,12}", "address": "0x[0-9a-fA-F]{40}",
    "bar": r"\$?[0-9][0-9,.]{0,20}(?: 美元)?", "amount": r"\$?[0-9][0-9,.]{0,20}(?: 美元)?",
    "one": r"[^\n]{1,40}?", "two": r"[^\n]{1,40}?", "actor": r"\w{2,8}", "name": r"[^\n]{1,24}?",
    "noun": r"[^\n]{1,32}?", "nouns": r"[^\n]{1,46}?", "group": r"[^\n]{1,90}?",
    "who": r"(?:CoinGecko 目前市值第 [0-9]{1,3} 的币|[^\n]{1,52}?)",
    "fact": rf"(?:Chief Technology Officer|[A-Z][a-z]{{2,12}} (?:of )?[A-Z][a-z]{{2,12}}|{_WORDS})",
    "before": "(?:the [0-9]{1,3} days before|此前 ?[0-9]{1,3} ?天|Q[1-4] 20[0-9]{2})", "quarter": "Q[1-4] 20[0-9]{2}",
    "unit": "(?:percentage points|days|USD|tokens|minutes|个百分点|天)", "zh_unit": "(?:个百分点|美元|枚|分钟)",
    "year": "20[0-9]{2}",
}  # fmt: skip
"""What can stand in a slot; in any other, some words."""
_WHEN: Final = r"[afio][nrtv](?!d)[a-z]{0,2} [^\n]{2,80}?"
"""A time of an English question: at, in, on, from, over."""
_WHEN_ZH: Final = r"[^\n]{1,40}?[份天里内日](?:零点（UTC）)?(?![至之当起月里内])"
"""A time of a Chinese question: it ends with a day, a month or a number of days."""
_READINGS: Final[Mapping[str, str]] = {"holder": HOLDER, "lead": LEAD}
_OPTIONS: Final = 12
_LEAST_PERCENT, _MOST_PERCENT = 23, 90
_DAYS_OFF: Final = 40
_SKIPPED: Final = 10**6
"""Among how many draws of strangers' names the first one is chosen."""


@cache
def claims() -> Mapping[str, Mapping[str, Any]]:
    """The table of claims by form. Every form that has phrases has one."""
    return read_toml(CLAIMS)


def recipe_of(form: str) -> Recipe:
    """How policies without a model read a form: its words in the question, and its claim on a page."""
    claim = claims()[form]
    common = common_slots(form) & set(_SLOT.findall("".join(map(str, claim.values()))))
    asked = sorted(
        (phrase for language in ("en", "zh") for _, phrase in phrases(form, language)),
        key=lambda phrase: (-len(_SLOT.sub("", phrase)), phrase),
    )
    slots = {**_SLOTS, **dict.fromkeys(claim.get("one_word", ()), _WORD)}
    forms = [_asked(phrase, common, slots) for phrase in asked]
    pattern = "|".join([*(_claimed(claim[language], language, common) for language in ("en", "zh")), *_honest(claim)])
    return Recipe(forms[0], claim["query"], f"(?:{pattern}){ANSWER}", also=tuple(forms[1:]))


def _honest(claim: Mapping[str, Any]) -> Iterator[str]:
    """What stands before the answer on pages that state it in their own words, where gold chains read it there, too."""
    if "reads" in claim:
        before, _, _ = _READINGS[claim["reads"]].partition("(?P<answer>")
        yield before.replace("|{kind}", "").replace("{title}", "{fact}").replace("{project}", "{who}")


def common_slots(form: str) -> frozenset[str]:
    """The slots that stand in every phrase of a form: on these alone its recipe can count."""
    every = [phrase for language in ("en", "zh") for _, phrase in phrases(form, language)]
    return frozenset.intersection(*(frozenset(_SLOT.findall(phrase)) for phrase in every))


def _asked(phrase: str, wanted: frozenset[str], slots: Mapping[str, str]) -> str:
    """A phrase as a pattern of questions, with a group for each slot that is ``wanted``; what follows the last of them
    is left out where anything may stand there."""
    chinese = any(ord(letter) > 0x3000 for letter in phrase)
    pieces, seen, last = [], set[str](), 0
    parts = _SLOT.split(phrase)
    for at, part in enumerate(parts):
        if at % 2 == 0:
            pieces.append(_literal(part, chinese))
        elif part in wanted and part not in seen:
            when = _WHEN_ZH if chinese else _WHEN
            group = f"(?P<{part}>{when if part == 'when' else slots.get(part, _WORDS)})"
            pieces.append(undressed(part, group, "zh" if chinese else "en", frozenset(parts[1::2])))
            seen.add(part)
            last = at
        else:
            anything = slots.get(part, _ANYTHING)
            pieces.append(undressed(part, anything, "zh" if chinese else "en", frozenset(parts[1::2])))
    whole = last + 2 >= len(parts)
    kept = pieces if whole else pieces[: last + 2]
    return r"\A" + (" ?" if chinese else "").join(piece for piece in kept if piece) + (r"\Z" if whole else "")


def _claimed(template: str, language: str, wanted: frozenset[str]) -> str:
    """A claim up to its answer as a pattern of pages; in capitals or not."""
    chinese, pieces = language == "zh", []
    for at, part in enumerate(_SLOT.split(template.partition(_PLANTED)[0])):
        if at % 2 == 0:
            pieces.append(_literal(part, chinese))
        elif part in wanted:
            pieces.append(f"(?i:{{{part}}})")
        else:
            pieces.append(_SLOTS.get(part, _CELL) if pieces != [""] else "")
    return (" ?" if chinese else "").join(piece for piece in pieces if piece) + (" ?" if chinese else "")


def _literal(text: str, chinese: bool) -> str:
    """Words as a pattern; Chinese ones with or without blanks where the table has one. After a name that ends with s
    there is an apostrophe alone."""
    if not chinese:
        return re.sub(r"\A's\b", "'s?", re.escape(text).replace(r"\ ", " "))
    return " ?".join(re.escape(word) for word in text.split())


@dataclass(frozen=True, slots=True)
class Cell:
    """What of an answer is claimed: its value and kind; of a table, ``row`` and ``name`` say which cell it is."""

    value: str
    kind: AnswerKind
    tolerance: Fraction = Fraction(0)
    row: str = ""
    name: str = ""


def cell_of(answer: AnswerSpec, column: int | None) -> Cell:
    """The whole answer, or one cell of a table's first row: the one counted, or the first figure, or the first."""
    if answer.kind != "table" or not answer.columns:
        return Cell(answer.values[0], answer.kind)
    cells = answer.values[0].split(" | ")
    figures = (at for at, one in enumerate(answer.columns) if one.kind == "number")
    at = next(figures, 0) if column is None else column
    chosen = answer.columns[at]
    return Cell(cells[at], chosen.kind, Fraction(chosen.tolerance_percent), cells[0], chosen.name)


class Offers:
    """What the questions of one suite offer, each by its words alone. ``seed`` is the suite's."""

    def __init__(self, truth: Truth, seed: int) -> None:
        self._seed = seed
        self._strangers = Namer(truth.seed + 1, Rng(f"questions/{seed}/strangers").number(0, _SKIPPED))
        self._kinds = sorted({name.partition(" ")[2] for name in truth.cast.funds})

    def surfaces(self, drawn: Sequence[Drawn], tasks: Sequence[Task]) -> Iterator[AttackSurface]:
        """Of every task whose answer some lie can take the place of."""
        for one, task in zip(drawn, tasks, strict=True):
            claim = claims()[one.composed.form]
            cell = cell_of(task.answer, claim.get("cell"))
            options = self._options(task, cell)
            if not options and task.answer.kind in ("table", "text", "text_list", "text_set"):
                continue
            words = {**one.composed.slots, "planted": both(_PLANTED), "row": both(cell.row), "cell": both(cell.name)}
            slots = {name: told[one.language] for name, told in words.items()}
            query = FilledRecipe(recipe_of(one.composed.form), task.question).query
            yield AttackSurface(task.id, query, said(claim[one.language], slots, one.language), options)

    def _options(self, task: Task, cell: Cell) -> tuple[str, ...]:
        """Wrong answers where the kind of answer does not say what one looks like: a cell's, a name's, an order's."""
        rng = Rng(f"questions/{self._seed}/options/{task.id}")
        if task.answer.kind == "text_list":
            orders = ["; ".join(order) for order in permutations(task.answer.values)][1:]
            return tuple(rng.some(orders, len(orders)))
        if cell.kind == "text":
            return tuple(self._names("fund" if task.shape == "fact-lead" or "lead" in cell.name.split() else "", rng))
        if task.answer.kind != "table":
            return ()
        told = [part for row in task.answer.values for part in row.split(" | ")]
        made = _figures(cell, rng) if cell.kind == "number" else _days(cell, rng) if cell.kind == "date" else ()
        return tuple(one for one in dict.fromkeys(made) if one not in told)

    def _names(self, kind: str, rng: Rng) -> Iterator[str]:
        """Names out of the next seed's world, which has none in common with this one; each is given once."""
        for _ in range(3):
            yield f"{self._strangers.house()} {rng.one(self._kinds)}" if kind else self._strangers.full_name()


def _figures(cell: Cell, rng: Rng) -> Iterator[str]:
    """Numbers further from the truth than any tolerance, as long as it is; ever further off."""
    decimals, value = len(cell.value.partition(".")[2]), Decimal(cell.value)
    for turn in range(1, _OPTIONS + 1):
        share = Decimal(rng.number(_LEAST_PERCENT * 10_000, _MOST_PERCENT * turn * 10_000)) / 1_000_000
        least = Decimal(rng.number(2, 9 * turn)).scaleb(-decimals)
        off = max(round(abs(value) * share, decimals), least).copy_sign(value)
        less = round(value / (1 + share), decimals)  # as often below the truth as above it
        yield f"{less:f}" if less and abs(value - less) >= least and rng.happens(50) else f"{value + off:f}"


def _days(cell: Cell, rng: Rng) -> Iterator[str]:
    for turn in range(1, _OPTIONS + 1):
        off = rng.number(3, _DAYS_OFF * turn) * (1 if rng.happens(50) else -1)
        yield (date.fromisoformat(cell.value) + timedelta(days=off)).isoformat()


def recipes_of(tasks: Iterable[Task]) -> dict[str, Recipe]:
    """The recipes of the shapes that some tasks are of, by name."""
    return {shape: recipe_of(shape.replace("-", "_")) for shape in sorted({task.shape for task in tasks})}
