from typing import Any
from urllib.parse import urlencode

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from caia_replay.canonical import strict_json
from caia_replay.core.provider import HttpReply, HttpRequest, Recorded
from caia_replay.errors import Miss
from caia_replay.providers.blockscout_module import (
    is_read,
    module_answer,
    module_family,
    module_following,
    module_widened,
)
from caia_replay.providers.etherscan_question import question_of
from tests.living_blockscout import ACCOUNT, TOKEN, Explorer, time_of
from tests.provider_law import same

EXPLORER = Explorer()
NOW, LATER = time_of(120) + 5, time_of(169) + 10**6


def ask(action: str = "txlist", **told: Any) -> HttpRequest:
    """A request in Etherscan's form."""
    module = {"getLogs": "logs", "balance": "account"}.get(action, "account")
    told = {"address": TOKEN if module == "logs" else ACCOUNT, **told}
    query = urlencode({"module": module, "action": action, **told})
    return HttpRequest("GET", f"https://base.blockscout.com/api?{query}")


def replay(asked: HttpRequest, made: int, now: int = NOW) -> HttpReply:
    """What is answered out of the widened recordings of ``made``."""
    recordings = [Recorded(one, EXPLORER(one, made)) for one in module_widened(asked)]
    assert all(module_family(one.request) == module_family(asked) for one in recordings)
    return module_answer(recordings, asked, now, "w")


blocks = st.integers(0, 130)
windows = st.fixed_dictionaries(
    {"sort": st.sampled_from(["asc", "desc"])}, optional={"startblock": blocks, "endblock": st.integers(130, 180)}
)
pages: st.SearchStrategy[dict[str, Any]] = st.one_of(
    st.just({}), st.fixed_dictionaries({"page": st.integers(1, 3), "offset": st.integers(1, 60)})
)


@settings(max_examples=60)
@given(windows, pages, st.booleans())
def test_every_window_of_a_list_is_the_living_one(window: dict[str, Any], page: dict[str, Any], is_late: bool) -> None:
    """Whenever it was recorded; confirmations count from a block nobody recorded and are left out then."""
    asked = ask(**window, **page)
    reply, living = replay(asked, LATER if is_late else NOW), EXPLORER(asked, NOW)
    rows = strict_json(living.body)["result"]
    if is_late:
        rows = [{name: value for name, value in row.items() if name != "confirmations"} for row in rows]
    assert strict_json(reply.body)["result"] == rows
    assert is_late or same(reply, living)


def test_logs_are_a_list_without_pages() -> None:
    """A range of blocks out of all of them, at an earlier moment too; none is told in the vendor's words."""
    for first, last in ((5, 119), (5, "latest"), (0, 300)):
        asked = ask("getLogs", fromBlock=first, toBlock=last)
        assert same(replay(asked, LATER), EXPLORER(asked, NOW))
    assert b"No logs found" in replay(ask("getLogs", fromBlock=150, toBlock=160), LATER).body


def test_a_question_whose_order_is_the_vendors_is_answered_as_recorded() -> None:
    """Without an order, with half a page, or with pages of logs: at its own moment alone."""
    for asked in (ask(), ask(sort="asc", page=2), ask("getLogs", fromBlock=1, toBlock=9, page=2, offset=5)):
        assert not is_read(question_of(asked)) and asked in module_widened(asked)
        assert replay(asked, NOW).body == EXPLORER(asked, NOW).body
        with pytest.raises(Miss):
            replay(asked, LATER)


def test_a_full_list_goes_on_from_its_last_block() -> None:
    """Ten thousand rows, or a thousand logs, are followed; a shorter list is its whole."""
    (wide,) = module_widened(ask("getLogs", fromBlock=0, toBlock=5))
    log = '{"blockNumber": "0x7", "timeStamp": "0x1"}'
    full = HttpReply(200, {}, f'{{"status": "1", "message": "OK", "result": [{",".join([log] * 1_000)}]}}'.encode())
    following = module_following(wide, full)
    assert following is not None and "fromBlock=7" in following.url
    assert module_following(following, full) is None and module_following(wide, EXPLORER(wide, NOW)) is None
    assert module_following(wide, HttpReply(200, {}, b'{"status": "1", "result": [{}]}')) is None


def test_limits_told_with_status_200_are_no_answers() -> None:
    """A replay passes over them."""
    date = EXPLORER(ask("balance"), NOW).headers
    busy = HttpReply(200, date, b'{"status": "0", "message": "NOTOK", "result": "Max rate limit reached"}')
    with pytest.raises(Miss):
        module_answer([Recorded(ask("balance"), busy)], ask("balance"), NOW, "w")
