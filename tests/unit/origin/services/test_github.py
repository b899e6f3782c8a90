"""The synthetic GitHub: refusals and time."""

from __future__ import annotations

from typing import Any

import pytest

from caia_replay.origin.market.book import MarketBook
from caia_replay.origin.market.repository import Repositories, Repository
from caia_replay.origin.scene import Scene
from caia_replay.origin.services.github import BAD_TOKEN, GitHub
from caia_replay.origin.services.github_body import iso
from caia_replay.origin.services.service import Answer, Asked

pytestmark = pytest.mark.check
DAY_S = 86_400


@pytest.fixture(scope="module")
def code(scene: Scene, book: MarketBook) -> Repositories:
    """The repositories of the small economy."""
    return Repositories(scene, book)


@pytest.fixture(scope="module")
def now(scene: Scene) -> int:
    """A moment late in the story."""
    return scene.main.calendar.midnight(90) + 4_321


@pytest.fixture(scope="module")
def home(scene: Scene, code: Repositories) -> Repository:
    """The lender's contracts."""
    return code.repositories[f"{scene.projects['lend'].id}/contracts"]


def ask(code: Repositories, path: str, now: int, **asked: Any) -> Answer:
    """One answer of the service."""
    return GitHub(code).answer(Asked("GET", path, {name: str(value) for name, value in asked.items()}), now)


def test_refusals_are_the_vendors(code: Repositories, home: Repository, now: int) -> None:
    """404 for what is not there or cannot be done, 422 for a wrong question, 401 for a bad token."""
    path = f"/repos/{home.full_name}"
    for wrong in ("/repos/nobody/nothing", f"{path}/nothing", "/nothing", "/users/nobody", f"{path}/contents/none.txt"):
        told = ask(code, wrong, now)
        assert (told.status, told.content["message"], told.content["status"]) == (404, "Not Found", "404")
    assert ask(code, path, home.created_at - 1).status == 404
    assert GitHub(code).answer(Asked("POST", path, {}), now).status == 404
    assert ask(code, f"{path}/commits/{'0' * 40}", now).content["message"] == f"No commit found for SHA: {'0' * 40}"
    assert ask(code, f"{path}/issues", now, state="half").content["errors"][0]["field"] == "state"
    assert ask(code, "/search/repositories", now).status == 422
    bad = GitHub(code).answer(Asked("GET", path, {}, {"authorization": f"Bearer {BAD_TOKEN}"}), now)
    assert (bad.status, bad.content["message"]) == (401, "Bad credentials")


def test_nothing_of_later_is_in_any_body(code: Repositories, home: Repository, now: int) -> None:
    """No moment in any reply lies after the moment of the question."""

    def moments(body: Any) -> list[str]:
        if isinstance(body, dict):
            return [text for name, value in body.items() for text in ([value] if name.endswith("_at") and value else
                    moments(value))] + ([body["date"]] if "date" in body else [])  # fmt: skip
        return [text for one in body for text in moments(one)] if isinstance(body, list) else []

    for part in ("", "/commits", "/releases", "/tags", "/issues", "/contributors"):
        for moment in (now, now - 100 * DAY_S):
            told = moments(ask(code, f"/repos/{home.full_name}{part}", moment, per_page=100, state="all").content)
            assert all(text <= iso(moment) for text in told), part
    assert moments(ask(code, f"/repos/{home.full_name}/commits", now).content)
