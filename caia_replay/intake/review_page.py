"""The pages of the review server, made of what the ledger holds. Nothing here reads or writes anything."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Final, get_args

from caia_replay.core.task import AnswerKind
from caia_replay.intake.flags import masked
from caia_replay.intake.html import Html, document, tag
from caia_replay.intake.question import Question
from caia_replay.intake.review import Tally, tally_words
from caia_replay.intake.rubric import HIGHEST, LOWEST, Rubric
from caia_replay.intake.standing import Standing
from caia_replay.tools.catalog import CATALOG

DRAFT: Final = ("values", "kind", "unit", "steps", "result", "chain", "block")
FIELDS: Final = frozenset((*DRAFT, "notes", "conflict", "has_conflict", "why", "tool", "arguments"))
"""What the form of a question has besides the points."""
POINTS: Final = "points-"
"""Before the name of a criterion."""
_NO_WORLD: Final = "No world is open to try calls in. Start the command with --task ID to open one."
_OUTCOMES: Final = {
    "keep": "Passed screening",
    "ask": "Left to a person",
    "new": "Not screened",
    "drop": "Dropped",
    "promoted": "Promoted to a task",
}


@dataclass(frozen=True, slots=True)
class Row:
    """A question on the list: what is to become of it, its reviews, and whether the reader has reviewed it."""

    id: str
    question: Question
    standing: Standing
    tally: Tally
    is_mine: bool


@dataclass(frozen=True, slots=True)
class View:
    """Everything on the page of one question. ``fields`` are the form's; ``said`` and ``fault`` a message above it;
    ``shown`` what a call or a chain gave. ``saved_by`` names who saved the draft answer that stands, several after a
    merge. ``moment`` is empty where there is no world to try in."""

    row: Row
    by: str
    rubric: Rubric
    fields: Mapping[str, str]
    moment: str
    chains: Sequence[str]
    next_id: str
    history: Sequence[str]
    saved_by: Sequence[str]
    said: str = ""
    fault: str = ""
    shown: str = ""


def index_page(rows: Sequence[Row], by: str, rubric: Rubric, alpha: Fraction | None, moment: str) -> bytes:
    """All questions: those that wait for the reader first."""
    waiting = [row for row in rows if row.standing.outcome == "keep" and not row.is_mine]
    parts: list[tuple[str, list[Row]]] = [
        ("To review", waiting),
        ("Left to a person", [row for row in rows if row.standing.outcome in ("ask", "new")]),
        ("Reviewed by you", [row for row in rows if row.standing.outcome == "keep" and row.is_mine]),
        ("Promoted to tasks", [row for row in rows if row.standing.outcome == "promoted"]),
        ("Dropped", [row for row in rows if row.standing.outcome == "drop"]),
    ]
    told = f"A question passes with {rubric.review.least} reviews that count and a score of {rubric.review.passes}."
    agreed = "not known yet" if alpha is None else points(alpha)
    return document(
        "Questions to review",
        tag("h1", "Questions to review"),
        tag("p", f"You are {by}. ", told, f" Agreement of the reviewers (Krippendorff's alpha): {agreed}."),
        tag("p", f"Calls are tried in {moment}." if moment else _NO_WORLD),
        [_table(name, part) for name, part in parts if part],
    )


def question_page(view: View) -> bytes:
    """One question with its form."""
    row, address = view.row, f"/q/{view.row.id}"
    more = [tag("tr", tag("th", name, scope="row"), tag("td", value)) for name, value in _facts(row.question)]
    keep = {"method": "post", "action": address, "data_keep": f"{address}/draft", "autocomplete": "off"}
    return document(
        f"Review {row.id}",
        tag("nav", tag("a", "All questions", href="/"), " ", _next_link(view.next_id)),
        tag("h1", row.id),
        tag("p", view.fault, role="alert") if view.fault else None,
        tag("p", view.said, role="status") if view.said else None,
        tag("div", row.question.question, class_="question", lang=row.question.language),
        tag("table", more),
        _why(row.standing, view.history),
        tag(
            "form", _default_button(), _draft(view), _try(view), _points(view), _decision(view),
            tag("p", id="kept", aria_live="polite"), **keep,
        ),
        _reviews(row.tally) if row.is_mine else tag("p", "The reviews of others are shown when you have given yours."),
    )  # fmt: skip


def message_page(title: str, text: str) -> bytes:
    """A page that says one thing."""
    return document(title, tag("h1", title), tag("p", text), tag("p", tag("a", "All questions", href="/")))


def points(value: Fraction) -> str:
    """A figure with two decimals."""
    return f"{float(value):.2f}"


def _table(name: str, rows: Sequence[Row]) -> Html:
    lines = []
    for row in rows:
        text = " ".join(masked(row.question.question).split())
        short = text if len(text) <= 140 else f"{text[:137]}..."
        codes = ", ".join(dict.fromkeys(one.code for one in row.standing.reasons if one.effect != "note"))
        state = tally_words(row.tally) if row.is_mine else f"{len(row.tally.reviews)} reviews"
        cells = (tag("a", short, href=f"/q/{row.id}"), codes or state)
        lines.append(tag("tr", [tag("td", cell) for cell in cells]))
    return tag("section", tag("h2", f"{name} ({len(rows)})"), tag("table", lines))


def _facts(question: Question) -> list[tuple[str, str]]:
    named = [("Draft answer of the author", question.answer), ("Category", question.category)]
    named += [("Author", question.author), ("Source", question.source), *sorted(question.more.items())]
    return [(name, value) for name, value in named if value]


def _next_link(next_id: str) -> Html | None:
    return tag("a", "Next question", href=f"/q/{next_id}") if next_id else None


def _why(standing: Standing, history: Sequence[str]) -> Html:
    reasons = [tag("li", f"{one.code} ({one.effect}): {one.what}") for one in standing.reasons]
    past = tag("details", tag("summary", "What happened"), tag("ul", [tag("li", line) for line in history]))
    told = tag("ul", reasons) if reasons else None
    return tag("section", tag("h2", _OUTCOMES[standing.outcome]), told, past if history else None)


def _default_button() -> Html:
    # Enter in a text field presses a form's first button: it must not submit a review.
    return tag("button", "Keep what I typed", type="submit", name="do", value="save")


def _draft(view: View) -> Html:
    fields = view.fields
    kind = fields.get("kind", "number")
    kinds = [tag("option", name, value=name, selected=name == kind) for name in get_args(AnswerKind)]
    chains = ", ".join(view.chains)
    return tag(
        "section",
        tag("h2", "Draft answer"),
        tag("p", _saved(view.saved_by)),
        _area("values", "What is right (an item a line)", fields, 2),
        tag("label", "Kind ", tag("select", kinds, name="kind")),
        _line("unit", "Unit of a number, such as ETH or %", fields),
        _area("steps", "Tool calls that prove it (one a line: TOOL JSON)", fields, 4, code=True),
        _line("result", "Expression over their results, such as $1.number", fields),
        _line("chain", f"Chain it is asked on ({chains})" if chains else "Chain it is asked on", fields),
        _line("block", "Block it is asked at", fields),
        tag("button", "Try the calls", type="submit", name="do", value="play", disabled=not view.moment),
        tag("button", "Try it by policies", type="submit", name="do", value="try", disabled=not view.moment),
        tag("button", "Save this draft", type="submit", name="do", value="gold"),
        tag("button", "Take my changes back", type="submit", name="do", value="back"),
    )


def _saved(by: Sequence[str]) -> str:
    if not by:
        return (
            "Nobody has saved a draft answer yet: below stands what the author said. The question can be reviewed so, "
            "but it can neither be tried nor made a task before somebody saves one, and reviews given until then do "
            "not count after that."
        )
    return f"Saved by {by[0]}." if len(by) == 1 else f"Two stand after a merge, by {', '.join(by)}: save one again."


def _try(view: View) -> Html:
    if not view.moment:
        return tag("section", tag("h2", "Try a tool"), tag("p", _NO_WORLD))
    names = [tag("option", name, value=name, selected=view.fields.get("tool") == name) for name in CATALOG]
    about = [tag("li", tag("b", name), f": {tool.spec.description.splitlines()[0]}") for name, tool in CATALOG.items()]
    return tag(
        "section",
        tag("h2", "Try a tool"),
        tag("p", f"In {view.moment}."),
        tag("label", "Tool ", tag("select", names, name="tool")),
        _area("arguments", "Arguments as JSON", view.fields, 2, code=True),
        tag("button", "Call it", type="submit", name="do", value="call"),
        tag("pre", view.shown, tabindex=0, id="shown") if view.shown else None,
        tag("details", tag("summary", "What the tools do"), tag("ul", about)),
    )


def _points(view: View) -> Html:
    parts = []
    for criterion in view.rubric.review.criteria:
        name = f"{POINTS}{criterion.id}"
        given = view.fields.get(name, "")
        choices = [_radio(name, str(at), given, str(at)) for at in range(LOWEST, HIGHEST + 1)]
        parts.append(tag("fieldset", tag("legend", f"{criterion.id}: {criterion.asks}"), choices))
    has = view.fields.get("has_conflict", "")
    stated = [_radio("has_conflict", "no", has, "none"), _radio("has_conflict", "yes", has, "yes, as stated below")]
    asks = "Conflict of interest: did you write this question, or do you hold, work for or invest in what it is about?"
    return tag(
        "section",
        tag("h2", "Your review"),
        tag("p", f"{LOWEST} is worst, {HIGHEST} is best."),
        parts,
        _area("notes", "Notes", view.fields, 4),
        tag("fieldset", tag("legend", asks), stated, _line("conflict", "Which", view.fields)),
        tag("button", "Give this review", type="submit", name="do", value="review"),
    )


def _decision(view: View) -> Html:
    buttons = [("keep", "Keep the question"), ("drop", "Drop the question"), ("undo", "Take the decision back")]
    return tag(
        "section",
        tag("h2", "Decide"),
        tag("p", "A decision goes before what screening found."),
        _line("why", "Reason", view.fields),
        [tag("button", text, type="submit", name="do", value=value) for value, text in buttons],
    )


def _reviews(tally: Tally) -> Html:
    rows = []
    for one in tally.reviews:
        score = "" if one.score is None else points(one.score)
        given = ", ".join(f"{name} {value}" for name, value in one.points.items())
        rows.append(tag("tr", [tag("td", cell) for cell in (one.by, score, given, one.notes, one.aside)]))
    titles = ("reviewer", "score", "points", "notes", "does not count")
    heads = tag("tr", [tag("th", name, scope="col") for name in titles])
    return tag("section", tag("h2", "Reviews"), tag("p", tally_words(tally)), tag("table", heads, rows))


def _area(name: str, label: str, fields: Mapping[str, str], rows: int, code: bool = False) -> Html:
    # A browser drops a line break right after the tag: an own one keeps the text's.
    inside = f"\n{fields.get(name, '')}"
    kind = "code" if code else None
    return tag("p", tag("label", label, tag("textarea", inside, name=name, rows=rows, class_=kind, spellcheck="false")))


def _radio(name: str, value: str, given: str, label: str) -> Html:
    button = tag("input", type="radio", name=name, value=value, checked=given == value)
    return tag("label", button, f" {label}", class_="point")


def _line(name: str, label: str, fields: Mapping[str, str]) -> Html:
    return tag("p", tag("label", label, tag("input", type="text", name=name, value=fields.get(name, ""))))
