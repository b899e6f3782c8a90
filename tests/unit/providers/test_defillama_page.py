import json
from email.utils import formatdate
from pathlib import Path
from typing import Any

import pytest

from caia_replay.core.provider import HttpReply, HttpRequest, Recorded
from caia_replay.errors import Miss
from caia_replay.providers.defillama import DefiLlamaProvider
from tests.defillama_real import of, real_recordings

API = "https://api.llama.fi"
CHARTS, ANCHOR, PROTOCOLS = f"{API}/charts", f"{API}/protocol/anchor", f"{API}/protocols"
MARCH_28, MARCH_29 = 1_648_425_600, 1_648_512_000
SEPTEMBER_13 = 1_663_027_200


def narrowed(recordings: list[Recorded], url: str, now: int) -> HttpReply:
    return DefiLlamaProvider().narrow(recordings, HttpRequest("GET", url), now)


@pytest.mark.real
def test_a_real_history_is_cut_at_now(real_data: Path) -> None:
    """The history of all chains as recorded on 13 September 2022, cut in March, ends with March's own point."""
    september = of(real_recordings(real_data), CHARTS, "Sep 2022")
    cut = json.loads(narrowed([september], CHARTS, MARCH_29 + 40_000).body)
    assert len(cut) == 1243
    assert cut[0] == {"date": "1541203200", "totalLiquidityUSD": 34684.037746670474}
    assert cut[-1] == {"date": "1648512000", "totalLiquidityUSD": 222330292671.1943}
    assert json.loads(narrowed([september], CHARTS, MARCH_29 - 1).body) == cut[:-1]
    whole = narrowed([september], CHARTS, SEPTEMBER_13 + 37_470)
    assert whole is september.reply and len(json.loads(whole.body)) == 1411


@pytest.mark.real
def test_the_day_of_a_real_recording_was_still_moving(real_data: Path) -> None:
    """The point of the recording's own day holds at its own moment: the later recording has another one for it."""
    recordings = real_recordings(real_data)
    march, september = of(recordings, CHARTS, "Mar 2022"), of(recordings, CHARTS, "Sep 2022")
    assert json.loads(narrowed([march], CHARTS, MARCH_28 + 1).body)[-1] == {
        "date": "1648425600", "totalLiquidityUSD": 221695180558.92828}  # fmt: skip
    for recorded, now in ((march, MARCH_29 + 60_000), (march, MARCH_29 + 86_400), (september, SEPTEMBER_13 + 60)):
        with pytest.raises(Miss, match="does not cover"):
            narrowed([recorded], CHARTS, now)
    undated = Recorded(march.request, HttpReply(200, {}, march.reply.body))
    assert len(json.loads(narrowed([undated], CHARTS, MARCH_28 + 1).body)) == 1242
    with pytest.raises(Miss, match="at an unknown time"):
        narrowed([undated], CHARTS, MARCH_29 + 1)


@pytest.mark.real
def test_real_pages_of_now_answer_at_their_own_moment(real_data: Path) -> None:
    """A protocol and the list of all are handed out untouched at the moment of the recording, and at no other."""
    recordings = real_recordings(real_data)
    for url, month, at in ((ANCHOR, "Jan 2022", 1_643_455_865), (ANCHOR, "Sep 2022", 1_663_064_668),
                           (PROTOCOLS, "Sep 2022", 1_663_064_197)):  # fmt: skip
        one = of(recordings, url, month)
        assert narrowed([one], url, at) is one.reply
        for now in (at - 86_400, at + 86_400, at - 899_000):
            with pytest.raises(Miss, match="changes with time"):
                narrowed([one], url, now)
    early = of(recordings, ANCHOR, "Jan 2022")
    assert narrowed([early], ANCHOR, 1_643_455_865 - 800) is early.reply  # its last point is of 10:58, before that
    content: dict[str, Any] = json.loads(early.reply.body)
    assert content["tvl"][-1]["date"] == 1_643_453_912 and content["audit_links"]


def flow(flags: str, content: object, at: int = MARCH_29 + 100) -> Recorded:
    reply = HttpReply(200, {"date": formatdate(at, usegmt=True)}, json.dumps(content).encode())
    return Recorded(HttpRequest("GET", f"{API}/overview/dexs{flags}"), reply)


def test_charts_can_be_left_out_and_not_put_in() -> None:
    """A page with its charts answers for one without; what is not known of it survives; the reverse is a miss."""
    full = flow("", {"totalDataChart": [[1, 2]], "totalDataChartBreakdown": [[1, {}]], "odd": 7})
    short = flow("?excludeTotalDataChart=true", {"totalDataChart": [], "totalDataChartBreakdown": [[1, {}]], "odd": 7})
    url, now = f"{API}/overview/dexs", MARCH_29 + 100
    assert narrowed([full, short], f"{url}?excludeTotalDataChart=true", now) is short.reply
    assert json.loads(narrowed([full], f"{url}?excludeTotalDataChart=true", now).body) == {
        "totalDataChart": [], "totalDataChartBreakdown": [[1, {}]], "odd": 7}  # fmt: skip
    both = f"{url}?excludeTotalDataChart=true&excludeTotalDataChartBreakdown=true"
    assert json.loads(narrowed([short], both, now).body)["totalDataChartBreakdown"] == []
    with pytest.raises(Miss, match="recorded without excludeTotalDataChart"):
        narrowed([short], url, now)
    with pytest.raises(Miss, match="totals change with time"):
        narrowed([full], url, now - 200)  # the day before


def test_a_calendar_stands_until_it_is_written_again() -> None:
    """A file last written by now and recorded at now or later is what live would hand out; anything else is open."""
    url = "https://defillama-datasets.llama.fi/emissions/some"
    dated = {"date": formatdate(MARCH_29, usegmt=True), "last-modified": formatdate(MARCH_28, usegmt=True)}
    one = Recorded(HttpRequest("GET", url), HttpReply(200, dated, b'{"documentedData": {}}'))
    for now in (MARCH_28, MARCH_28 + 50_000, MARCH_29):
        assert narrowed([one], url, now) is one.reply
    for now in (MARCH_28 - 1, MARCH_29 + 86_400):
        with pytest.raises(Miss, match="last written at 2022-03-28"):
            narrowed([one], url, now)
    words = b'{"body": "{}", "lastModified": "2022-03-28T00:00:00.000Z"}'
    paid = "https://pro-api.llama.fi/SCRUBBED/api/emission/some"
    two = Recorded(HttpRequest("GET", paid), HttpReply(200, {"date": formatdate(MARCH_29, usegmt=True)}, words))
    assert narrowed([two], paid.replace("SCRUBBED", "OTHER"), MARCH_28 + 5) is two.reply


def test_a_history_of_another_shape_is_a_miss() -> None:
    """Points without a date, or no list at all, contain no history."""
    for body in (b'{"message": "no"}', b'[{"tvl": 1}]', b"[1]"):
        one = Recorded(HttpRequest("GET", CHARTS), HttpReply(200, {}, body))
        with pytest.raises(Miss):
            narrowed([one], CHARTS, MARCH_29)
