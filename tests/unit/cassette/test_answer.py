import json

import httpx2
import pytest
from hypothesis import given
from hypothesis import strategies as st

from caia_replay.cassette.answer import Answer, Answers
from caia_replay.cassette.cassette import Cassette, Interaction, cassette_bytes
from caia_replay.cassette.index import CassetteIndex, Source
from caia_replay.cassette.recordings import Cursor, Recordings
from caia_replay.cassette.secret import SCRUBBED, SCRUBBED_BAD, key_class
from caia_replay.cassette.transport import ReplayTransport
from caia_replay.errors import Miss

URL = "https://api.example/price?ids=aave"
HEADERS = {
    "absent": {"accept": "application/json"},
    "good": {"x-api-key": SCRUBBED},
    "bad": {"Authorization": f"Bearer {SCRUBBED_BAD}"},
}


def recorded(key, body, status=200):
    lines = {name: (value,) for name, value in HEADERS[key].items()}
    return Interaction("GET", URL, b"", lines, status, "", {"x-n": ("1", "2")}, body.encode())


def played(recordings, key, times, cursor=None):
    cursor = cursor or Cursor()
    return [recordings.play("GET", URL, b"", cursor, HEADERS[key]).body.decode() for _ in range(times)]


@pytest.fixture(params=["parsed", "indexed"])
def recordings(request, tmp_path):
    def make(*items):
        path = tmp_path / "c.json"
        path.write_bytes(cassette_bytes(items))
        if request.param == "parsed":
            return Recordings([Cassette.open(path)])
        return Recordings.over(CassetteIndex([Source.of(path)], tmp_path / "x" / "y", "c").store(), ("c",))

    return make


def test_each_class_of_key_has_a_sequence_of_its_own(recordings):
    """A refusal of a bad or missing key never answers a request with a good one, whatever order they were asked in."""
    found = recordings(
        recorded("bad", "no", 401), recorded("good", "a"), recorded("absent", "who?", 401), recorded("good", "b")
    )
    cursor = Cursor()
    assert played(found, "good", 2, cursor) == ["a", "b"]
    assert played(found, "bad", 2, cursor) == ["no", "no"]
    assert played(found, "absent", 2, cursor) == ["who?", "who?"]
    assert played(found, "good", 1, cursor) == ["b"]
    assert found.unplayed(cursor) == ()


@pytest.mark.parametrize("asked, told", [("good", "absent"), ("absent", "good")])
def test_a_replay_needs_no_key(recordings, asked, told):
    """Where just one of good and absent was recorded it answers both, beside a bad one too."""
    for items in ([recorded(told, "yes")], [recorded("bad", "no", 401), recorded(told, "yes")]):
        assert played(recordings(*items), asked, 1) == ["yes"]


@pytest.mark.parametrize("asked, told", [("bad", "good"), ("bad", "absent"), ("good", "bad"), ("absent", "bad")])
def test_a_bad_key_and_any_other_never_answer_for_each_other(recordings, asked, told):
    """What a good key was answered is a miss for a bad one, and the other way round; the miss names the difference."""
    with pytest.raises(Miss) as caught:
        played(recordings(recorded(told, "yes")), asked, 1)
    assert f"differs in key '{asked}' ({told})" in caught.value.detail.nearest


def test_the_word_of_a_bad_key_counts_only_under_a_credentials_name(recordings):
    """An ordinary header that happens to hold the word asks the same question as ever."""
    found = recordings(recorded("absent", "yes"))
    assert found.play("GET", URL, b"", Cursor(), {"x-note": SCRUBBED_BAD}).body == b"yes"


def test_a_transport_tells_the_class_of_its_requests_key(recordings):
    """The client's own headers decide: no key, any key, the bad one's word."""
    found = recordings(recorded("absent", "who?", 401), recorded("bad", "no", 401), recorded("good", "yes"))
    with httpx2.Client(transport=ReplayTransport(found, Cursor())) as client:
        assert client.get(URL).text == "who?"
        assert client.get(URL, headers={"X-API-Key": "a key of today"}).text == "yes"
        assert client.get(URL, headers={"X-API-Key": SCRUBBED_BAD}).text == "no"


@given(st.lists(st.sampled_from(["absent", "good", "bad"]), min_size=1, max_size=8), st.sampled_from(list(HEADERS)))
def test_a_sequence_is_the_recorded_order_within_one_class(keys, asked):
    """Whatever was recorded, an asker sees exactly one class, all of it, in order; never bad for another or back."""
    every = [Answer.of(recorded(key, str(at)), None) for at, key in enumerate(keys)]
    found = Answers(every).to(HEADERS[asked])
    if not found:
        assert (asked in keys, "bad" in (asked, *set(keys))) == (False, True)
        return
    (served,) = {answer.key for answer in found}
    assert served == asked or {served, asked} == {"good", "absent"}
    assert asked == served or asked not in keys
    assert list(found) == [answer for answer in every if answer.key == served]


def test_a_reply_joins_the_lines_of_one_header():
    """As a mapping a repeated header is one value; as lines it stays two."""
    answer = Answer.of(recorded("good", "x"), None)
    assert answer.reply.headers == {"x-n": "1, 2"}
    assert answer.lines == ((b"x-n", b"1"), (b"x-n", b"2"))


def test_ids_are_put_back_into_a_copy():
    """The answer itself stays as it was recorded, whoever asks with whatever id."""
    item = Interaction(
        "POST", URL, b"{}", {}, 200, "", {}, json.dumps({"id": 1, "jsonrpc": "2.0", "result": 2}).encode()
    )
    answer = Answer.of(item, ("1",))
    assert json.loads(answer.body_to(("77",)))["id"] == 77
    assert json.loads(answer.reply_to(('"x"',)).body)["id"] == "x"
    assert json.loads(answer.reply.body)["id"] == 1
    assert answer.interaction is item


def test_one_bad_key_among_good_ones_makes_a_request_bad():
    """Classes of headers: none, any value at all, the bad word after a scheme or alone."""
    assert key_class([("accept", "x"), ("x-api-key", "")]) == "absent"
    assert key_class([("X-Api-Key", "k"), ("authorization", "Bearer y")]) == "good"
    assert key_class([("x-api-key", "k"), ("authorization", f"Bearer {SCRUBBED_BAD}")]) == "bad"
