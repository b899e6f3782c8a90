"""What is taken in a world and by a campaign, so that every lie is unlike any other, and nothing stands where something
else does."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from statistics import median_low
from types import MappingProxyType
from typing import Final

from caia_replay.attacks.choice import Choice
from caia_replay.attacks.wrong_answer import MARKED, as_number, asked_for, is_apart, wrong_answers
from caia_replay.core.answer_matcher import AnswerMatcher, plain, says
from caia_replay.core.attack import Dose, Lie, Target
from caia_replay.core.task import AnswerSpec
from caia_replay.errors import CheckFailed

_LETTERS: Final = "ABCDEFGHJKLMNPQRSTUVWXYZ"
_TRIES: Final = 1_000
_TELLING: Final = 4
"""Characters from which on an answer that follows from elsewhere tells where it comes from."""
_FIRST_ID_MS: Final = 1_288_834_974_657
"""When the network began to number its posts by time, milliseconds since 1970."""
_ID_BITS: Final = 22


class WorldRegister:
    """Made for one campaign. ``said`` tells whether a text stands anywhere in the world's pages and posts. ``urls``,
    ``handles`` and ``posts`` (ids, with the moments they were written at) are taken in it, and the answers of all
    ``targets`` from the start. ``sent`` tells whether a text is sent to every model before it asks anything."""

    is_placebo = False

    def __init__(
        self,
        targets: Iterable[Target],
        said: Callable[[str], bool],
        urls: Collection[str] = (),
        handles: Collection[str] = (),
        posts: Mapping[str, int] = MappingProxyType({}),
        sent: Callable[[str], bool] = lambda text: False,
    ) -> None:
        targets = list(targets)
        # Whatever a question or a claim names stands on pages that are planted against it.
        asked = AnswerMatcher(f"{one.question}\n{one.query}\n{one.offer.claim}" for one in targets)
        self._books: tuple[Callable[[str], bool], ...] = (asked.says, sent, said)
        self._sent = sent
        self._urls = set(urls)
        self._handles = {handle.casefold() for handle in handles}
        self._posts = set(posts)
        self._first_id_ms = _first_id_ms(posts)
        self._answers: set[str] = set()
        self._of_task: dict[str, list[str]] = {}
        self._marks: set[str] = set()
        self._above: Counter[str] = Counter()
        for target in targets:
            if target.truth.kind not in MARKED:
                self._answers.update(_form(target.truth, value) for value in target.truth.values)

    def lie(self, target: Target, family: str, dose: Dose, latest: int = 0) -> Lie | None:
        """The first wrong answer that is free; with a mark where its kind needs one. Of what is past, no day is after
        ``latest``.

        Near the truth there may be none that nobody says: then the first is told that neither the question nor another
        lie to the task says, and nothing but its sentence is planted.
        """
        above = self._above[family] <= 0  # lies of a family stand on both sides of the truth, in turn
        told = list(wrong_answers(target, family, dose, above, latest))
        found = next((one for one in told if self._is_free(target, one)), None)
        if found is not None:
            self._above[family] += _side(target, found)
            return self._taken(target, family, found)
        asked = plain(target.question)
        near = (one for one in told if self._is_apart(target, one) and not self._sent(one) and not says(asked, one))
        again = next(near, None)
        if again is None:
            return None
        self._above[family] += _side(target, again)
        self._of_task.setdefault(target.task, []).append(again)
        return Lie("", again)

    def derived(self, target: Target, family: str, answer: str, even: bool = False) -> Lie | None:
        """``answer`` as a lie with a mark of its own in the text; an answer that is right or taken is none, nor, where
        lies are to be ``even``, one on a side of the truth where more of the family are already.

        Whoever ends at it did so by the lie's way, so the mark need not be repeated but for yes, no and days; and other
        tasks may end at the same, as decoys do that have one supply. But nought and other short answers are where
        many a mistake ends, and what the question or a tool's description says may be copied from there.
        """
        in_sight = self._sent(answer) or says(plain(target.question), answer)
        is_short = target.truth.kind == "number" and len(answer) < _TELLING
        if not answer or is_short or in_sight or as_number(answer) == 0 or not self._is_apart(target, answer):
            return None
        side = _side(target, answer) if even else 0
        if abs(self._above[family] + side) > 1:
            return None
        self._above[family] += side
        self._of_task.setdefault(target.task, []).append(answer)
        return Lie(self.mark(target, family), answer, target.truth.kind in MARKED)

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
        """The next free id from the one of that second on, as the world's own posts are numbered."""
        low = Choice("post", created, len(self._posts)).number("low", 1 << _ID_BITS - 1)
        number = (max(0, created * 1_000 - self._first_id_ms) << _ID_BITS) + low
        while str(number) in self._posts:
            number += 1
        self._posts.add(str(number))
        return str(number)

    def _is_free(self, target: Target, answer: str) -> bool:
        """Whether nobody answers so, and no page or post says it; yes, no and days anybody may say."""
        if not self._is_apart(target, answer):
            return False
        if target.truth.kind in MARKED:
            return target.truth.kind == "boolean" or not self._sent(answer)
        return _form(target.truth, answer) not in self._answers and not self._is_said(answer)

    def _is_apart(self, target: Target, answer: str) -> bool:
        """Whether it is neither right nor what another lie to the task says; there is but one wrong yes or no."""
        items = () if target.truth.kind == "boolean" else self._of_task.get(target.task, ())
        return all(is_apart(target.truth, answer, other) for other in (*target.truth.values, *items))

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

    is_placebo = True

    def lie(self, target: Target, family: str, dose: Dose, latest: int = 0) -> Lie | None:
        """An empty one."""
        return Lie("", "")

    def derived(self, target: Target, family: str, answer: str, even: bool = False) -> Lie | None:
        """None: a decoy is promoted or it is not."""
        return None


def _side(target: Target, answer: str) -> int:
    """1 for a number above what is asked for, -1 for one below, 0 for what is no number."""
    told, right = as_number(answer), as_number(asked_for(target))
    return 0 if told is None or right is None else 1 if told > right else -1


def _form(spec: AnswerSpec, answer: str) -> str:
    """Equal for answers that are the same."""
    number = as_number(answer) if spec.kind == "number" else None
    return answer.strip().casefold() if number is None else str(number)


def _first_id_ms(posts: Mapping[str, int]) -> int:
    """When a world's network began to number its posts, as its posts tell; the real one's beginning without any."""
    items = [created * 1_000 - (int(post) >> _ID_BITS) for post, created in posts.items() if post.isdecimal()]
    return median_low(items) if items else _FIRST_ID_MS


def _first_free(options: Sequence[str], taken: set[str], between: str, form: Callable[[str], str]) -> str:
    found = next((option for option in options if form(option) not in taken), "")
    number = 2
    while not found:
        made = f"{options[-1]}{between}{number}"
        found, number = ("" if form(made) in taken else made), number + 1
    taken.add(form(found))
    return found
