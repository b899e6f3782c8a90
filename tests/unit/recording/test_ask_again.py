from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from caia_replay.errors import BadInput
from caia_replay.recording.ask_again import AskAgain, Asking, Question, Silent, question_of, questions_of
from tests.published_world import KEYS, OWN, PAGE, POSTS, as_replies, page, posts, serving, unchanged

ALPHA = page("alpha", "Alpha opened in 2019.")
BUSY = {"status": 429, "headers": {"Retry-After": "1"}, "body": b"later"}


class Told:
    """A living origin and what is asked of it; ``asking`` leads there without waiting."""

    def __init__(self, host_map: dict[str, str], asked: list[Any], answers: dict[str, Any]) -> None:
        self.asked, self.answers = asked, answers
        self.waited: list[float] = []
        self.asking = Asking(host_map=host_map, keys=KEYS, wait=self.waited.append)

    @property
    def urls(self) -> list[str]:
        return [url for _, url, _ in self.asked]


@pytest.fixture
def told() -> Iterator[Told]:
    """The small world's origin."""
    answers = unchanged()
    with serving(answers) as (host_map, asked):
        yield Told(host_map, asked, answers)


def question(*items: Any) -> Question:
    return Question(items[0], tuple(item.status for item in items))


def test_a_question_is_asked_once_for_all_cassettes() -> None:
    """As often as the cassette with most answers needs; another class of key is another question."""
    bad = replace(posts(), request_headers={"authorization": ("SCRUBBED-BAD",)}, status=401)
    first, second = page("seq", "first"), page("seq", "second")
    found = questions_of([[ALPHA, posts()], [first, second, bad], [first, ALPHA]])
    assert [(each.item.uri, each.times) for each in found] == [
        (ALPHA.uri, 1), (posts().uri, 1), (first.uri, 2), (posts().uri, 1)
    ]  # fmt: skip
    assert len({each.name for each in found}) == 4 and question_of(bad)[0] == question_of(posts())[0]


def test_what_was_answered_is_kept(told: Told, tmp_path: Path) -> None:
    """A second run of the same owner asks nothing; another owner's begins anew."""
    asked = question(page("seq", "first"), page("seq", "second"))
    with AskAgain(tmp_path / "j", "a", told.asking) as origin:
        assert [item.body for item in origin.answers(asked)] == [b"first", b"second"]
    with AskAgain(tmp_path / "j", "a", told.asking) as origin:
        assert [item.body for item in origin.answers(asked)] == [b"first", b"second"]
        assert (origin.kept, origin.asked, len(told.asked)) == (1, 0, 2)
    with AskAgain(tmp_path / "j", "b", told.asking) as origin:
        origin.answers(asked)
        assert (origin.kept, origin.asked, len(told.asked)) == (0, 1, 4)
        origin.discard()
    assert not (tmp_path / "j").exists()


def test_a_kept_answer_that_was_cut_is_asked_again(told: Told, tmp_path: Path) -> None:
    """Half a file is no answer."""
    for _ in range(2):
        with AskAgain(tmp_path / "j", "a", told.asking) as origin:
            assert origin.answers(question(ALPHA))[0].body == ALPHA.body
        path = next((tmp_path / "j" / "answers").rglob("*.json"))
        path.write_bytes(path.read_bytes()[:50])
    assert len(told.asked) == 2


def test_keys_go_to_their_host_alone(told: Told, tmp_path: Path) -> None:
    """Each host is sent its own key where the recording had one, and no file below the journal holds any."""
    with AskAgain(tmp_path / "j", "a", told.asking) as origin:
        for item in OWN:
            origin.answers(question(item))
    sent = {url: headers for _, url, headers in told.asked}
    assert sent[POSTS]["authorization"] == KEYS["api.x.com"]
    assert not any(key in str(sent[f"{PAGE}own"]) for key in KEYS.values())
    files = [path.read_text("utf-8") for path in (tmp_path / "j").rglob("*.json")]
    assert len(files) == 4 and not any(key[-10:] in text for key in KEYS.values() for text in files)


@pytest.mark.parametrize("status", [401, 402, 403])
def test_a_refused_key_is_asked_again(told: Told, tmp_path: Path, status: int) -> None:
    """It is this run's answer and not the next one's, unless that is what was published."""
    told.answers[ALPHA.uri] = [{"status": status, "body": b"pay"}]
    for _ in range(2):
        with AskAgain(tmp_path / "j", "a", told.asking) as origin:
            assert origin.answers(question(ALPHA))[0].status == status
    assert len(told.asked) == 2
    for _ in range(2):
        with AskAgain(tmp_path / "j", "a", told.asking) as origin:
            origin.answers(question(replace(ALPHA, status=status)))
    assert len(told.asked) == 3


@pytest.mark.parametrize(
    "reply",
    [{"hang_up": True}, {"status": 502, "body": b"bad gateway"}, {"status": 503, "headers": {"Retry-After": "9999"}}],
)
def test_a_silent_host_is_left_alone(told: Told, tmp_path: Path, reply: dict[str, Any]) -> None:
    """What may pass is no answer, and after three such questions the host is asked no more in this run."""
    for number in range(5):
        told.answers[f"{PAGE}{number}"] = [reply]
    with AskAgain(tmp_path / "j", "a", told.asking) as origin:
        for number in range(4):
            with pytest.raises(Silent) as caught:
                origin.answers(question(page(str(number), "x")))
        assert "3 times in a row" in str(caught.value) and f"{PAGE}3" not in told.urls
    told.answers[f"{PAGE}3"] = as_replies(page("3", "x"))
    with AskAgain(tmp_path / "j", "a", told.asking) as origin:
        assert origin.answers(question(page("3", "x")))[0].body == b"x"


def test_waiting_is_not_recorded_unless_it_was(told: Told, tmp_path: Path) -> None:
    """A host that says later is asked later; where that refusal was published, it is kept, in order."""
    told.answers[ALPHA.uri] = [BUSY, *as_replies(ALPHA)]
    with AskAgain(tmp_path / "a", "a", told.asking) as origin:
        assert [item.status for item in origin.answers(question(ALPHA))] == [200]
    told.answers[ALPHA.uri] = [BUSY, *as_replies(ALPHA)]
    with AskAgain(tmp_path / "b", "a", told.asking) as origin:
        asked = question(replace(ALPHA, status=429), ALPHA)
        assert asked.times == 1 and [item.status for item in origin.answers(asked)] == [429, 200]
    told.answers[ALPHA.uri] = [BUSY]
    with AskAgain(tmp_path / "c", "a", told.asking) as origin:
        assert [item.status for item in origin.answers(question(replace(ALPHA, status=429)))] == [429]
    assert told.waited == [1.0, 1.0]


def test_two_runs_do_not_share_a_journal(told: Told, tmp_path: Path) -> None:
    """The second is told so."""
    with AskAgain(tmp_path / "j", "a", told.asking), pytest.raises(BadInput, match="another run"):
        AskAgain(tmp_path / "j", "a", told.asking).__enter__()
    with AskAgain(tmp_path / "j", "a", told.asking):
        pass
