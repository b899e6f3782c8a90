"""Who writes posts, and how."""

from __future__ import annotations

from caia_replay.origin.dice import Dice
from caia_replay.origin.web.page import WebPost
from caia_replay.origin.web.prose import PhraseBook, Written
from caia_replay.origin.web.social_pen import MOST_WORDS, Pen, counted, day_of, length
from caia_replay.origin.web.truth import Truth

SAID = [Written("Nothing to see here, move on.", ())]


def _chain(truth: Truth, pen: Pen) -> list[WebPost]:
    author, moment = pen.somebody(Dice("a"), "trader"), truth.midnight(9) + 50
    root = pen.post(author, moment, "remark", SAID, Dice("b"))
    answer = pen.post(author, moment + 9, "answer", SAID, Dice("c"), root)
    return [root, answer, pen.post(author, moment + 10, "answer", SAID, Dice("d"), answer)]


def test_answers_belong_to_the_thread_of_the_first_post(truth: Truth) -> None:
    """An answer names what it answers and the conversation's first post; answers are counted where they belong."""
    root, answer, last = counted(_chain(truth, Pen(truth, "talk")))
    assert (root.post.thread, root.post.reply_to) == (root.post.id, "")
    assert (last.post.thread, last.post.reply_to) == (root.post.id, answer.post.id)
    assert [one.post.replies for one in (root, answer, last)] == [1, 1, 0]


def test_pens_never_share_a_number(truth: Truth) -> None:
    """The same posts by two writers have different ids."""
    made = [*_chain(truth, Pen(truth, "talk")), *_chain(truth, Pen(truth, "market"))]
    assert len({one.post.id for one in made}) == len(made)


def test_an_account_is_chosen_by_its_manner(truth: Truth) -> None:
    """Somebody is of the manner asked for, writes English, is awake on the day, and is nobody who was excluded."""
    pen, dice = Pen(truth, "talk"), Dice("e")
    for _ in range(60):
        one = pen.somebody(dice, "builder")
        other = pen.somebody(dice, "builder", besides=(one.handle,))
        assert one.manner == "builder" and one.language == "en" and other != one
        assert day_of(truth, pen.moment(one, 7, dice)) == 7


def test_a_post_is_never_too_long(truth: Truth) -> None:
    """A lead or a second thought gives way before a post has too many words, and the passage itself never does."""
    pen, book, dice = Pen(truth, "talk"), PhraseBook("social_thread", truth.seed), Dice("f")
    for _ in range(80):
        said = pen.told(
            book, "step_how_loan", {"other": "$X", "other_price": "$1", "dollar_ticker": "$D"}, dice, "analyst"
        )
        assert 5 <= length(said) <= MOST_WORDS and len(said) > 1
