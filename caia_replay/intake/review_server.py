"""The review page's server: an ASGI application on loopback for one reviewer, over one intake folder.

    GET  /                    the questions
    GET  /q/<id>              one question with its form
    POST /q/<id>              what a button of the form asks for: try a call, save a draft, give a review, decide
    PUT  /q/<id>/draft        what is typed, as JSON, to be kept
    GET  /page.css, /page.js  the style and the script

Questions are anybody's text: they are escaped, and no page may do anything but what ``page_reply.py`` allows.

The folder is read anew for each answer, so that several reviewers on one folder see each other's work.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from threading import Lock
from typing import Any, Final, Literal, cast
from urllib.parse import parse_qsl, quote

from caia_replay.canonical import pretty_bytes, strict_json
from caia_replay.core.tool import ToolReply
from caia_replay.errors import BadInput, CaiaReplayError
from caia_replay.intake import typed
from caia_replay.intake.ledger import Ledger, require_name
from caia_replay.intake.page_reply import FORM, JSON, Answer, file_at, html, kind_of, send_answer, to
from caia_replay.intake.question import ID, Question, read_folder, read_question
from caia_replay.intake.review import agreement, tally, write_review
from caia_replay.intake.review_page import DRAFT, POINTS, Row, View, index_page, message_page, question_page
from caia_replay.intake.rubric import Rubric, read_rubric
from caia_replay.intake.standing import decide, history, standing_of
from caia_replay.intake.trial import TRIES, Trial, draft_of, read_draft, save_draft, steps_text
from caia_replay.loopback import BodyRoom, Limits, Receive, Send, read_body

_QUESTION: Final = re.compile(rf"/q/({ID.pattern})(/draft)?")
_LONGEST_SHOWN: Final = 50_000
"""Characters of a tool's reply on the page."""
_SAID: Final = {
    "review": "Your review is kept.",
    "decided": "Decided.",
    "gold": "The draft is saved.",
    "back": "This is the saved draft again.",
    "save": "Kept.",
}
_NUMBER: Final = "number"
"""The kind that a form shows where nobody chose one."""


