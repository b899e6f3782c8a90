"""A draft world that asks for what it does not hold: what is kept of the replies, and what is left out and named."""

from __future__ import annotations

from pathlib import Path

import pytest

from caia_replay.cassette.identity import identity
from caia_replay.core.provider import HttpRequest
from caia_replay.errors import BadInput, Miss, ToolError
from caia_replay.recording.live_world import LiveWorld, NotKept
from tests.live_draft import Internet, client, draft

URL = "https://api.llama.fi/v2/chains"
REQUEST = HttpRequest("GET", URL)


def world_over(tmp_path: Path, internet: Internet) -> LiveWorld:
    return LiveWorld(draft(tmp_path), {}, client(internet), lambda _: "")


def test_a_kept_reply_is_among_the_recordings_at_once(tmp_path: Path) -> None:
    """And is gone from them when it is left out."""
    world = world_over(tmp_path, lambda _: (200, []))
    world.ask(REQUEST)
    assert world.recordings(None).holds(identity("GET", URL))
    world.leave_out(REQUEST, "no use")
    assert not world.recordings(None).holds(identity("GET", URL)) and list(world.left_out.values()) == ["no use"]


def test_etherscans_words_of_a_plan_are_a_refusal(tmp_path: Path) -> None:
    """With status 200, as it tells them; other NOTOKs are answers."""
    words = "Sorry, it looks like you are trying to access an API Pro endpoint."
    scan = HttpRequest("GET", "https://api.etherscan.io/v2/api?module=token&action=tokenholdercount")
    with pytest.raises(NotKept, match="API Pro"):
        world_over(tmp_path, lambda _: (200, {"status": "0", "message": "NOTOK", "result": words})).ask(scan)
    told = {"status": "0", "message": "NOTOK", "result": "Contract source code not verified"}
    assert world_over(tmp_path, lambda _: (200, told)).ask(scan).status == 200


def test_an_origin_that_is_away_ends_what_is_strict_alone(tmp_path: Path) -> None:
    """A player's call is a miss instead, named in what was left out; an address that is none is the caller's fault."""

    def away(request: object) -> tuple[int, object]:
        raise BadInput("api.llama.fi does not answer")

    world = world_over(tmp_path, away)
    with pytest.raises(BadInput):
        world.ask(REQUEST)
    world.is_strict = False
    with pytest.raises(Miss, match="asked in vain"):
        world.ask(REQUEST)
    assert list(world.left_out.values()) == ["api.llama.fi does not answer"]
    with pytest.raises(ToolError, match="no address that can be asked"):
        world.ask(HttpRequest("GET", f"https://a.example/{'x' * 70_000}"))
