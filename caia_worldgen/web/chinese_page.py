"""Chinese pages beside the news: documentation of the story's projects, forum topics, and notes at a dashboard."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final

from caia_replay.core.world import Page
from caia_worldgen.act.birth import PROJECTS
from caia_worldgen.calendar import DAY_S
from caia_worldgen.rng import Rng
from caia_worldgen.web import number
from caia_worldgen.web.chinese_fact import HOUR_S, ChineseFacts, yuan
from caia_worldgen.web.chinese_press import ChinesePress, closed, paragraphs
from caia_worldgen.web.event import FactSheet
from caia_worldgen.web.page import Told, WebPage
from caia_worldgen.web.place import board, docs, forum, home, link
from caia_worldgen.web.prose import Slots, Written, join
from caia_worldgen.web.truth import ROLES, Subject, Truth, mistaken, stale

_CHAPTERS: Final = {"overview": "项目概览", "tokenomics": "代币经济", "contracts": "合约与地址", "faq": "常见问题"}
_SECTIONS: Final = {"Founders": "创始团队", "Investors": "投资人", "Advisers": "顾问"}
_TOPICS: Final = 4
"""Forum topics of a project."""
_LABELS: Final = (("指标", "数值"), ("项目", "读数"), ("字段", "内容"), ("数据", "结果"))


def pages(truth: Truth) -> Iterator[WebPage]:
    """Every Chinese page that is no article."""
    facts = ChineseFacts(truth)
    press = ChinesePress(truth, "zh-page", ("chinese_docs", "chinese_context"))
    for role in ROLES:
        for chapter in _CHAPTERS:
            if (role, chapter) == ("native", "contracts"):
                continue  # a chain's own coin has no contract
            yield _chapter(truth, facts, press, role, chapter)
    talk = ChinesePress(truth, "zh-forum", ("chinese_forum", "chinese_context"))
    for role in PROJECTS:
        for place in range(_TOPICS):
            yield _topic(truth, facts, talk, role, place)
    note = ChinesePress(truth, "zh-board", ("chinese_board", "chinese_context"))
    for protocol in truth.metrics.protocols:
        first, second = (_note(truth, facts, note, protocol.slug, time) for time in range(2))
        if second.page.url == first.page.url:  # both of one day
            second = replace(second, page=replace(second.page, url=f"{second.page.url}-2"))
        yield from (first, second)


def _chapter(truth: Truth, facts: ChineseFacts, press: ChinesePress, role: str, chapter: str) -> WebPage:
    subject, rng = truth.subject(role), press.rng(f"{role}/{chapter}")
    day = rng.number(3, max(3, truth.days * 2 // 3))
    midnight = truth.midnight(day)
    seen = midnight + rng.number(1, 22) * HOUR_S + rng.number(0, 3_599)
    slots = FactSheet(facts.chain(midnight), facts.when(midnight), facts.coin(subject.id, midnight, rng),
                      _own(truth, role, midnight))  # fmt: skip
    text = join(_parts(truth, press, role, chapter, midnight, slots, rng))
    title = rng.one((f"{_CHAPTERS[chapter]} | {subject.name} 中文文档", f"{subject.name}：{_CHAPTERS[chapter]}",
                      f"{subject.name} 文档 - {_CHAPTERS[chapter]}（中文）"))  # fmt: skip
    return _page(docs(subject, f"zh/{chapter}"), title, text, None, seen, "docs")


def _parts(
    truth: Truth, press: ChinesePress, role: str, chapter: str, midnight: int, slots: Slots, rng: Rng
) -> list[Written]:
    """What stands in a chapter, one after another."""
    if chapter == "overview":
        features = _several(("feature", 3, 6), rng=rng)
        first = [press.say("overview", slots, rng), press.say(f"how_{role}", slots, rng)]
        return [*first, _mixed(press, features, slots, rng), *press.told(("state", "more"), slots, rng)]
    if chapter == "tokenomics":
        more, opening = _several(("token_more", 3, 6), rng=rng), press.say("token", slots, rng)
        table = _schedule(truth, role, midnight, rng)
        return [opening, table, _mixed(press, more, slots, rng), *press.told(("token_close",), slots, rng)]
    if chapter == "contracts":
        more = _several(("contract_more", 3, 6), ("token_more", 1, 3), ("feature", 1, 2), rng=rng)
        opening = press.say("contract", slots, rng)
        return [opening, _addresses(truth, role, rng), _mixed(press, more, slots, rng)]
    told = [press.say("qa", slots, rng) for _ in range(rng.number(4, 6))]
    told += press.told((f"qa_{role}", "qa_number"), slots, rng)
    return [press.say("qa_intro", slots, rng), *rng.some(told, len(told))]


def _own(truth: Truth, role: str, midnight: int) -> dict[str, Told | str]:
    """What a project's own papers say besides: its treasury, its founders, where else to read."""
    subject, treasury = truth.subject(role), truth.scene.people.address("treasury")
    found: dict[str, Told | str] = {
        "site": link(subject.site, home(subject)), "english": link("英文文档", docs(subject, "overview")),
        "english_token": link("英文版代币说明", docs(subject, "tokenomics")), "snap_day": number.chinese_day(midnight),
        "treasury_address": treasury, "decimals": "6" if role == "dollar" else "18",
    }  # fmt: skip
    if role != "native":
        found |= {
            "treasury": truth.balance(role, treasury, midnight),
            "pool": truth.pool(role) if role != "dollar" else "",
        }
    if role in PROJECTS:
        found["forum"] = link("治理论坛", forum(subject))
    if team := truth.cast.teams.get(role):
        found |= {"person": team[0].name, "engineer": team[1].name, "people": str(len(team))}
    if role in ("arena", "storage"):
        found["staked"] = truth.staked(role, midnight)
    repositories = [name for name in sorted(truth.code.repositories) if name.startswith(f"{subject.id}/")]
    for name in repositories[:1]:
        if truth.code.repositories[name].latest(midnight) is not None:
            found |= {"repo": name, "tag": truth.release(name, midnight)}
    return found


