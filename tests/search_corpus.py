"""Three thousand varied pages about sixty projects, and the questions that some of them answer.

Every fact is stated on one English page (some on a Chinese one as well) among fifty others that name the same project,
many of which use the fact's own words without stating it.
"""

from __future__ import annotations

from dataclasses import dataclass

from caia_replay.core.world import Page
from caia_worldgen.rng import Rng

_HEADS = ("Zeph", "Orch", "Kal", "Mir", "Tand", "Quor", "Vel", "Brim", "Sol", "Nex", "Hul", "Cyr")
_TAILS = ("yra", "idex", "onia", "aris", "umbra")
PROJECTS = tuple(f"{head}{tail}" for head in _HEADS for tail in _TAILS)
DAY_S = 86_400
START_S = 1_735_689_600
PAGES_PER_PROJECT = 50

# topic: the page's title, what it states, two questions, then the same in Chinese
_TOPICS = {
    "team": (
        "{p} token allocation", "The team of {p} holds {n} {t} tokens, locked for four years.",
        ("How many {t} tokens does the {p} team hold?", "What is the team allocation of {p}?"),
        "{p}代币分配", "{p}团队持有{n}枚{t}代币，锁仓四年。", "{p}团队持有多少枚{t}代币？",
    ),
    "supply": (
        "{p} tokenomics", "The maximum supply of {t} is {n} tokens and can never be raised.",
        ("What is the maximum supply of {p}?", "what's the max supply of {t} tokens"),
        "{p}经济模型", "{t}的最大供应量为{n}枚，不可增发。", "{t}的最大供应量是多少？",
    ),
    "funding": (
        "{p} closes a funding round", "{p} raised ${n} in a Series A led by Halden Capital.",
        ("How much money did {p} raise in its Series A?", "Who led the Series A funding round of {p}?"),
        "{p}完成融资", "{p}在A轮融资中筹集了{n}美元，由Halden Capital领投。", "{p}在A轮融资中筹集了多少美元？",
    ),
    "audit": (
        "Security review of {p}", "Auditors found {n} issues of high severity in the contracts of {p}; all were fixed.",
        ("How many high severity issues did the auditors find in {p}?", "Has {p} been audited and what was found?"),
        "{p}安全审计", "审计方在{p}合约中发现{n}个高危漏洞，均已修复。", "{p}合约审计发现多少个高危漏洞？",
    ),
    "unlock": (
        "{p} unlock schedule", "On {d} a cliff unlock releases {n} {t} to early investors.",
        ("When is the next cliff unlock of {p} for early investors?", "How many {t} does the cliff of {p} release?"),
        "{p}解锁时间表", "{d}，悬崖解锁将向早期投资者释放{n}枚{t}。", "{p}悬崖解锁释放多少枚{t}？",
    ),
    "listing": (
        "{t} listing announcement", "Marlow Exchange opens trading of {t} ({p}) on {d} with a {t}/USDT pair.",
        ("When does Marlow Exchange list {t}?", "On which date did {p} start trading on Marlow Exchange?"),
        "{t}上线公告", "Marlow交易所将于{d}开放{t}交易，交易对为{t}/USDT。", "Marlow交易所什么时候上线{t}？",
    ),
    "bridge": (
        "Bridging to {p}", "The {p} bridge charges a fee of {n} gwei and settles after 20 minutes.",
        ("What fee does the {p} bridge charge?", "How long does it take to bridge to {p}?"),
        "{p}跨链桥", "{p}跨链桥收取{n} gwei手续费，二十分钟到账。", "{p}跨链桥的手续费是多少？",
    ),
    "vote": (
        "{p} governance proposal results", "Proposal 14 of {p} passed with {n} votes in favour and raised the quorum.",
        ("How many votes in favour did proposal 14 of {p} get?", "Did {p} governance proposal 14 pass?"),
        "{p}治理提案结果", "{p}第14号提案以{n}票赞成获得通过。", "{p}第14号提案获得多少票赞成？",
    ),
    "exploit": (
        "{p} incident report", "An attacker drained {n} USDC from the {p} lending pool through a stale oracle price.",
        ("How much USDC did the attacker drain from {p}?", "How was the {p} lending pool exploited?"),
        "{p}事件报告", "攻击者利用过期预言机价格从{p}借贷池盗走{n} USDC。", "{p}借贷池被盗多少USDC？",
    ),
    "founder": (
        "About {p}", "{p} was founded in 2021 by Ilse Varn-{n}, who wrote the first client.",
        ("Who founded {p}?", "Who is the founder of {p} and when was it founded?"),
        "关于{p}", "{p}由Ilse Varn-{n}于2021年创立。", "{p}是谁创立的？",
    ),
    "treasury": (
        "{p} treasury report", "At the end of the quarter the treasury of {p} held {n} dollars in stablecoins.",
        ("How large is the treasury of {p} in stablecoins?", "how much does the {p} treasury hold"),
        "{p}国库报告", "季度末{p}国库持有{n}美元稳定币。", "{p}国库持有多少美元稳定币？",
    ),
    "contract": (
        "{p} deployed contracts", "The staking contract of {p} is deployed at 0x{n}aa71 on mainnet.",
        ("What is the address of the {p} staking contract?", "Where is the {p} staking contract deployed?"),
        "{p}合约地址", "{p}质押合约部署在主网0x{n}aa71。", "{p}质押合约的地址是什么？",
    ),
}  # fmt: skip
_IDLE = (
    "Readers of {p} asked about {w} again this week, and nobody had a final number.",
    "The community call of {p} touched {w} and moved on to hiring.",
    "Compared with {q}, {p} publishes little about {w}.",
    "A moderator of the {p} forum closed the thread on {w} after two days.",
    "Traders of {t} watched {w} more closely than the price.",
    "Volumes of {t} rose while {w} stayed as it was in the quarter before.",
    "Like {q}, the developers of {p} promise a page about {w}.",
)
_WORDS = (
    "the team allocation", "the maximum supply", "the Series A funding", "audit issues of high severity",
    "the next unlock for investors", "an exchange listing", "bridge fees", "governance votes", "the lending pool",
    "its founder", "the treasury in stablecoins", "the staking contract address", "liquidity", "validator rewards",
    "the roadmap", "token burns", "grants", "the mobile wallet",
)  # fmt: skip
_OUTLETS = ("ledger-herald", "blockwire", "coin-courier", "the-daily-node", "chainpost")
_NEWS = ("{p} in the week of {d}", "{p}: what happened until {d}", "Notes on {p}, {d}", "{t} market wrap {d}")