class ReviewServer:
    """The ASGI application. ``by`` is the reviewer's name; ``trial`` a world to try calls in, None without one.

    Raises ``BadInput`` for a name that is none, a folder that is no intake folder, and a rubric that cannot be read.
    """

    limits: Final = Limits(connections=64, idle_s=300, request_s=30)
    takes_forms: Final = True

    def __init__(self, folder: Path, by: str, trial: Trial | None = None) -> None:
        read_folder(folder)
        read_rubric(folder)
        self._folder, self._by, self._trial = folder, require_name(by), trial
        self._room, self._writing = BodyRoom(32 * 2**20), Lock()

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
            if method == "GET" and (found_file := file_at(path)) is not None:
                return found_file
            if method == "GET" and path == "/":
                return html(200, self._index())
            found = _QUESTION.fullmatch(path)
            if found is None:
                return html(404, message_page("Not here", "There is no such page."))
            name, is_draft = found[1], found[2] is not None
            question = read_question(self._folder, name)
            if method == "PUT" and is_draft and kind == JSON:
                return self._keep(name, body)
            if method == "POST" and not is_draft and kind == FORM:
                said = dict(parse_qsl(body.decode("utf-8", "replace"), keep_blank_values=True, max_num_fields=200))
                with self._writing:
                    return self._act(name, question, said)
            if method == "GET" and not is_draft:
                done = dict(parse_qsl(scope["query_string"].decode("latin-1"))).get("done", "")
                return html(200, question_page(self._view(name, question, said=_SAID.get(done, ""))))
        except BadInput as fault:
            return html(404 if "no question" in fault.what else 422, message_page("Not done", str(fault)))
        except ValueError as fault:
            return html(400, message_page("Not read", str(fault)[:300]))
        return html(405, message_page("Not so", f"{method} is not for this page."))

    def _keep(self, name: str, body: bytes) -> Answer:
        said = strict_json(body)
        if not isinstance(said, dict):
            raise ValueError("the fields are no object")
        with self._writing:
            typed.keep(self._folder, self._by, name, typed.form_fields(said))
        return 204, {}, b""

    def _act(self, name: str, question: Question, said: Mapping[str, str]) -> Answer:
        """What a button asks for. What was typed is kept first, whatever comes of it."""
        fields, act = typed.form_fields(said), said.get("do", "save")
        typed.keep(self._folder, self._by, name, fields)
        acts: dict[str, Callable[[], str]] = {
            "save": lambda: "save",
            "gold": lambda: self._gold(name, fields),
            "back": lambda: self._back(name, fields),
            "review": lambda: self._review(name, question, fields),
            **dict.fromkeys(("keep", "drop", "undo"), lambda: self._decide(name, act, fields)),
        }
        shows: dict[str, Callable[[Mapping[str, str]], str]] = {
            "call": self._called,
            "play": self._played,
            "try": partial(self._tried, question),
        }
        try:
            if act in shows:
                shown = shows[act](fields)
                return html(200, question_page(self._view(name, question, fields=fields, shown=shown)))
            if act not in acts:
                raise BadInput(f"no button {act!r:.40}", where="form")
            done = acts[act]()
        except CaiaReplayError as fault:
            return html(422, question_page(self._view(name, question, fields=fields, fault=str(fault))))
        return to(f"/q/{name}?done={quote(done)}")

    def _called(self, fields: Mapping[str, str]) -> str:
        return _shown(self._world().call(fields.get("tool", ""), fields.get("arguments", "").strip() or "{}"))

    def _played(self, fields: Mapping[str, str]) -> str:
        draft = read_draft(fields)
        answer, fault = self._world().play(draft)
        wanted = "; ".join(draft.answer.values)
        return f"The calls give: {answer}\nThe draft says: {wanted}" if not fault else f"The calls end without: {fault}"

    def _tried(self, question: Question, fields: Mapping[str, str]) -> str:
        return "\n".join(self._world().tried(question.question, read_draft(fields), TRIES))

    def _world(self) -> Trial:
        if self._trial is None:
            raise BadInput("no world is open to try calls in", where="call", next_command="start with --task ID")
        return self._trial

    def _gold(self, name: str, fields: Mapping[str, str]) -> str:
        save_draft(Ledger(self._folder, name), name, self._by, read_draft(fields))
        return "gold"

    def _back(self, name: str, fields: Mapping[str, str]) -> str:
        left = {key: value for key, value in fields.items() if key not in DRAFT}
        typed.keep(self._folder, self._by, name, left)
        return "back"

    def _review(self, name: str, question: Question, fields: Mapping[str, str]) -> str:
        has, conflict = fields.get("has_conflict", ""), fields.get("conflict", "").strip()
        if has not in ("yes", "no") or (has == "yes") != bool(conflict):
            raise BadInput("state whether you have a conflict of interest, and which if you have", where="review")
        given = {key.removeprefix(POINTS): value for key, value in fields.items() if key.startswith(POINTS)}
        points = {key: int(value) for key, value in given.items() if value in ("1", "2", "3", "4", "5")}
        ledger, rules = Ledger(self._folder, name), read_rubric(self._folder).review
        if _is_changed(self._given(ledger, name, question), fields):
            what = "the draft answer in the form is not the one that is saved, and a review is about the saved one"
            raise BadInput(what, where="review", next_command="press 'Save this draft' or 'Take my changes back' first")
        write_review(ledger, name, self._by, rules, points=points, notes=fields.get("notes", ""), conflict=conflict)
        typed.forget(self._folder, self._by, name)
        return "review"

    def _decide(self, name: str, act: str, fields: Mapping[str, str]) -> str:
        verdict = cast(Literal["keep", "drop", "undo"], act)
        decide(Ledger(self._folder, name), name, verdict, fields.get("why", ""), self._by)
        return "decided"

    def _index(self) -> bytes:
        ledger, rubric = Ledger(self._folder), read_rubric(self._folder)
        rows = [self._row(ledger, name, one, rubric) for name, one in read_folder(self._folder).items()]
        alpha = agreement(row.tally for row in rows)
        return index_page(rows, self._by, rubric, alpha, "" if self._trial is None else self._trial.moment)

    def _row(self, ledger: Ledger, name: str, question: Question, rubric: Rubric) -> Row:
        found = tally(ledger, name, question, rubric.review)
        is_mine = any(one.by == self._by for one in found.reviews)
        return Row(name, question, standing_of(ledger, name), found, is_mine)

    def _view(self, name: str, question: Question, *, fields: Mapping[str, str] | None = None, **more: str) -> View:
        ledger, rubric = Ledger(self._folder), read_rubric(self._folder)
        row = self._row(ledger, name, question, rubric)
        known = fields or {**self._given(ledger, name, question), **typed.kept(self._folder, self._by, name)}
        trial = self._trial
        chains = () if trial is None else trial.chains
        return View(
            row, self._by, rubric, known, "" if trial is None else trial.moment, chains,
            self._next(ledger, name), list(history(ledger, name)),
            [entry.by for entry in ledger.standing(name, "gold")], **more,
        )  # fmt: skip

    def _given(self, ledger: Ledger, name: str, question: Question) -> dict[str, str]:
        """The form as the ledger has it: the draft that stands, and the reader's own review."""
        found = {"values": question.answer, "arguments": "{}"}
        if self._trial is not None:
            anchor = self._trial.task.anchor
            found |= {"chain": anchor.chain, "block": str(anchor.block)}
        try:
            draft = draft_of(ledger, name)
        except BadInput:  # two stand after a merge: whoever saves one settles it
            draft = None
        if draft is not None:
            found |= {"values": "\n".join(draft.answer.values), "kind": draft.answer.kind}
            found |= {"unit": draft.answer.unit or "", "steps": steps_text(draft.gold), "result": draft.gold.result}
            found |= {"chain": draft.chain, "block": str(draft.block)}
        for entry in ledger.standing(name, "review"):
            if entry.by == self._by:
                found |= {f"{POINTS}{key}": str(value) for key, value in entry.body["points"].items()}
                found |= {"notes": entry.body["notes"], "conflict": entry.body["conflict"]}
                found["has_conflict"] = "yes" if entry.body["conflict"] else "no"
        return found

    def _next(self, ledger: Ledger, name: str) -> str:
        """The next question that waits for the reader, after this one and then from the first."""
        ids = sorted(path.stem for path in (self._folder / "questions").glob("q-*.toml"))
        after = [one for one in ids if one > name] + [one for one in ids if one < name]
        for one in after:
            mine = any(entry.by == self._by for entry in ledger.standing(one, "review"))
            if not mine and standing_of(ledger, one).outcome == "keep":
                return one
        return ""


def _is_changed(given: Mapping[str, str], fields: Mapping[str, str]) -> bool:
    """Whether a form has another draft answer than the one it was ``given``."""
    now = {**given, **{key: fields[key] for key in DRAFT if key in fields}}
    try:
        return read_draft(now) != read_draft(given)
    except BadInput:  # nobody has saved one, or it cannot be read: by its words, without what a world fills in
        words = [key for key in DRAFT if key not in ("chain", "block")]
        before, after = ({"kind": _NUMBER, **one} for one in (given, now))
        return any(before.get(key, "").split() != after.get(key, "").split() for key in words)


def _shown(reply: ToolReply) -> str:
    said = {"result": reply.result} if reply.result is not None else {"error": reply.error}
    text = pretty_bytes({"served": str(reply.served), **said}).decode("utf-8", "replace")
    return text if len(text) <= _LONGEST_SHOWN else f"{text[:_LONGEST_SHOWN]}\n... cut at {_LONGEST_SHOWN} characters"
