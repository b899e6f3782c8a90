"""A person at the page where one plays: the replay in a thread, the page over real HTTP, and what a browser sends."""

from __future__ import annotations

import re
import threading
from html import escape, unescape
from pathlib import Path
from typing import Any

import httpx2

from caia_replay.errors import Interrupted
from caia_replay.intake.play_server import PlayServer
from caia_replay.loopback import LoopbackServer
from caia_replay.models.human import HumanModel, Seat
from caia_replay.runner.plan import RunPlan, make_plan
from caia_replay.runner.replay import Finished, replay
from caia_replay.store.person_diary import PersonDiary
from caia_replay.store.run_folder import Journal
from caia_replay.store.world_folder import open_world

STOPPED = "stopped for now"


class Played:
    """A replay by a person, begun; ``with`` it, the page answers. ``end`` is what the replay came to."""

    def __init__(self, out: Path, world: Path, *, resume: bool = False, name: str = "human/ana", **plan: Any) -> None:
        self.folder, self.out, self._resume = open_world(str(world)), out, resume
        self.plan: RunPlan = make_plan(self.folder, model=name, runs=1, **plan)
        self.diary = PersonDiary(Journal(out).path)
        self.seat = Seat(self.diary, self.plan.size, STOPPED)
        self._server = LoopbackServer(PlayServer(self.seat, self.diary, name, self.plan.turns))
        self._thread = threading.Thread(target=self._play)
        self.finished: Finished | None = None
        self.fault: BaseException | None = None

    def _play(self) -> None:
        person = HumanModel(self.plan.model, self.seat)
        try:
            self.finished = replay(
                self.plan, self.folder, self.out, workers=1, resume=self._resume, replace=False, person=person,
                watch=lambda end: self.seat.run_ended(),
            )  # fmt: skip
        except BaseException as fault:  # noqa: BLE001 -- raised by ``end``
            self.fault = fault

    def __enter__(self) -> Played:
        self._server.start()
        self._thread.start()
        self.url = self._server.url
        self.client = httpx2.Client(base_url=self.url, trust_env=False, timeout=60, follow_redirects=True)
        return self

    def __exit__(self, *_: object) -> None:
        if self._thread.is_alive() and not self.seat.is_over:
            self.seat.stop()
        self._thread.join()
        self._server.close()
        self.client.close()
        self.diary.close()

    def end(self) -> Finished:
        """Wait for the replay. Raises what it raised."""
        self._thread.join()
        if self.fault is not None:
            raise self.fault
        assert self.finished is not None
        return self.finished

    def stopped(self) -> None:
        """Wait for a replay that the person stopped."""
        self._thread.join()
        assert isinstance(self.fault, Interrupted), self.fault

    def page(self) -> str:
        """What is asked now."""
        self.seat.turn(60)
        return self.client.get("/").text

    def task(self, page: str) -> str:
        """Whose question a page shows."""
        return next(one for one in self.plan.tasks if escape(self.folder.task(one).question) in page)

    def post(self, do: str, turn: str | None = None, **fields: str) -> httpx2.Response:
        """Press a button of the form that is shown now, or of an older one's ``turn``."""
        headers = {"origin": self.url, "sec-fetch-site": "same-origin"}
        self.seat.turn(60)
        if turn is None and do not in ("consent", "stop"):
            turn = turn_of(self.page())
        given = {name.replace("__", " "): text for name, text in fields.items()}
        return self.client.post("/", data={"do": do, "turn": turn or "", **given}, headers=headers)

    def put(self, path: str, **told: Any) -> httpx2.Response:
        """What the page's script sends."""
        headers = {"origin": self.url, "sec-fetch-site": "same-origin"}
        return self.client.put(path, json=told, headers=headers)


def turn_of(page: str) -> str:
    """The turn that a page's form was made for."""
    found = re.search(r'name="turn" value="([^"]+)"', page)
    assert found is not None, page[:2000]
    return unescape(found[1])


def title_of(page: str) -> str:
    """What a page is headed with."""
    found = re.search("<h1>(.*?)</h1>", page)
    assert found is not None, page[:2000]
    return unescape(found[1])