def _several(*wanted: tuple[str, int, int], rng: Rng) -> list[str]:
    """Passages, each as often as drawn between its bounds, in any order."""
    found = [passage for passage, low, high in wanted for _ in range(rng.number(low, high))]
    return rng.some(found, len(found))


def _mixed(press: ChinesePress, passages: Sequence[str], slots: Slots, rng: Rng) -> Written:
    return paragraphs(press.told(passages, slots, rng), rng)


def _schedule(truth: Truth, role: str, midnight: int, rng: Rng) -> Written:
    """The vesting contracts of a project, a line each, and what they have vested; nothing without any."""
    emission = truth.metrics.emissions.of(truth.subject(role).id)
    if emission is None:
        return Written("", ())
    lines = []
    style = rng.one(("- {}：{} 枚，悬崖 {}，{} 释放完毕", "- {}份额 {} 枚；{} 起可领，{} 结束", "* {} | {} | {} | {}"))
    for grant in emission.grants:
        plan = grant.schedule
        lines.append(style.format(_SECTIONS[grant.section], number.exact(plan.total // 10**18).words,
                                  number.chinese_day(plan.cliff), number.chinese_day(plan.end)))  # fmt: skip
    told = truth.unlocked(role, midnight)
    if rng.happens(15) and midnight - 9 * DAY_S > truth.begun and told.claim is not None and told.claim.value:
        old = truth.unlocked(role, midnight - 9 * DAY_S)
        told = stale(old) if old.words != told.words else told
    end = rng.one(("截至 {} 零点（UTC），累计解锁 {} 枚。", "{}的累计解锁数：{} 枚。", "进度（{}）：{} 枚。"))
    lines.append("\n" + end.format(number.chinese_day(midnight), told.words))
    return Written("\n".join(lines), (told.claim,) if told.claim is not None else ())


def _addresses(truth: Truth, role: str, rng: Rng) -> Written:
    style = rng.one(("- {}：`{}`", "{}\n`{}`", "| {} | `{}` |", "* {} → {}"))
    rows = [(rng.one(("代币合约", "Token", "代币（主链）")), truth.address(role))]
    if role != "dollar":
        rows.append((rng.one(("美元交易对", "与稳定币的池子", "现货池")), truth.pool(role)))
    lines = [style.format(label, told.words) for label, told in rows]
    return Written("\n".join(lines), tuple(told.claim for _, told in rows if told.claim is not None))


def _topic(truth: Truth, facts: ChineseFacts, press: ChinesePress, role: str, place: int) -> WebPage:
    subject, rng = truth.subject(role), press.rng(f"{role}/{place}")
    at = truth.midnight(rng.number(2, truth.days - 3)) + rng.number(0, 23) * HOUR_S
    midnight = facts.snapshot(at)
    coin = facts.coin(subject.id, at, rng, slips=True)
    slots = FactSheet(facts.chain(at), facts.when(at), coin, _own(truth, role, midnight),
                      _measured(truth, subject, midnight, rng))  # fmt: skip
    title, opening = press.say("title", slots, rng), press.say("op", slots, rng)
    handles = rng.some([person.handle for person in truth.scene.people.crowd], 5)
    parts = [opening, *press.told(("fact",), slots, rng)]
    for handle in handles[1 : rng.number(3, 5)]:
        said = press.say("reply", slots, rng)
        quote = rng.one((f"**{handle}**：", f"@{handle} 回复：\n", f"> {handle}\n\n", f"{handle} 写道："))
        parts.append(Written(quote + said.text, said.claims))
    url = forum(subject, f"zh-{('jianyi', 'tiwen', 'taolun', 'gonggao')[place % 4]}-{number.iso_day(at)}-{place + 1}")
    made = _page(url, title.text, join([*parts[:2], *parts[2:]]), at + rng.number(60, 3_500), None, "forum")
    return WebPage(_by(made.page, handles[0]), made.kind, tuple(dict.fromkeys((*title.claims, *made.claims))))


def _measured(truth: Truth, subject: Subject, midnight: int, rng: Rng) -> dict[str, Told | str]:
    """The figures of a protocol at a midnight, where it is one, now and then mistaken."""
    protocol = truth.metrics.protocol(subject.id)
    if protocol is None or protocol.kind == "stake":
        return {}
    day = midnight // DAY_S * DAY_S
    told = truth.tvl(subject.id, day, yuan(2)) if day > truth.begun else None
    if told is None:
        return {}
    if rng.happens(6):
        told = mistaken(told, yuan(2), rng)
    return {"tvl": told, "tvl_day": number.chinese_day(day), "board": link("面板", board(truth, subject.id))}


def _note(truth: Truth, facts: ChineseFacts, press: ChinesePress, slug: str, time: int) -> WebPage:
    """A dashboard's remarks on a protocol, with its figures of a day."""
    rng = press.rng(f"{slug}/{time}")
    screen = truth.cast.screens[1 % len(truth.cast.screens)]
    midnight = truth.midnight(rng.number(2 + time, truth.days - 2))
    protocol = next(one for one in truth.metrics.protocols if one.slug == slug)
    rows: list[tuple[str, Told]] = [(rng.one(("锁仓", "TVL", "锁定价值")), truth.tvl(slug, midnight, yuan(2)))]
    for label, read in ((("日成交", "24h 交易额"), truth.volume), (("日手续费", "当日费用"), truth.fees)):
        try:
            rows.append((rng.one(label), read(slug, midnight, yuan(2))))
        except KeyError:
            continue
    rows += [("主链高度", truth.block("main", midnight)), ("全链锁仓", truth.chain_tvl("main", midnight, yuan(2)))]
    shown = rng.some(rows[1:], rng.number(1, len(rows) - 1))
    head = rng.one(_LABELS)
    lines = [f"| {' | '.join(head)} |", "| --- | --- |",
             *(f"| {label} | {told.words} |" for label, told in (rows[0], *shown))]  # fmt: skip
    claims = tuple(told.claim for _, told in (rows[0], *shown) if told.claim is not None)
    slots = FactSheet(facts.chain(midnight), facts.when(midnight), {
        "name": protocol.name, "screen": screen.name, "board": link("英文面板", board(truth, slug))})  # fmt: skip
    more = _mixed(press, (f"kind_{protocol.kind}", "method", "method", "method"), slots, rng)
    text = join([press.say("note", slots, rng), Written("\n".join(lines), claims), more])
    title = rng.one(
        (f"{protocol.name} 数据注释", f"{protocol.name} | {screen.name} 中文", f"如何读 {protocol.name} 的图表")
    )
    url = screen.url("zh", slug, number.iso_day(midnight))
    return _page(url, title, text, None, midnight + rng.number(600, 70_000), "dashboard")


def _page(url: str, title: str, text: Written, published: int | None, seen: int | None, kind: str) -> WebPage:
    page = Page(url, title, closed(text.text), published, language="zh", first_seen=seen)
    return WebPage(page, kind, tuple(dict.fromkeys(text.claims)))


def _by(page: Page, handle: str) -> Page:
    return Page(page.url, page.title, page.text, page.published, author=handle, language=page.language)
