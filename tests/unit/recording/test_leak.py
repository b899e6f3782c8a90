"""Questions and answers of a benchmark are found wherever a model would read them, and nowhere else."""

from __future__ import annotations

import json
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from caia_replay.core.gold import GoldChain
from caia_replay.core.provider import HttpReply, HttpRequest, Recorded
from caia_replay.core.task import Anchor, AnswerSpec, Task
from caia_replay.core.world import Page
from caia_replay.providers.reader.address import capture_url
from caia_replay.providers.reader.provider import page_reply, page_request
from caia_replay.providers.search_api.provider import search_request
from caia_replay.recording.leak import BESIDE, LeakFilter, LeakPlace, is_half, leak_places, words_of
from tests.adapter_law import HOSTILE


@pytest.mark.parametrize(
    "text",
    [
        "Café costs 1,234,567 wei: what's it?",
        "**cafe\u0301** COSTS `1234567` *wei*; what\u2019s _it_",
        "<b>Caf&eacute;</b> costs 1&#44;234&#x2c;567 wei &mdash; what&#39;s&nbsp;it",
        "caf\\u00e9 costs\\n1'234'567 wei\\twhat\\'s it",
        "[Café](https://a.example/b) <a href='/c'>costs</a> [1,234,567 wei](d) what's it",
        "Ca\u00adfé costs １２３４５６７ we\u200bi what s ｉｔ",
    ],
)
def test_a_text_is_the_same_words_in_any_dress(text: str) -> None:
    """Case, accents, widths, entities, escapes, soft hyphens and separators make no other word."""
    assert words_of(text) == ["cafe", "costs", "1234567", "wei", "what", "s", "it"]


def test_every_character_of_scripts_without_spaces_is_a_word() -> None:
    """Chinese, Japanese and Korean, half a word each; only thousands are joined, not lists, decimals and dates."""
    words = words_of("请问ETH的价格、テスト한국")
    assert words == ["请", "问", "eth", "的", "价", "格", "テ", "ス", "ト", "한", "국"]
    assert [word for word in words if not is_half(word)] == ["eth"]
    numbers = "1234 12 34 1 2345 0 05 2025 05 01"
    assert words_of("1,234 12,34 1,2345 0.05 2025-05-01") == numbers.split()


PIECES = ("e\u0301\u0316", "a", "&", "&#", "&#99999999999999999999;", "\\u", "\\", "1,", "\uff9e", "\ufdfa", "在", "_",
          "\ud800", "<", "<a", "](", "](a", "[x](y")  # fmt: skip


