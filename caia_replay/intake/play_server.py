"""The server of the page on which a person plays: an ASGI application on loopback, for one seat.

    GET  /                    what is asked now: consent first, then each turn
    POST /                    what a button asks for: agree or not, call a tool, answer, give none, keep, stop for now
    PUT  /typed, /clicks      what is typed, to be kept; which controls were used, and when
    GET  /page.css, /page.js  the style and the script

Whatever a form asks for it asks in the turn that it was made for: a second tab, or a button pressed twice, does nothing
twice. Replies of tools are anybody's text: they are escaped, and no page may do anything but what ``page_reply.py``
allows.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any, Final
from urllib.parse import parse_qsl

from caia_replay.canonical import strict_json
from caia_replay.core.model import RunKey
from caia_replay.errors import BadInput
from caia_replay.intake.page_reply import FORM, JSON, Answer, file_at, html, kind_of, send_answer, to
from caia_replay.intake.play_page import View, consent_page, message_page, turn_page
from caia_replay.intake.tool_form import read_arguments
from caia_replay.loopback import BodyRoom, Limits, Receive, Send, read_body
from caia_replay.models.human import HUMAN, Said, Seat, Turn
from caia_replay.store.person_diary import PersonDiary

_WAIT_S: Final = 20.0
"""How long an answer waits for what comes next; then the page asks again by itself."""
_FIRST_S: Final = 1.0
"""As long before the first turn: a big world takes its time to open, and a browser should show something."""
_LONGEST: Final = 200_000
_MOST_CLICKS: Final = 500
_TURNS_KEPT: Final = 8
"""Turns that clicks may still be told of."""
_AROUND: Final = "*_ \t\r\n"
"""What an agent takes off an answer: one of nothing else is none."""
_OVER: Final = "That was the last question. Thank you. You can close this page; the command ends by itself."
_STOPPED: Final = "What you did is kept. The terminal says how to go on. You can close this page."
_DECLINED: Final = "You did not agree. Nothing was asked, and nothing is kept. You can close this page."
_OLD: Final = "That page was out of date, and nothing was done twice. This is what is asked now."


class PlayServer:
    """The ASGI application. ``name`` is the person's model, ``turns`` how many turns a run has at most."""

    limits: Final = Limits(connections=64, idle_s=300, request_s=30)
    takes_forms: Final = True

    def __init__(self, seat: Seat, diary: PersonDiary, name: str, turns: int) -> None:
        self._seat, self._diary, self._name, self._turns = seat, diary, name.removeprefix(HUMAN), turns
        self._room = BodyRoom(32 * 2**20)
        self._has_agreed = self._has_begun = False
        self._shown: dict[str, RunKey] = {}

    async def __call__(self, scope: Mapping[str, Any], receive: Receive, send: Send) -> None:
        """Answer one HTTP request."""
        with self._room.share() as take:
            body = await read_body(receive, take)
            answer = await asyncio.to_thread(self._answered, scope, body)
        await send_answer(scope, send, answer)

    def _answered(self, scope: Mapping[str, Any], body: bytes) -> Answer:
        path, method = str(scope["path"]), "GET" if scope["method"] == "HEAD" else str(scope["method"])
        kind = kind_of(scope)
        try:
            if method == "GET" and (found := file_at(path)) is not None:
                return found
            if path == "/" and method == "GET":
                return self._now()
            if path == "/" and method == "POST" and kind == FORM:
                text = body.decode("utf-8", "replace")
                said = parse_qsl(text, keep_blank_values=True, max_num_fields=1000)
                return self._act(_texts(dict(said)))
            if path in ("/typed", "/clicks") and method == "PUT" and kind == JSON:
                told = strict_json(body)
                if not isinstance(told, dict):
                    raise ValueError("the fields are no object")
                return self._keep(_texts(told)) if path == "/typed" else self._click(told)
        except BadInput as fault:
            return html(422, message_page("Not done", str(fault), again=True))
        except ValueError as fault:
            return html(400, message_page("Not read", str(fault)[:300], again=True))
        return html(404, message_page("Not here", "There is no such page.", again=True))

    def _now(self, fields: Mapping[str, str] | None = None, fault: str = "", status: int = 200) -> Answer:
        """What is asked now, as a page."""
        turn = self._seat.turn(_WAIT_S if self._has_begun else _FIRST_S)
        self._has_begun = self._has_begun or turn is not None
        if self._seat.is_over:
            words = _OVER if self._seat.done >= self._seat.total else _STOPPED
            return html(200, message_page("The end", _DECLINED if self._seat.has_declined else words))
        if turn is None:
            status, told, content = html(200, message_page("One moment", "This page goes on by itself.", again=True))
            return status, {**told, "refresh": "1"}, content
        if not self._agreed():
            return html(200, consent_page(self._name, self._seat.total))
        if turn.id not in self._shown:
            self._shown = dict([*self._shown.items(), (turn.id, turn.key)][-_TURNS_KEPT:])
            self._diary.note("shown", turn.key)
        known = self._diary.typed(asdict(turn.key)) if fields is None else fields
        view = View(turn, self._seat.done + 1, self._seat.total, self._turns, known, fault)
        return html(status, turn_page(view))

    def _agreed(self) -> bool:
        self._has_agreed = self._has_agreed or any(one["event"] == "consent" for one in self._diary.events())
        return self._has_agreed

    def _act(self, fields: Mapping[str, str]) -> Answer:
        """What a button asks for. What was typed is kept first, whatever comes of it."""
        act = fields.get("do", "")
        if act == "stop":
            self._keep(fields)
            self._diary.note("stop")
            self._seat.stop()
            return self._now()
        if act == "consent":
            if not self._agreed():
                self._diary.note("consent")
            return to("/")
        if act == "decline" and not self._agreed():
            self._seat.decline()
            return self._now()
        turn = self._asked(fields)
        if turn is None:
            return self._now(None, _OLD, 409)
        self._diary.keep_typed(asdict(turn.key), fields)
        if act == "keep":
            return to("/")
        try:
            said = _said(act, fields, turn)
        except BadInput as fault:
            return self._now(fields, fault.what, 422)
        if said.did != "call":
            self._diary.forget_typed()
        if not self._seat.say(turn.id, said):
            return self._now(None, _OLD, 409)
        self._seat.turn(_WAIT_S)
        # Told here and not at another address: after the last run nobody answers there.
        return self._now() if self._seat.is_over else to("/#last" if said.did == "call" else "/")

    def _asked(self, fields: Mapping[str, str]) -> Turn | None:
        """The turn that a form was made for, where it is asked now and the person has agreed to be asked."""
        turn = self._seat.turn()
        return turn if turn is not None and turn.id == fields.get("turn") and self._agreed() else None

    def _keep(self, fields: Mapping[str, str]) -> Answer:
        turn = self._asked(fields)
        if turn is None:
            return 409, {}, b""
        self._diary.keep_typed(asdict(turn.key), fields)
        return 204, {}, b""

    def _click(self, told: Mapping[str, Any]) -> Answer:
        # The last clicks of a turn come beside what ended it, in whatever order.
        key, clicks = self._shown.get(str(told.get("turn"))), told.get("clicks")
        if key is None or not isinstance(clicks, list) or len(clicks) > _MOST_CLICKS:
            return 409, {}, b""
        # Names of our own controls and milliseconds: nothing else that a page may send is kept.
        kept = [
            [name[:120], at]
            for name, at in (one for one in clicks if isinstance(one, list) and len(one) == 2)
            if isinstance(name, str) and type(at) is int
        ]
        self._diary.note("clicks", key, clicks=kept)
        return 204, {}, b""


def _said(act: str, fields: Mapping[str, str], turn: Turn) -> Said:
    if act == "none":
        return Said("none")
    if act == "answer":
        answer = fields.get("answer", "").strip(_AROUND)
        if not answer:
            raise BadInput("write an answer, or say that you have none", where="form")
        return Said("answer", text=answer)
    name = act.removeprefix("call ")
    spec = next((one for one in turn.tools if act == f"call {one.name}"), None)
    if spec is None:
        raise BadInput(f"no tool {name!r:.60} here", where="form")
    return Said("call", name, read_arguments(spec, fields))


def _texts(said: Mapping[str, Any]) -> dict[str, str]:
    """The texts among what a browser sent. Raises ``BadInput`` for more than ``_LONGEST`` characters."""
    known = {name: text.replace("\r\n", "\n") for name, text in said.items() if isinstance(text, str)}
    if sum(map(len, known.values())) > _LONGEST:
        raise BadInput(f"more than {_LONGEST} characters", where="form")
    return {name: text.encode("utf-8", "replace").decode() for name, text in known.items()}
