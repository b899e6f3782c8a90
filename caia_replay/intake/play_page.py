"""The pages on which a person plays: consent, one turn of a run, and the end. Nothing here reads or writes anything.

A person sees what a model is sent, and nothing else: no arm, no verdict, no mark on a lie.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Final

from caia_replay.canonical import pretty_bytes, strict_json
from caia_replay.core.message import Message, ToolCall
from caia_replay.intake.html import Html, document, tag
from caia_replay.intake.tool_form import tool_form
from caia_replay.models.human import Turn

CONSENT: Final = (
    "You will be asked questions about crypto markets and blockchains, one at a time, each with tools to find the "
    "answer, as a language model is. Take as long as you like. There is no time limit.",
    "Kept in the run folder on this machine, and sent nowhere: the name you chose, your answers, the tool calls you "
    "make, which controls you use, and when. Nothing else about you is kept. Whoever has the folder can read it.",
    "What the tools show is frozen: a world that was recorded, or made up for this. As in any world, not all that "
    "pages and posts say need be true. Please use nothing but the tools and your own knowledge.",
    "You can stop at any time and go on later, or not at all. Delete the run folder to withdraw all of it.",
)
_LAST: Final = "last"
"""Where the newest reply stands on the page."""
_BREAK: Final = re.compile(r"(?<!\\)((?:\\\\)*)\\n")
"""A line break as JSON writes it, and not a backslash before an n."""


@dataclass(frozen=True, slots=True)
class View:
    """A turn on the page. ``at`` is the run's number of ``total``; ``turns`` how many turns a run has at most.
    ``fault`` is a message above the form."""

    turn: Turn
    at: int
    total: int
    turns: int
    fields: Mapping[str, str]
    fault: str = ""


def consent_page(name: str, total: int) -> bytes:
    """What a person agrees to before they are asked anything."""
    return document(
        "Before you begin",
        tag("h1", "Before you begin"),
        tag("p", f"You play as {name}: {total} {'question' if total == 1 else 'questions'}."),
        [tag("p", text) for text in CONSENT],
        tag(
            "form",
            tag("button", "I agree and begin", type="submit", name="do", value="consent"),
            tag("button", "I do not agree", type="submit", name="do", value="decline"),
            method="post",
            action="/",
        ),
    )


def turn_page(view: View) -> bytes:
    """The question, what was found so far, the tools, and a field for the answer."""
    turn, taken = view.turn, sum(message.role == "assistant" for message in view.turn.messages)
    asked = next((message.content for message in turn.messages if message.role == "user"), "")
    told = [tag("p", message.content) for message in turn.messages if message.role == "system"]
    used = view.fields.get("do", "").removeprefix("call ")
    left = view.turns - taken
    return document(
        f"Question {view.at} of {view.total}",
        tag("h1", f"Question {view.at} of {view.total}"),
        tag("p", view.fault, role="alert") if view.fault else None,
        tag("div", asked, class_="question"),
        tag("details", tag("summary", "What a model is told before the question"), _NOTE, told, class_="told"),
        _past(turn.messages),
        tag(
            "form",
            tag("input", type="hidden", name="turn", value=turn.id),
            tag("button", "Keep what I typed", type="submit", name="do", value="keep"),
            _tools(view, used, left),
            _answer(view),
            tag("p", id="kept", aria_live="polite"),
            method="post",
            action="/",
            data_keep="/typed",
            data_clicks="/clicks",
            autocomplete="off",
        ),
    )


def message_page(title: str, text: str, *, again: bool = False) -> bytes:
    """A page that says one thing, with a link to go on where there is something to go on with."""
    return document(title, tag("h1", title), tag("p", text), tag("p", tag("a", "Go on", href="/")) if again else None)


_NOTE: Final = tag("p", "The form below writes the words FINAL ANSWER for you.")


def _past(messages: Sequence[Message]) -> Html | None:
    """What was called and what came of it, the newest last; and what the agent said meanwhile."""
    begun = next((at for at, message in enumerate(messages) if message.role == "user"), 0)
    later, calls, parts = messages[begun + 1 :], dict[str, ToolCall](), list[Html]()
    newest = max((at for at, message in enumerate(later) if message.role == "tool"), default=-1)
    for at, message in enumerate(later):
        calls |= {call.id: call for call in message.tool_calls}
        if message.role == "tool":
            call = calls[message.tool_call_id or ""]
            name = tag("h3", f"You called {call.name} with {call.arguments}", id=_LAST if at == newest else None)
            parts.append(tag("section", name, tag("pre", _pretty(message.content), tabindex=0)))
        elif message.role == "user":
            parts.append(tag("p", message.content, role="note"))
        elif message.content:
            parts.append(tag("p", f"You said: {message.content}"))
    return tag("section", tag("h2", "What you found"), parts) if parts else None


def _tools(view: View, used: str, left: int) -> Html | None:
    if not view.turn.tools:
        return tag("p", "There are no tools for this question.")
    if left <= 1:
        return tag("p", "This was the last call you could make. Give an answer now.")
    return tag(
        "section",
        tag("h2", "Tools"),
        tag("p", f"You can make {left - 1} more {'call' if left == 2 else 'calls'}. Open a tool to fill it in."),
        [tool_form(spec, view.fields, is_open=spec.name == used) for spec in view.turn.tools],
    )


def _answer(view: View) -> Html:
    field = tag("input", type="text", name="answer", value=view.fields.get("answer", ""))
    buttons = [
        ("answer", "Give this answer"),
        ("none", "I have no answer"),
        ("stop", "Stop for now"),
    ]
    return tag(
        "section",
        tag("h2", "Your answer"),
        tag("p", tag("label", "In the form that stands below the question, and nothing else", field)),
        [tag("button", text, type="submit", name="do", value=value) for value, text in buttons],
    )


def _pretty(text: str) -> str:
    """A reply for people: JSON with its indents, and line breaks where a text has them."""
    with suppress(ValueError):
        return _BREAK.sub(r"\1\n", pretty_bytes(strict_json(text)).decode("utf-8", "replace"))
    return text
