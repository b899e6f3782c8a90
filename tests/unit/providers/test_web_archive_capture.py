from datetime import UTC, datetime
from email.utils import formatdate
from typing import Any

import pytest

from caia_replay.core.provider import HttpReply, HttpRequest, Recorded
from caia_replay.errors import Miss
from caia_replay.providers.web_archive_capture import captured, moved_to, place_of

NOW = int(datetime(2021, 1, 1, tzinfo=UTC).timestamp())
KEPT: dict[str, Any] = {"memento-datetime": "Sun, 01 Mar 2020 00:00:00 GMT"}


def page(digits: str) -> HttpRequest:
    """A question for a capture of a.example."""
    return HttpRequest("GET", f"https://web.archive.org/web/{digits}id_/http://a.example/x?b=1&a=2")


def reply(status: int, made: int = NOW, **headers: Any) -> HttpReply:
    """A reply of a moment."""
    told = {name.replace("_", "-"): text for name, text in headers.items()}
    return HttpReply(status, {"date": formatdate(made, usegmt=True), **told}, b"page")


def test_a_place_is_digits_flag_and_page() -> None:
    """Addresses are read in one spelling; calendars of captures and other paths are no pages."""
    place = place_of(page("2020"))
    assert (place.digits, place.flag, place.page) == ("2020", "id_", "a.example/x?a=2&b=1")
    assert place_of(HttpRequest("GET", "http://web.archive.org/web/a.example")).digits == ""
    for url in ("https://web.archive.org/web/2020*/a.example", "https://web.archive.org/web/", "x"):
        with pytest.raises(Miss):
            place_of(HttpRequest("GET", url))


def test_a_capture_is_known_by_the_moment_the_archive_tells() -> None:
    """Without that header a reply is no capture: a plea to wait can come with status 200."""
    good = Recorded(page("20200301000000"), reply(200, **KEPT))
    assert captured([good], place_of(page("20200301000000")), NOW, "w") is good.reply
    for other in (reply(200), reply(200, memento_datetime="Sun, 01 Mar 2022 00:00:00 GMT"), reply(429)):
        with pytest.raises(Miss):
            captured([Recorded(page("20200301000000"), other)], place_of(page("20200301000000")), NOW, "w")


def test_a_way_to_a_capture_holds_for_moments_before_it_was_told() -> None:
    """What was nearest among more captures is nearest among fewer; one of earlier may have been overtaken."""
    to = "/web/20200301000000id_/http://a.example/x?b=1&a=2"
    later = Recorded(page("20210301000000"), reply(302, NOW + 10**7, location=to))
    assert captured([later], place_of(page("20210301000000")), NOW, "w") is later.reply
    earlier = Recorded(page("20210301000000"), reply(302, NOW - 10**6, location=to))
    with pytest.raises(Miss):
        captured([earlier], place_of(page("20210301000000")), NOW, "w")
    after = Recorded(page("2020"), reply(302, NOW + 10**7, location=to.replace("2020", "2022")))
    with pytest.raises(Miss):
        captured([after], place_of(page("2020")), NOW, "w")


def test_a_page_that_is_not_there_later_was_not_there_before() -> None:
    """A refusal of later says that no capture was there; one of earlier says nothing of now."""
    for made, is_told in ((NOW + 10**7, True), (NOW, True), (NOW - 10**6, False)):
        found = Recorded(page("2020"), reply(404, made))
        if is_told:
            assert captured([found], place_of(page("2020")), NOW, "w") is found.reply
        else:
            with pytest.raises(Miss):
                captured([found], place_of(page("2020")), NOW, "w")


def test_only_ways_within_the_archive_are_followed() -> None:
    """An archived redirect of the page itself, other hosts and bad addresses lead nowhere."""
    assert moved_to(reply(302, location="/web/2020id_/http://a.example")) is not None
    for location in ("https://a.example/web/2020/x.example", "http://[", "/web/http://a.example", ""):
        assert moved_to(reply(302, location=location)) is None
    assert moved_to(reply(301, **KEPT, location="/web/2020id_/http://a.example")) is None
