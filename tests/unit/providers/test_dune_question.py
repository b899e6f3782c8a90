import pytest

from caia_replay.core.provider import HttpReply, HttpRequest
from caia_replay.errors import Miss
from caia_replay.providers.dune_question import Question, execution_of, is_finished, moment_of, object_of, question_of

BASE = "https://api.dune.com/api/v1"


def asked(path: str, method: str = "GET", body: bytes = b"") -> Question:
    """A question by its path."""
    return question_of(HttpRequest(method, f"{BASE}/{path}", body))


def test_requests_are_told_apart_by_method_and_path() -> None:
    """Executing, polling, reading an execution or a query's latest one; anything else is itself."""
    assert (asked("query/7/execute", "POST").kind, asked("query/7/execute", "POST").number) == ("execute", "7")
    assert asked("sql/execute", "POST").kind == "execute" and asked("execution/E/status").kind == "status"
    found = asked("execution/E/results/csv?limit=5&offset=2&columns=a")
    assert (found.kind, found.is_csv, found.limit, found.offset, dict(found.told)) == (
        "results",
        True,
        5,
        2,
        {"columns": "a"},
    )
    assert asked("query/7/results").kind == "latest"
    for path, method in (
        ("query/7/execute", "GET"),
        ("execution/E/cancel", "POST"),
        ("x", "GET"),
        ("execution/E/status/csv", "GET"),
    ):
        assert asked(path, method).kind == "other"


def test_a_key_is_no_part_of_a_question_and_parameters_are() -> None:
    """A query's parameters decide which execution is its latest, and no execution's rows."""
    assert asked("query/7/results?api_key=x") == asked("query/7/results")
    found = asked("query/7/results?params.day=1")
    assert found.parameters == {"day": "1"} and found.shape == {} and found != asked("query/7/results")
    sent = asked("query/7/execute", "POST", b'{ "query_parameters": {"day": 2} }')
    assert sent.parameters == {"day": 2} and sent.is_as(
        asked("query/7/execute", "POST", b'{"query_parameters":{"day":2}}')
    )
    for body in (b"[]", b"{", b'{"query_parameters": 3}'):
        assert asked("query/7/execute", "POST", body).parameters == {}


def test_limits_that_cannot_be_read_are_told() -> None:
    """Zero, words and endless digits are for the vendor to read; a limit given twice is a miss."""
    assert asked("query/7/results?limit=5").is_plain and asked("query/7/results").is_plain
    for query in ("limit=0", "limit=x", "limit=", "offset=-1", "offset=" + "9" * 20):
        assert not asked(f"query/7/results?{query}").is_plain
    with pytest.raises(Miss):
        asked("query/7/results?limit=1&limit=1")


def test_replies_are_read_as_far_as_they_are_sound() -> None:
    """Moments have nine digits after the second, or none and no zone; other shapes are nothing."""
    assert moment_of("2023-11-14T22:13:20.312207906Z") == moment_of("2023-11-14 22:13:20.000 UTC") == 1_700_000_000
    assert [moment_of(text) for text in (None, 3, "x", "2023-13-01")] == [None] * 4
    assert object_of(HttpReply(200, {}, b"[]")) == {} == object_of(HttpReply(200, {}, b"{"))
    assert execution_of({"execution_id": 3}) == "" and not is_finished({"is_execution_finished": "true"})
