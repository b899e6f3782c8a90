"""Words that are withheld and put back, and requests that no stranger makes anybody send."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from urllib.parse import quote, quote_plus

import pytest
from hypothesis import given
from hypothesis import strategies as st

from caia_replay.cassette.cassette import Cassette, Interaction
from caia_replay.core.gold import GoldChain
from caia_replay.core.task import Anchor, AnswerSpec, Column, Task
from caia_replay.errors import BadInput
from caia_replay.interop.caia_format import question_digest
from caia_replay.recording.askable import origins_of, refuse_unaskable
from caia_replay.recording.withheld import Phrases, Words, answer_digest, is_withheld, restore, withhold, words_digest
from caia_replay.world.every_provider import providers_over

QUESTION = "Which of the twelve lighthouses on the northern coast was painted red after the great storm?"
CHINESE = "截至二零二四年五月十二日该协议的总锁仓量是多少"
ANSWER = AnswerSpec("table", ("Skagen | 12",), aliases=("Grey",), columns=(Column("Tower", "text", True),))
TASK = Task(
    "t", QUESTION, "overlap", "en", "s", Anchor("ethereum", -1, 5), ANSWER, GoldChain((), ""), "0", "-", ("caia",)
)


@given(st.text(max_size=200))
def test_a_question_has_the_digest_that_caias_rows_have(text: str) -> None:
    """Both rooms name a question alike, whatever its white space."""
    assert words_digest(text) == question_digest(text)


@given(st.text(min_size=1, max_size=80), st.lists(st.text(max_size=20), max_size=3), st.lists(st.text(max_size=9)))
def test_what_is_withheld_is_put_back_whole(question: str, values: list[str], aliases: list[str]) -> None:
    """The owner's words give the task that was published, and no other words do."""
    answer = replace(ANSWER, values=tuple(values), aliases=tuple(aliases))
    task = replace(TASK, question=question, answer=answer)
    if is_withheld(task):
        return
    hidden = withhold(task)
    assert restore(hidden, Words(question, answer)).task == task and not restore(hidden, Words(question, answer)).doubt
    other = replace(answer, values=(*answer.values, "more"))
    assert restore(hidden, Words(question, other)).doubt and restore(hidden, Words(question + "?", answer)).doubt


def test_a_withheld_task_keeps_facts_alone() -> None:
    """Neither question nor answer, alias or column; an edited answer is told, and stands in the task whole."""
    hidden = withhold(TASK)
    assert is_withheld(hidden) and withhold(hidden) == hidden and not is_withheld(TASK)
    assert all(word not in repr(hidden) for word in ("lighthouses", "Skagen", "Grey", "Tower"))
    assert (hidden.anchor, hidden.answer.kind, hidden.tags) == (TASK.anchor, "table", ("caia",))
    # The same answer to two questions has two digests: none can be tried without its question.
    assert answer_digest(QUESTION, ANSWER) != answer_digest("Another question?", ANSWER)
    hidden = withhold(replace(TASK, answer=replace(ANSWER, values=("Skagen | 13",))))
    restored = restore(hidden, Words(QUESTION, ANSWER))
    assert "edited" in restored.doubt and restored.task.answer == ANSWER and restored.task.question == QUESTION
    assert "not in the file" in restore(hidden, None).doubt and restore(hidden, None).task == hidden


