"""Run folders to report on, and what stands in a report: its chunks, unpacked as a browser unpacks them."""

from __future__ import annotations

import base64
import json
import re
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

from caia_replay.report.html.pack import packed
from caia_replay.report.html.page import write_page
from caia_replay.report.html.report import report_of
from caia_replay.report.html.source import Source
from caia_replay.report.talk import Step, Talk
from caia_replay.runner.plan import make_plan
from caia_replay.runner.replay import replay
from caia_replay.store.world_folder import open_world
from tests.finished_run import rewritten

PRICE = {"prompt": "2.5", "completion": "10", "cached": "1.25", "as_of": "2026-01-01", "source": "a test"}


def played(
    out: Path,
    world: Path,
    policy: str,
    *,
    arms: Sequence[str] = ("clean", "attacked"),
    dose: str = "",
    seed: int = 0,
    campaign: str = "edited-first",
) -> Path:
    """A policy's run of every task, twice in each arm."""
    folder = open_world(str(world))
    plan = make_plan(folder, model=f"policy/{policy}", arms=arms, runs=2, seed=seed, dose=dose, campaign=campaign)
    replay(plan, folder, out, workers=1, resume=False, replace=False)
    return out


def priced(run: Path, name: str) -> Path:
    """The same run as if a model of this name had been paid for it."""
    return rewritten(run, header={"model": {"name": name, "parameters": {}, "price": PRICE}}, model=name)


def chunks(report: Path) -> dict[str, Any]:
    """Every chunk by its name."""
    found = re.findall(r'<script type="text/plain" id="([^"]+)">([A-Za-z0-9+/=]*)</script>', report.read_text("utf-8"))
    return {name: json.loads(zlib.decompress(base64.b64decode(data), -zlib.MAX_WBITS)) for name, data in found}


def page_of(out: Path, sources: Sequence[Source]) -> Path:
    """A report of sources made by hand."""
    overview, rest = report_of(sources, Path())
    write_page(out, packed(overview), ((name, packed(value)) for name, value in rest))
    return out


def told(source: Source, says: Mapping[str, str], steps: Mapping[str, tuple[Step, ...]] = {}, **labels: Any) -> Source:
    """A source whose tasks have other names and texts. ``says``: an old task id to the text that stands everywhere a
    model, a page or a chain could say something; ``steps``: to conversations of one's own."""

    def talk(task: str, old: Talk) -> Talk:
        text = says.get(task)
        made = steps.get(task) or tuple(_said(step, text) for step in old.steps)
        if text is None:
            return replace(old, steps=made)
        planted = tuple((text, text, text) for _ in old.planted)
        told = {"answer": text, "reading": text, "reason": text, "detail": text, "expected": (text,)}
        return replace(old, steps=made, planted=planted, prompt=(("system", text), ("user", text)), **told)

    cells = tuple(
        replace(
            cell,
            rows=tuple(_row(row, says.get(row["task"])) for row in cell.rows),
            talks={says.get(task, task): tuple(talk(task, one) for one in own) for task, own in cell.talks.items()},
            lies=tuple(
                replace(lie, task=says[lie.task], family=says[lie.task], value=says[lie.task])
                if lie.task in says
                else lie
                for lie in cell.lies
            ),
        )
        for cell in source.cells
    )
    names = ("category", "project", "stake_reason")
    tasks = {
        says.get(task, task): known
        if task not in says
        else {**known, **dict.fromkeys(names, says[task]), "question": says[task], "expected": [says[task]]}
        for task, known in source.tasks.items()
    }
    return replace(source, cells=cells, tasks=tasks, **labels)


def _row(row: Mapping[str, Any], text: str | None) -> dict[str, Any]:
    if text is None:
        return dict(row)
    return {**row, "task": text, "answer": text, "reason": text, "adopted_attack": row["adopted_attack"] and text}


def _said(step: Step, text: str | None) -> Step:
    if text is None:
        return step
    if step[0] == "model":
        return ("model", step[1], text, text, ((text, text, text),))
    return (*step[:2], text, text, text, step[5], text, (text,), (text,), text, step[10])


SIGN: Final = "7341"
HOSTILE: Final = (
    *("<script>hit()</script>", "</script><script>hit()</script>", "<img src=x onerror=hit()>", "<svg onload=hit()>"),
    *("<!--<script>", "-->", "]]>", "<iframe srcdoc='<script>parent.hit()</script>'>", "javascript:hit()"),
    *("<a href=javascript:hit()>x</a>", "<style>*{display:none}</style>", "<base href=//evil.invalid>", "<plaintext>"),
    *("<meta http-equiv=refresh content='0;url=//evil.invalid'>", "<form action=//evil.invalid><input>", "<textarea>"),
    *("<title>x</title>", "<template><b>", "<math><mtext></mtext><script>hit()</script></math>", "<body onload=hit()>"),
    *("<svg><style><img src=x onerror=hit()></style>", "<svg><script>hit()</script></svg>", "<object data=x>"),
    *("<details open ontoggle=hit()>", "<marquee onstart=hit()>", "<link rel=stylesheet href=//evil.invalid>"),
    *(
        "'\" onmouseover=hit() x='",
        '"><b>',
        "&lt;b&gt;&amp;&#60;",
        "&#x3c;script&#x3e;",
        "{{constructor.constructor('hit()')()}}",
    ),
    *(
        "${hit()}",
        "`${hit()}`",
        "<%= hit() %>",
        "#{hit()}",
        "{%raw%}",
        "__proto__",
        "constructor",
        "hasOwnProperty",
        "toString",
    ),
    *("=cmd|' /C calc'!A0", "+1+1", "-2+3", "@SUM(1)", '=HYPERLINK("//evil.invalid")', "\t=1+1", "\r=1+1", "|calc"),
    *(
        "%0a%0d",
        "../../etc/passwd",
        "a\u202ecod.exe",
        "\u2066\u2067x\u2069",
        "zero\u200bwidth\u2060\ufeff",
        "\u0007\u001b[31mred\u001b[0m",
    ),
    *(
        "\u001b]0;title\u0007",
        "\u0000nul",
        "\u007f\u0085\u009b31m",
        "line\u2028\u2029end",
        "\ud800",
        "\U000e0041\U000e007f",
    ),
    *(
        "Z\u0351\u036b\u0343a\u0363\u0361lgo" * 20,
        "x" * 5_000,
        "\n" * 50,
        "\u3164\u115f",
        "NaN",
        "null",
        "[object Object]",
    ),
)
