"""Facts of notices and release notes: what a venue charges, when it stops a wallet, when a version came out."""

from __future__ import annotations

from typing import Final

from caia_replay.core.task import AnswerSpec, Category
from caia_worldgen.calendar import DAY_S
from caia_worldgen.questions.expression import Composed, Plan, Source, both, iso, number
from caia_worldgen.questions.known import Known, subject_of
from caia_worldgen.questions.page import as_day
from caia_worldgen.questions.page_reading import DAY
from caia_worldgen.questions.venue import fees, stops
from caia_worldgen.questions.when import chinese, english
from caia_worldgen.web.site_text import slug

Kind = tuple[Category, Source]


def venue_fee(known: Known, kind: Kind) -> Composed | None:
    """What a venue charges for a withdrawal since its last change, in the coin or in dollars."""
    truth = known.truth
    able = [one for one in fees(truth) if one.due < known.now and known.sees(one.url)]
    if not able:
        return None
    one = known.rng.one(able)
    subject = truth.subject(one.role)
    plan = Plan()
    found = plan.call(
        "web_search",
        query=f'"{subject.ticker}" withdrawal fee change site:{truth.cast.venue.site}/notices/fee-{subject.id}',
        limit=3,
    )
    page = plan.call("url_fetching", url=f"{found}.results.0.url")
    said = f"match({page}.text, '([0-9]+[.][0-9]+) {subject.ticker}')"
    slots = {"ticker": both(subject.ticker), "venue": both(truth.cast.venue.name)}
    if known.rng.happens(50):
        price = known.price(subject_of(truth.coin(subject.id)), known.today - 1)
        if price is None:
            return None
        quote = plan.call("price_feed", asset=f"id:{subject.id}", at=iso(known.midnight(known.today - 1)))
        moment = known.midnight(known.today - 1)
        slots["when"] = both(f"at 00:00 UTC on {english(moment)}", f"{chinese(moment)}零点（UTC）")
        return Composed(
            "venue_fee_usd",
            "venue_fee_usd",
            *kind,
            slots,
            number(one.fee * price, "USD"),
            plan.chain(f"{said} * {quote}.price"),
            subject.id,
            known.now,
        )
    return Composed(
        "venue_fee",
        "venue_fee",
        *kind,
        slots,
        number(one.fee, subject.ticker, "0"),
        plan.chain(f"{said} + 0"),
        subject.id,
        known.now,
    )


def maintenance(known: Known, kind: Kind) -> Composed | None:
    """For which day a venue planned to stop a wallet, by the last notice about it."""
    truth = known.truth
    able = [one for one in stops(truth) if one.published < known.now and known.sees(one.url)]
    if not able:
        return None
    one = known.rng.one(able)
    if any(other.role == one.role and other is not one and other.published < known.now for other in able):
        return None
    subject = truth.subject(one.role)
    plan = Plan()
    place = f"{truth.cast.venue.site}/notices/maintenance-{iso(one.published)}"
    query = f"{subject.ticker} wallet maintenance deposits withdrawals site:{place}"
    found = plan.call("web_search", query=query, limit=3)
    page = plan.call("url_fetching", url=f"{found}.results.0.url")
    result = as_day(f'match({page}.text, "{DAY}")', plan)
    slots = {"ticker": both(subject.ticker), "venue": both(truth.cast.venue.name)}
    return Composed(
        "maintenance",
        "maintenance",
        *kind,
        slots,
        AnswerSpec("date", (iso(one.due),)),
        plan.chain(result),
        subject.id,
        known.now,
    )


def releases(known: Known, kind: Kind) -> Composed | None:
    """When a version came out, or how many days lie between two."""
    able = [one for _, one in sorted(known.truth.code.repositories.items()) if one.past.releases]
    repository = known.rng.one(able)
    full = [one for one in repository.past.releases if not one.is_early and one.published_at < known.now - DAY_S]
    urls = {one.tag: f"https://code.{repository.owner.site}/{repository.name}/releases/{slug(one.tag)}" for one in full}
    seen = [one for one in full if known.sees(urls[one.tag])]
    if len(seen) < 3:
        return None
    project = known.truth.subjects.get(repository.owner.login)
    if project is None:
        return None
    plan = Plan()

    def published(tag: str) -> str:
        place = f"code.{repository.owner.site}/{repository.name}/releases/{slug(tag)}"
        found = plan.call("web_search", query=f"{repository.name} {tag} release notes site:{place}", limit=3)
        return f"{plan.call('url_fetching', url=f'{found}.results.0.url')}.published"

    slots = {"name": both(project.name.split()[0]), "what": both(repository.name)}
    if known.rng.happens(50):
        one = known.rng.one(seen)
        slots["tag"] = both(one.tag)
        result = f"match({published(one.tag)}, '[0-9-]{{10}}')"
        return Composed(
            "release_day",
            "release_day",
            *kind,
            slots,
            AnswerSpec("date", (iso(one.published_at),)),
            plan.chain(result),
            project.id,
            known.now,
        )
    first, second = seen[0], seen[-1]
    slots |= {"tag": both(first.tag), "other": both(second.tag)}
    code = "from datetime import date as d\nprint((d.fromisoformat('<b>')-d.fromisoformat('<a>')).days)"
    days = {name: f"match({published(one.tag)}, '[0-9-]{{10}}')" for name, one in (("a", first), ("b", second))}
    gap = second.published_at // DAY_S - first.published_at // DAY_S
    return Composed(
        "release_gap",
        "release_gap",
        *kind,
        slots,
        number(gap, "days", "0"),
        plan.chain(f"match({plan.run(code, **days)}, '[0-9]+')"),
        project.id,
        known.now,
    )


FORMS: Final = {"fee": venue_fee, "maintenance": maintenance, "release": releases}
"""Every form of such a question."""
