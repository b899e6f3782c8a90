"""What is taken in a world and by a campaign, so that every lie is unlike any other, and nothing stands where something
else does."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from typing import Final

from caia_replay.attacks.choice import Choice
from caia_replay.attacks.lie import MARKED, as_number, is_apart, wrong_answers
from caia_replay.core.answer_said import Book
from caia_replay.core.attack import Dose, Lie, Target
from caia_replay.core.task import AnswerSpec
from caia_replay.errors import CheckFailed

_LETTERS: Final = "ABCDEFGHJKLMNPQRSTUVWXYZ"
_TRIES: Final = 1_000
_FIRST_ID_MS: Final = 1_288_834_974_657
"""When the network began to number its posts by time, milliseconds since 1970."""
_ID_BITS: Final = 22


class WorldRegister:
    """Made for one campaign. ``said`` tells whether a text stands anywhere in the world's pages and posts; ``urls``,
    ``handles`` and ``post_ids`` are taken in it. The answers of all ``targets`` are taken from the start."""

    def __init__(
        self,
        targets: Iterable[Target],
        said: Callable[[str], bool],
        urls: Collection[str] = (),
        handles: Collection[str] = (),
        post_ids: Collection[str] = (),
    ) -> None:
        targets = list(targets)
        # Whatever a question or a claim names stands on pages that are planted against it.
        asked = Book(f"{one.question}\n{one.query}\n{one.offer.claim}" for one in targets)
        self._books: tuple[Callable[[str], bool], ...] = (asked.says, said)
        self._urls = set(urls)
        self._handles = {handle.casefold() for handle in handles}
        self._posts = set(post_ids)
        self._answers: set[str] = set()
        self._of_task: dict[str, list[str]] = {}
        self._marks: set[str] = set()
        for target in targets:
            if target.truth.kind not in MARKED:
                self._answers.update(_form(target.truth, value) for value in target.truth.values)

    def lie(self, target: Target, family: str, dose: Dose) -> Lie | None:
        """The first wrong answer that is free; with a mark where its kind needs one.

        Of a few options only so many lies can be told: then one is told again, with a mark that tells which.
        """
        found = next((one for one in wrong_answers(target, family, dose) if self._is_free(target, one)), None)
        if found is not None:
            return self._taken(target, family, found)
        again = next((one for one in target.offer.options if is_apart(target.truth, one, target.truth.values[0])), None)
        return None if again is None else Lie(self.mark(target, family), again, marked=True)

    def told(self, target: Target, family: str, answer: str) -> Lie | None:
        """``answer`` as a lie with a mark of its own in the text; an answer that is right or taken is none.

        Whoever ends at it did so by the lie's way, so the mark need not be repeated but for yes, no and days.
        """
        if not answer or not self._is_free(target, answer, anywhere=True):
            return None
        lie = self._taken(target, family, answer)
        return lie if lie.marked else Lie(self.mark(target, family), answer)

    def mark(self, target: Target, family: str) -> str:
        """Two letters and two groups of four digits."""
        choice = Choice(target.task, family, "mark")
        for turn in range(_TRIES):
            letters = "".join(choice.one(f"{turn}/letter/{at}", _LETTERS) for at in range(2))
            made = f"{letters}-{choice.number(f'{turn}/1', 10_000):04}-{choice.number(f'{turn}/2', 10_000):04}"
            if made not in self._marks and not self._is_said(made):
                self._marks.add(made)
                return made
        raise CheckFailed(f"every reference for task {target.task} is taken")

    def url(self, options: Sequence[str]) -> str:
        """The first free address; the last with a number behind it where none is."""
        return _first_free(options, self._urls, "-", str)

    def handle(self, options: Sequence[str]) -> str:
        """The first free name; names that differ in letter case alone are one."""
        return _first_free(options, self._handles, "", str.casefold)

    def post_id(self, created: int) -> str:
        """The next free id from the one of that second on."""
        number = max(0, created * 1_000 - _FIRST_ID_MS) << _ID_BITS
        while str(number) in self._posts:
            number += 1
        self._posts.add(str(number))
        return str(number)

    def _is_free(self, target: Target, answer: str, *, anywhere: bool = False) -> bool:
        """Whether nobody answers so, and no page or post says it unless it may stand ``anywhere``."""
        spec = target.truth
        if any(not is_apart(spec, answer, value) for value in spec.values):
            return False
        if spec.kind == "boolean":
            return True
        if any(not is_apart(spec, answer, other) for other in self._of_task.get(target.task, ())):
            return False
        return spec.kind == "date" or (
            _form(spec, answer) not in self._answers and (anywhere or not self._is_said(answer))
        )

    def _is_said(self, text: str) -> bool:
        return any(says(text) for says in self._books)

    def _taken(self, target: Target, family: str, answer: str) -> Lie:
        self._of_task.setdefault(target.task, []).append(answer)
        if target.truth.kind in MARKED:
            return Lie(self.mark(target, family), answer, marked=True)
        self._answers.add(_form(target.truth, answer))
        return Lie(answer, answer)


class PlaceboRegister(WorldRegister):
    """Gives addresses, names and ids as ever, and no lies: what is planned over it says nothing false."""

    def lie(self, target: Target, family: str, dose: Dose) -> Lie | None:
        """An empty one."""
        return Lie("", "")

    def told(self, target: Target, family: str, answer: str) -> Lie | None:
        """None: a decoy is promoted or it is not."""
        return None


def _form(spec: AnswerSpec, answer: str) -> str:
    """Equal for answers that are the same."""
    number = as_number(answer) if spec.kind == "number" else None
    return answer.strip().casefold() if number is None else str(number)


def _first_free(options: Sequence[str], taken: set[str], between: str, form: Callable[[str], str]) -> str:
    found = next((option for option in options if form(option) not in taken), "")
    number = 2
    while not found:
        made = f"{options[-1]}{between}{number}"
        found, number = ("" if form(made) in taken else made), number + 1
    taken.add(form(found))
    return found
