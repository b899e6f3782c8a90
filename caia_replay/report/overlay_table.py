"""What the attack commands print: campaigns, plans, every altered item, differences, slots and sweeps.

All that a campaign or a world says is data of strangers: each line is made one line without control characters, and
no text is read as markup.
"""

from __future__ import annotations

import re
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from datetime import UTC, datetime
from fractions import Fraction
from typing import Any, Final

from rich.table import Table
from rich.text import Text

from caia_replay.analysis.attack_diff import Altered, AttackDiff, Change, counts, reasons
from caia_replay.analysis.attack_pilot import Tried
from caia_replay.analysis.leak_audit import LIMITS, Audit, Prevalence
from caia_replay.analysis.sweep import Curve
from caia_replay.analysis.unread_injection import Slot
from caia_replay.attacks.campaign import Campaign, NotApplicable, Planned
from caia_replay.attacks.family import FAMILIES
from caia_replay.core.attack import Dose
from caia_replay.errors import one_line
from caia_replay.report.terminal import percent, plain_table
from caia_replay.runner.dose import dose_text

_LONGEST_PART: Final = 160
_LAST_MOMENT: Final = 253_402_300_799
_OPENING: Final = re.compile(r"The family ``[^`]*``: ")
_SENTENCE: Final = re.compile(r"[.:](?:\s|$)")
OURS: Final = "the attack pack is this project's own; CAIA plants nothing"


def campaign_lines(campaigns: Sequence[Campaign]) -> Iterator[str]:
    """Each campaign with what it is, and its families with what their doses say beside the default."""
    for campaign in campaigns:
        yield one_line(f"{campaign.name}: {campaign.description}")
        for family, dose in campaign.attacks:
            yield one_line_of(f"  {family}: {_dose(dose) or 'default dose'}")
    yield f"default dose: {dose_text(asdict(Dose()))}"


def family_told() -> dict[str, str]:
    """What each family does, by its name, in the order of the registry: the first sentence of its module, or of its own
    class where several families share a module."""
    shared = Counter(type(family).__module__ for family in FAMILIES.values())
    found: dict[str, str] = {}
    for name, family in FAMILIES.items():
        kind = type(family)
        source = sys.modules[kind.__module__] if shared[kind.__module__] == 1 else kind
        flat = _OPENING.sub("", " ".join((source.__doc__ or "").split()), count=1)
        found[name] = _SENTENCE.split(flat, maxsplit=1)[0].replace("``", "")
    return found


def family_lines(families: Mapping[str, str]) -> Iterator[str]:
    """Each family with its one line."""
    width = max((len(name) for name in families), default=0)
    for name, one in families.items():
        yield f"{one_line(name):<{width}}  {one_line(one)}"


def plan_lines(planned: Planned) -> Iterator[str]:
    """How much a campaign plants, by family and kind, and why families plant nothing against tasks."""
    overlay = planned.overlay
    found = counts(overlay)
    total = sum(1 for _ in overlay.planted())
    tasks = len({one.task for one in overlay.planted() if one.task})
    yield one_line(
        f"campaign {overlay.campaign}: {total} planted against {_count(tasks, 'task')}, digest {overlay.digest}"
    )
    for family, kinds in found.items():
        yield one_line_of(f"  {family}: {', '.join(_count(many, kind) for kind, many in kinds.items())}")
    yield from _reason_lines(planned.not_applicable)


def diff_lines(diff: AttackDiff) -> Iterator[str]:
    """Every altered item in order, then descriptions, moved pages, and what is not applicable."""
    yield one_line(f"campaign {diff.campaign}, digest {diff.digest}")
    yield f"{_count(len(diff.items), 'altered item')}:"
    for item in diff.items:
        yield f"  {item_line(item)}"
    yield f"{_count(len(diff.descriptions), 'description')} of tools changed{':' if diff.descriptions else ''}"
    for tool, text in diff.descriptions:
        yield one_line_of(f"  {tool}: {text}")
    yield f"{_count(len(diff.moved), 'honest page')} moved{':' if diff.moved else ''}"
    for page in diff.moved:
        yield one_line_of(f"  {_part(page.task)}: {_rank(page.before)} -> {_rank(page.after)}  {_part(page.url)}")
    yield from _reason_lines(diff.not_applicable)


def item_line(item: Altered) -> str:
    """One altered item on one line."""
    parts = [item.kind, item.attack, item.task or "(no task)", _moment(item.moment), item.place]
    parts.append(f"plants {item.planted}" if item.planted else "plants no value")
    if item.answer:
        parts.append(f"answer {item.answer}{' (with the mark)' if item.marked else ''}")
    if item.goal:
        parts.append(f"wants: {item.goal}")
    return "; ".join([*map(_part, filter(None, parts)), f"{item.size:,} bytes"])


def change_lines(changes: Sequence[Change], names: tuple[str, str]) -> Iterator[str]:
    """What two overlays differ in, or that they do not; the last line counts."""
    first, second = map(_part, names)
    for change in changes:
        if change.after is None and change.before is not None:
            yield f"- only {first}: {item_line(change.before)}"
        elif change.before is None and change.after is not None:
            yield f"+ only {second}: {item_line(change.after)}"
        elif change.after is not None:
            yield f"~ {', '.join(change.fields)}: {item_line(change.after)}"
    yield f"{len(changes)} differences" if changes else "identical"


def slot_table(families: Mapping[str, tuple[int, ...]]) -> Table:
    """Live and dead slots by family."""
    table = plain_table(("family",), ("planted", "read by gold", "read by search", "live", "dead"))
    for family, numbers in families.items():
        table.add_row(Text(one_line(family)), *map(str, numbers))
    return table