@pytest.mark.parametrize("piece", PIECES, ids=range(len(PIECES)))
def test_hostile_words_are_read_to_their_end(piece: str) -> None:
    """What normal forms, entities and escapes choke on, 200,000 characters of it."""
    assert isinstance(words_of(piece * (200_000 // len(piece))), list)


SHIPPED = leak_places()


@pytest.mark.parametrize(
    "address",
    ["https://huggingface.co/datasets/somebody/anything",
     "https://HF.co/datasets/x/resolve/main/test.csv?download=true",
     "https://datasets-server.huggingface.co/rows?dataset=x", "https://huggingface.co/spaces/somebody/caia-board",
     "https://somebody-caia-evaluate.hf.space/", "https://www.caiba.ai/blogs/2",
     "https://github.com/somebody/caia-benchmark/blob/main/tasks.json",
     "https://raw.githubusercontent.com/somebody/CAIA/main/data.csv",
     "https://www.alphaxiv.org/overview/2510%2E00332",
     "https://huggingface.co/papers/2510.00332", "https://someone.example/crypto/caia-benchmark-explained"],
)  # fmt: skip
def test_where_a_benchmark_is_kept_is_known(address: str) -> None:
    """Collections of questions, the benchmark by its name, its paper by its number."""
    assert any(place.holds(address) for place in SHIPPED)


@pytest.mark.parametrize(
    "address",
    ["https://huggingface.co/somebody/model", "https://docs.a.example/datasets/prices",
     "https://github.com/Uniswap/v3-core", "https://arxiv.org/abs/2510.0033", "https://caia.org/",
     "https://a.example/acacia-benchmark", "https://caiba.ai.example/", "no address", ""],
)  # fmt: skip
def test_ordinary_addresses_are_not(address: str) -> None:
    """Words count as whole words, hosts as whole hosts, paths from their beginning; every condition must hold."""
    assert not any(place.holds(address) for place in SHIPPED)
    place = LeakPlace(("a.example",), ("/x",), ("one", "two"))
    assert place.holds("https://b.a.example/x/two-one")
    for other in ("https://a.example/y/x/one-two", "https://ba.example/x/one-two", "https://a.example/x/one"):
        assert not place.holds(other)


def test_every_place_of_the_list_names_something() -> None:
    """A place that names nothing would be everywhere; words are letters and digits, each apart, in lower case."""
    for place in SHIPPED:
        texts = (*place.hosts, *place.begins, *place.words)
        assert texts and all(text == text.lower() for text in texts)
        assert all(re.fullmatch("[a-z0-9]+", word) for word in place.words)


ENGLISH = "How many harbour tokens did the northern bridge lock between 3 March and 9 April, and who signed for them?"
CHINESE = "北方大桥在三月三日至四月九日之间一共锁定了多少枚港口代币，是谁签的字？"
BRIEF = "Has Harbour closed?"


def task(name: str, question: str, *answers: str) -> Task:
    """A task with these answers."""
    spec = AnswerSpec("text_set", answers)
    return Task(name, question, "overlap", "en", "test", Anchor("main", 1, 1), spec, GoldChain((), ""), "1", "A test.")


TASKS = (
    task("one", ENGLISH, "48,211", "the harbour master"),
    task("two", CHINESE, "港务长"),
    task("three", BRIEF, "Yes"),
    task("four", "Who runs the old lighthouse at Gull Point these days?", "0"),
)
FILTER = LeakFilter(TASKS)
OTHER = " ".join(f"On day {day} the ferry carried {day * 7} crates past pier {day % 9}." for day in range(60))
X = "https://a.example/x"


def page(text: str, url: str = X, title: str = "T") -> Recorded:
    """The reader's reading of a page."""
    return Recorded(page_request(url), page_reply(Page(url, title, text, None)))


def listed(*rows: dict[str, str], query: str = "harbour") -> Recorded:
    """A result list, with the query told back in it."""
    body = {"searchParameters": {"q": query}, "organic": list(rows)}
    return Recorded(search_request(query, 10), HttpReply(200, {}, json.dumps(body).encode()))


def posted(text: str) -> Recorded:
    """The social network's reply with one post."""
    post = {"id": "1", "text": text, "author_id": "1", "created_at": "2025-05-01T00:00:00.000Z"}
    body = {"data": [post], "includes": {"users": [{"id": "1", "username": "ada", "name": "Ada"}]}}
    return Recorded(HttpRequest("GET", "https://api.x.com/2/tweets/1"), HttpReply(200, {}, json.dumps(body).encode()))


@pytest.mark.parametrize("name, question", [("one", ENGLISH), ("two", CHINESE)])
def test_a_question_is_found_wherever_a_model_would_read_it(name: str, question: str) -> None:
    """In a page amid other text, its title, a capture, the archive's own reply, a result's row, a post."""
    raw = HttpRequest("GET", capture_url(X, "20250501000000"))
    for recorded in (
        page(f"{OTHER}\n{question}\n{OTHER}"),
        page(OTHER, title=question),
        page(f"{OTHER} {question}", capture_url(X, "20250501000000")),
        Recorded(raw, HttpReply(200, {}, f"<p>{question}</p>".encode())),
        Recorded(page_request(X), HttpReply(200, {}, json.dumps([{"q": question}]).encode())),
        listed({"title": "T", "snippet": f"... {question} ...", "link": X}),
        listed({"title": question, "link": X}),
        posted(f"anyone? {question}"),
    ):
        assert f"of the question of task {name}" in FILTER.why(recorded)


DRESSES = (
    str.upper, lambda text: text.replace(" ", "\n"), lambda text: f"**{text}**", lambda text: text.replace(" ", " _"),
    lambda text: text.replace("e", "&#101;"), lambda text: json.dumps({"q": text}), lambda text: f"| 7 | {text} |",
)  # fmt: skip


@given(st.sampled_from([ENGLISH, CHINESE]), st.sampled_from(DRESSES), st.integers(0, 1500), st.integers(0, 1500))
def test_a_question_is_found_in_any_dress_and_place(question: str, dress, before: int, after: int) -> None:
    """Case, breaks, markup, entities and escapes make no other words of it."""
    assert "of the question of task" in FILTER.quoted(f"{OTHER[:before]} {dress(question)} {OTHER[after:]}")


def words(question: str, share: float) -> str:
    """The first part of a question."""
    return question[: int(len(question) * share)]


@pytest.mark.parametrize("question, answer", [(ENGLISH, "48211"), (ENGLISH, "THE Harbour Master"), (CHINESE, "港务长")])
def test_half_a_question_counts_with_its_answer_beside_it(question: str, answer: str) -> None:
    """Most of a question alone, half of it with the answer near; neither less of it nor the answer far away."""
    assert FILTER.quoted(f"{OTHER} {words(question, 0.8)} {OTHER}") != ""
    assert FILTER.quoted(f"{OTHER} {words(question, 0.6)} {OTHER}") == ""
    assert FILTER.quoted(f"{OTHER} {words(question, 0.6)} is {answer}. {OTHER}").endswith("with its answer beside it")
    assert FILTER.quoted(f"{answer} {OTHER} {words(question, 0.6)} {OTHER}") == "" and len(OTHER.split()) > BESIDE
    assert FILTER.quoted(f"{OTHER} {words(question, 0.3)} is {answer}. {OTHER}") == ""


def test_places_are_found_by_every_address_of_an_exchange() -> None:
    """What is read, what was captured, and what a result leads to."""
    place = "https://huggingface.co/datasets/a/b"
    for recorded in (
        page(OTHER, place),
        page(OTHER, capture_url(place, "20250501000000")),
        Recorded(HttpRequest("GET", "https://api.github.com/repos/a/caia-benchmark"), HttpReply(404, {}, b"")),
        listed({"title": "T", "link": X}, {"title": "T", "link": place}),
    ):
        assert "where a benchmark is kept" in FILTER.why(recorded)
    assert FILTER.why(page(f"See {place}.")) == ""


@given(st.text(), st.lists(st.text(max_size=30), max_size=3), st.text())
def test_any_suite_and_any_text_go_together(question: str, answers: list[str], text: str) -> None:
    """No question, answer or text makes a fault; a question with words is found in itself with its answers."""
    made = LeakFilter([task("any", question, *answers), task("none", "", "")])
    assert isinstance(made.quoted(text), str)
    if len(question.split()) > 4 and question.isascii() and all(word.isalnum() for word in question.split()):
        assert "task any" in made.quoted(question)


@pytest.mark.parametrize(
    "text",
    [
        " ".join([ENGLISH] * 2_000),
        "How many harbour tokens did " * 20_000,
        "在" * 100_000,
        "yes 0 " * 50_000 + BRIEF,
    ],
    ids=["question", "shingle", "character", "answers"],
)
def test_hostile_texts_are_read_to_their_end(text: str) -> None:
    """Every word is looked at a bounded number of times, however often it matches."""
    assert isinstance(FILTER.quoted(text), str)


@pytest.mark.parametrize("body", [*HOSTILE, b'{"organic": [1, {"title": [], "link": {}}], "news": {"title": 1}}'])
def test_replies_of_another_shape_are_clean(body: bytes) -> None:
    """From whomever: no fault, and nothing found."""
    for one in (page(""), listed(), posted(""), Recorded(HttpRequest("GET", "no address"), HttpReply(200, {}, b""))):
        assert FILTER.why(Recorded(one.request, HttpReply(200, {}, body))) == ""


def test_what_is_no_quotation() -> None:
    """A fact's own page has an answer by right, an engine its query; a brief question counts with its answer."""
    for text in (
        "48,211", "Yes", "0", "港务长", f"{OTHER} Yes. {OTHER}",
        "The northern bridge: tokens of the harbour, locked from March to April. The harbour master signed for 48,211.",
        "The lighthouse at Gull Point is old. Height: 0 m.", "港口代币由港务长签字锁定",
        f"{OTHER} Has Harbour closed? {OTHER}", f"{OTHER} Has it closed? Yes. {OTHER}",
    ):  # fmt: skip
        assert FILTER.quoted(text) == ""
    assert "task three" in FILTER.quoted(f"{OTHER} Has Harbour closed? Yes. {OTHER}")
    assert FILTER.why(listed({"title": "T", "snippet": OTHER, "link": X}, query=ENGLISH)) == ""
    asked = HttpRequest("GET", f"https://api.coingecko.com/api/v3/search?query={ENGLISH}")
    assert FILTER.why(Recorded(asked, HttpReply(200, {}, ENGLISH.encode()))) == ""


def test_a_leak_is_told_by_the_task_and_never_in_words() -> None:
    """How much of it there was; of several the one quoted most, of equals the first."""
    told = FILTER.quoted(f"{OTHER} {ENGLISH.upper()} {OTHER}")
    assert told == "quotes 100% of the question of task one"
    assert "task four" in FILTER.quoted(f"{words(ENGLISH, 0.8)} {TASKS[3].question}")
    assert "task one" in LeakFilter([*TASKS, task("copy", ENGLISH)]).quoted(ENGLISH)