@pytest.mark.parametrize("question", [QUESTION, CHINESE])
@pytest.mark.parametrize(
    "spelled",
    [str, str.upper, quote, quote_plus, lambda text: quote(quote(text)), json.dumps, lambda text: f"({text}) and more"],
)
def test_a_question_is_found_however_it_is_spelled(question: str, spelled: object) -> None:
    """In clear, percent-encoded once or twice, or with JSON's escapes; its first half too."""
    phrases = Phrases([TASK.question, CHINESE])
    assert phrases.are_in(spelled(question))  # type: ignore[operator]
    assert phrases.are_in(spelled(question[: len(question) * 2 // 3]))  # type: ignore[operator]


def test_names_of_a_question_may_be_said() -> None:
    """Seven of its words in a row are no sentence, and a question of three words stands everywhere."""
    phrases = Phrases([QUESTION, "What is Aave"])
    assert not phrases.are_in("the twelve lighthouses on the northern coast, they say")
    assert not phrases.are_in("what is aave and what is it good for") and not Phrases([]).are_in(QUESTION)
    assert Phrases(["What is the supply?"]).are_in("q=what+is+the+supply")


LOCAL = "http://127.0.0.1:9"
SOLANA = "https://api.mainnet-beta.solana.com"


def item(url: str, method: str = "GET", body: bytes = b"") -> Interaction:
    return Interaction(method, url, body, {}, 200, "OK", {}, b"")


def check(*items: Interaction, host_map: dict[str, str] | None = None, allow: tuple[str, ...] = ()) -> None:
    refuse_unaskable(items, providers_over({}), host_map=host_map or {}, allow=allow, where="pub")


def rpc(method: str) -> bytes:
    return json.dumps([{"jsonrpc": "2.0", "id": 1, "method": method, "params": []}]).encode()


NODE = "https://api.etherscan.io/v2/api?chainid=1&module=proxy&action="


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        *((item(f"{scheme}://api.llama.fi/protocols"), "only https") for scheme in ("http", "ftp", "file")),
        (item("https://api.llama.fi:8443/protocols"), "usual port"),
        *((item(f"https://{host}/x"), "a number") for host in ("127.0.0.1", "[::1]", "10.0.0.7", "169.254.169.254")),
        *((item(f"https://{host}/x"), "no public name|number")
          for host in ("2130706433", "0x7f.1", "localhost", "db.internal", "router.local.")),
        (item("https://stranger.example/x?apikey=hush-hush"), "no provider speaks"),
        (item("https://api.llama.fi.stranger.example/protocols"), "no provider speaks"),
        (item("https://r.jina.ai/https://a.example/", "DELETE"), "more than read"),
        (item("https://api.github.com/repos/a/b/issues", "POST", b"{}"), "no provider speaks"),
        (item("https://api.binance.com/api/v3/order", "POST"), "no provider speaks"),
        (item("https://api.dune.com/api/v1/query/7/archive", "POST"), "would change"),
        (item(SOLANA, "POST", rpc("sendTransaction")), "would change"),
        (item(SOLANA, "POST", rpc("requestAirdrop")), "would change"),
        (item(SOLANA, "POST", b'{"method": "getSlot", "method": "sendTransaction"}'), "would change"),
        (item(f"{NODE}eth_sendRawTransaction&hex=0x1"), "change"),
    ],
)  # fmt: skip
def test_a_stranger_sends_nobody_elsewhere(asked: Interaction, words: str) -> None:
    """Other schemes, ports, numbers, private names, other hosts, and what changes something: nothing is asked."""
    with pytest.raises(BadInput, match=words) as caught:
        check(item("https://r.jina.ai/https://a.example/"), asked, asked)
    assert "nothing was asked" in str(caught.value) and "2 such requests in all" in str(caught.value)
    assert "hush" not in str(caught.value)


def test_a_host_that_is_named_is_asked() -> None:
    """By name, over https alone, whatever its path; what it would change stays refused."""
    asked = item("https://node.example/v1", "POST", rpc("eth_call"))
    with pytest.raises(BadInput, match="no provider"):
        check(asked)
    check(asked, allow=("Node.example",))
    for bad in (item("http://node.example/v1"), item("https://node.example/v1", "POST", rpc("eth_sendRawTransaction"))):
        with pytest.raises(BadInput):
            check(bad, allow=("node.example",))
    with pytest.raises(BadInput, match="number"):
        check(item("https://127.0.0.1/x"), allow=("127.0.0.1",))


def test_a_mapped_origin_is_the_callers_own() -> None:
    """It is led to this machine, so neither its name nor its scheme matters."""
    mapped = {"http://shop.local": LOCAL, "https://API.example/": LOCAL}
    check(item("http://shop.local/x"), item("https://api.example/y"), host_map=mapped)
    assert origins_of(mapped) == {"http://shop.local", "https://api.example"}
    with pytest.raises(BadInput):
        check(item("https://shop.local/x"), host_map=mapped)


def test_every_request_of_the_shipped_world_may_be_asked(shipped: Path) -> None:
    """The providers know each as a question of their own."""
    paths = sorted(shipped.glob("http/*.json")) + sorted(shipped.glob("tasks/*/http.json"))
    items = [each for path in paths for each in Cassette.open(path).interactions]
    check(*items)
    assert len(items) > 50