def dead_lines(slots: Sequence[Slot]) -> Iterator[str]:
    """Each dead slot, or that there is none."""
    dead = [slot for slot in slots if not slot.live]
    for slot in dead:
        yield f"dead: {item_line(slot.item)}"
    if not dead:
        yield "no slot is dead"


def prevalence_line(found: Prevalence) -> str:
    """How often whoever answers directly is planted, and how often the campaign states."""
    every = found.planted + found.honest
    return one_line(
        f"{found.campaign}: {found.planted} of {_count(every, 'page')} that answer directly "
        f"{'is' if found.planted == 1 else 'are'} planted; stated: at most {found.stated_percent} %"
    )


def leak_table(audits: Sequence[Audit]) -> Table:
    """A row for each campaign, family and kind: the best detector against honest results and against twins."""
    leaks = [one for audit in audits for one in audit.leaks]
    habits = [one for audit in audits for one in audit.habits]
    figures = ("planted", "honest", "AUC", "by", "twins", "AUC", "by", "question quoted", "lies above the truth")
    table = plain_table(("campaign", "family", "kind"), figures)
    rules = {(one.campaign, one.family): one for one in habits}
    for campaign, family, kind in dict.fromkeys((one.campaign, one.family, one.kind) for one in leaks):
        own = [one for one in leaks if (one.campaign, one.family, one.kind) == (campaign, family, kind)]
        cells = [str(own[0].planted)]
        for against in LIMITS:
            found = [one for one in own if one.against == against]
            best = max(found, key=lambda one: one.auc, default=None)
            few = "" if best is None or best.is_judged else " (few)"
            cells += ["", "", ""] if best is None else [str(best.others), f"{best.auc:.3f}{few}", best.view]
        rule = rules.get((campaign, family))
        cells += ["", ""] if rule is None else [str(rule.quoting), f"{rule.above} of {rule.lies}"]
        table.add_row(*(Text(one_line(one)) for one in (campaign, family or "all", kind, *cells)))
    return table


def pilot_lines(tried: Sequence[Tried]) -> Iterator[str]:
    """Of each model and attack: on how many tasks it was tried, shown, adopted, and made a difference to its twin."""
    for model, attack in dict.fromkeys((one.model, one.attack) for one in tried):
        own = [one for one in tried if (one.model, one.attack) == (model, attack)]
        figures = (sum(getattr(one, name) for one in own) for name in ("exposed", "adopted", "differs"))
        shown, adopted, kept = figures
        yield one_line(
            f"{model}: {attack}: {_count(len(own), 'task')}, {shown} exposed, {adopted} adopted, {kept} kept"
        )


def sweep_table(curve: Curve) -> Table:
    """A row a level: counts of runs, the rate of adoption with its interval, the fit, and accuracy."""
    titles = ("attacked", "exposed", "adopted", "undecided", "rate", "95 % interval", "never falling", "accuracy")
    table = plain_table((), (curve.over, *titles))
    for at, level in enumerate(curve.levels):
        numbers = (level.attacked, level.exposed, level.adopted, level.undecided)
        rate = percent(level.rate, "-")
        ends = "-" if level.interval is None else " to ".join(map(percent, level.interval))
        fitted = percent(None if curve.fitted is None else curve.fitted[at], "-")
        accuracy = percent(level.accuracy)
        value = Text(one_line(str(level.value)) or "(the question's)")
        table.add_row(value, *map(str, numbers), rate, ends, fitted, accuracy)
    return table


def trend_line(curve: Curve) -> str:
    """The test for a trend, or why there is none."""
    if curve.trend_p is None:
        return f"no trend over {curve.over}: its levels have no order, or nothing was attacked at one of them"
    return f"trend over {curve.over}: {_p(curve.trend_p)} by sign-flips of whole projects over the same tasks"


def one_line_of(text: str) -> str:
    """``text`` as ``one_line`` has it, with its indent kept."""
    indent = len(text) - len(text.lstrip(" "))
    return " " * min(indent, 8) + one_line(text)


def _reason_lines(left_out: Sequence[NotApplicable]) -> Iterator[str]:
    yield f"{_count(len(left_out), 'time')} not applicable{':' if left_out else ''}"
    for family, whys in reasons(left_out).items():
        for why, many in whys:
            yield one_line_of(f"  {family}: {_count(many, 'task')}: {why}")


def _part(text: str) -> str:
    """One line, short enough that what follows it stays."""
    clean = one_line(text)
    return clean if len(clean) <= _LONGEST_PART else f"{clean[: _LONGEST_PART - 3]}..."


def _moment(moment: int | None) -> str:
    if moment is None or not 0 <= moment <= _LAST_MOMENT:
        return "undated" if moment is None else str(moment)[:20]
    return datetime.fromtimestamp(moment, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def _rank(rank: int | None) -> str:
    return "-" if rank is None else str(rank)


def _dose(dose: Dose) -> str:
    fields: dict[str, Any] = asdict(dose)
    usual = asdict(Dose())
    return dose_text({name: value for name, value in fields.items() if value != usual[name]})


def _p(chance: Fraction) -> str:
    return "p < 0.0001" if chance < Fraction(1, 10_000) else f"p = {float(chance):.4f}"


def _count(number: int, thing: str) -> str:
    if number == 1:
        return f"1 {thing}"
    return f"{number:,} {thing[:-1]}ies" if thing.endswith("y") else f"{number:,} {thing}s"