@dataclass(frozen=True, slots=True)
class Question:
    """A question and the addresses of the pages that state its answer."""

    text: str
    answered_by: str
    chinese: bool


def ticker(project: str) -> str:
    """The ticker of a project."""
    return f"{project[:2]}{project[-3:]}".upper()


def corpus() -> tuple[list[Page], list[Question]]:
    """The pages, and two English questions about every fact and one about every Chinese page."""
    pages: list[Page] = []
    questions: list[Question] = []
    for project in PROJECTS:
        rng = Rng(f"search/{project}")
        told, chinese_too = list(_TOPICS), set(rng.some(list(_TOPICS), 5))
        for topic in told:
            title, said, asked, chinese_title, chinese_said, chinese_asked = _TOPICS[topic]
            words = {"p": project, "t": ticker(project), "n": f"{rng.number(2_000, 9_000_000):,}"}
            moment = START_S + rng.number(0, 150) * DAY_S
            words["d"] = f"2025-{rng.number(1, 9):02d}-{rng.number(1, 28):02d}"
            site = f"https://docs.{project.lower()}.example"
            text = [*_idle(rng, project, rng.number(2, 5)), said, *_idle(rng, project, rng.number(2, 9))]
            url = f"{site}/{topic}"
            pages.append(Page(url, title.format(**words), " ".join(text).format(**words), moment))
            questions += [Question(one.format(**words), url, False) for one in asked]
            if topic in chinese_too:
                url = f"{site}/zh/{topic}"
                text_zh = f"{chinese_said}更多信息请关注{{p}}官方公告。社区讨论了路线图和流动性。"
                pages.append(Page(url, chinese_title.format(**words), text_zh.format(**words), moment))
                questions.append(Question(chinese_asked.format(**words), url, True))
        for number in range(PAGES_PER_PROJECT - len(told) - len(chinese_too)):
            day = f"2025-{rng.number(1, 9):02d}-{rng.number(1, 28):02d}"
            url = f"https://{rng.one(_OUTLETS)}.example/{project.lower()}-{number}"
            title = rng.one(_NEWS).format(p=project, t=ticker(project), d=day)
            moment = START_S + rng.number(0, 150) * DAY_S
            pages.append(Page(url, title, " ".join(_idle(rng, project, rng.number(3, 14))), moment))
    return pages, questions


def _idle(rng: Rng, project: str, count: int) -> list[str]:
    """Sentences that use the words of facts and state none."""
    return [
        rng.one(_IDLE).format(p=project, t=ticker(project), q=rng.one(PROJECTS), w=rng.one(_WORDS))
        for _ in range(count)
    ]
