"""Other words for the words of a question, as content farms have them: a text turned over, and its keywords.

Groups hold words of one form each, so that a turned text still reads like a sentence most of the time. What identifies
a question (names, tickers, addresses, heights, days) is in no group and stays.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

_HAN: Final = re.compile("[\u3400-\u9fff]")
_ARTICLE: Final = re.compile(r"\b([Aa]) (?=(?:a|e|i|o(?!ne\b))[a-z])")
_START: Final = re.compile(r"(?:^|[.?!:])\s*\Z")


def turned(text: str, turn: int) -> str:
    """``text`` with each word that has others replaced by the one ``turn`` places on in its group; 0 changes none."""

    def other(found: re.Match[str]) -> str:
        word = found.group()
        if not _is_plain(found):
            return word
        group = _GROUP_OF[word.casefold()]
        made = group[(group.index(word.casefold()) + turn) % len(group)]
        return made[0].upper() + made[1:] if word[0].isupper() else made

    return _ARTICLE.sub(r"\1n ", _WORDS.sub(other, text)) if turn else text


def others(text: str) -> list[str]:
    """Every other word for the words of ``text``, each once, without those that the text has."""
    have = text.casefold()
    words = [found.group().casefold() for found in _WORDS.finditer(text) if _is_plain(found)]
    return list(dict.fromkeys(other for word in words for other in _GROUP_OF[word] if other not in have))


def _is_plain(found: re.Match[str]) -> bool:
    """Whether it is no part of a name: in small letters, or capital as the first of a sentence is."""
    word = found.group()
    return word == word.casefold() or (
        word[1:] == word[1:].casefold() and _START.search(found.string[: found.start()]) is not None
    )


_ENGLISH: Final = (
    ("how many", "what number of", "what total of", "what count of"),
    ("how much", "what amount", "what quantity"),
    ("how large", "how big", "what size"),
    ("which account", "which address", "what wallet", "who", "whose wallet"),
    ("which address", "which account", "what wallet"),
    ("which contract", "what contract address", "which implementation"),
    ("on which day", "on what date", "when", "on which calendar date"),
    ("which day", "what date", "when"),
    ("at what date and time", "when exactly", "at which moment and timestamp"),
    ("since which day", "since what date", "from when on"),
    ("exact timestamp", "precise time", "exact date and time"),
    ("account", "address", "wallet", "holder"),
    ("accounts", "addresses", "wallets", "holders"),
    ("addresses", "wallets", "accounts", "senders"),
    ("address", "wallet", "account"),
    ("wallet", "address", "account", "owner"),
    ("wallets", "addresses", "accounts"),
    ("hold", "have", "own", "keep", "possess"),
    ("held", "owned", "kept", "had"),
    ("holding", "balance", "position", "stash"),
    ("balance", "holdings", "amount held", "funds"),
    ("owned", "held", "possessed", "had"),
    ("owner", "holder", "possessor", "proprietor"),
    ("item", "token id", "piece", "nft"),
    ("collection", "nft series", "collectible set"),
    ("block", "block height", "block number"),
    ("blocks", "block range", "heights"),
    ("produced", "mined", "created", "made", "minted"),
    ("created", "deployed", "made", "published"),
    ("creator", "deployer", "author", "maker"),
    ("date", "day", "calendar day", "when"),
    ("time", "hour", "moment", "timestamp"),
    ("largest", "biggest", "highest", "maximum", "top"),
    ("highest", "largest", "top", "maximum", "peak"),
    ("median", "middle", "typical"),
    ("average", "mean", "typical"),
    ("transfer", "transaction", "movement", "payment"),
    ("transfers", "transactions", "movements", "payments"),
    ("transactions", "transfers", "txs", "calls"),
    ("failed", "reverted", "unsuccessful", "broke"),
    ("sent", "transferred", "moved", "paid"),
    ("different", "distinct", "unique", "separate"),
    ("distinct", "unique", "different", "individual"),
    ("senders", "payers", "sending addresses"),
    ("sender", "payer", "originator"),
    ("share", "percentage", "proportion", "part", "fraction"),
    ("percentage", "share", "proportion", "percent", "ratio"),
    ("per cent", "percent", "percentage points"),
    ("supply", "circulation", "amount outstanding", "tokens in existence"),
    ("total", "overall", "whole", "entire", "aggregate"),
    ("maximum", "max", "largest", "full"),
    ("existed", "were in existence", "circulated", "were outstanding"),
    ("burnt", "burned", "destroyed", "removed"),
    ("minted", "issued", "created"),
    ("issued", "minted", "created"),
    ("redeemed", "burned", "withdrawn"),
    ("base fees", "base fee burn", "basefee"),
    ("fees", "charges", "costs", "commissions"),
    ("fee", "charge", "cost", "commission"),
    ("paid", "spent", "handed over"),
    ("users", "traders", "customers", "active addresses"),
    ("user", "trader", "customer"),
    ("worth", "valued", "priced", "value"),
    ("price", "rate", "quote", "value"),
    ("value", "worth", "valuation"),
    ("market capitalisation", "market cap", "market value", "capitalization"),
    ("locked", "deposited", "staked", "tvl"),
    ("total value locked", "tvl", "deposits"),
    ("volume", "turnover", "trading activity", "amount traded"),
    ("traded", "swapped", "exchanged"),
    ("trade", "swap", "exchange"),
    ("swaps", "trades", "exchanges"),
    ("pool", "liquidity pool", "pair", "amm"),
    ("vault", "bridge contract", "custody", "escrow"),
    ("change", "move", "differ", "shift"),
    ("net", "overall", "combined"),
    ("withdrawals", "outflows", "exits"),
    ("deposits", "inflows", "entries"),
    ("withdrawing", "taking out", "cashing out"),
    ("withdrawal", "payout", "cash-out"),
    ("under way", "in transit", "in flight", "pending", "on their way"),
    ("votes", "voting power", "ballots"),
    ("vote", "ballot", "poll"),
    ("in favour", "for", "yes votes", "supporting"),
    ("proposal", "motion", "ballot item"),
    ("threshold", "minimum", "requirement"),
    ("quorum", "required turnout", "minimum votes"),
    ("governor", "governance contract", "dao"),
    ("timelock", "delay contract", "time lock"),
    ("delay", "waiting time", "wait", "lag"),
    ("approved", "allowed", "authorised", "granted an allowance"),
    ("spender", "approved contract", "delegate"),
    ("taken", "pulled", "drawn", "spent"),
    ("receives", "gets", "is paid", "collects"),
    ("received", "got", "obtained", "collected"),
    ("releases", "pays out", "unlocks"),
    ("vesting", "lockup", "release schedule"),
    ("cliff", "unlock", "lockup end", "release date"),
    ("unlocked", "vested", "released", "freed"),
    ("set free", "unlocked", "released", "vested"),
    ("allotted", "allocated", "assigned", "reserved", "set aside"),
    ("allocation", "tranche", "bucket", "portion"),
    ("implementation", "logic contract", "code contract"),
    ("proxy", "upgradeable contract", "delegate"),
    ("ran", "used", "executed", "pointed to"),
    ("token", "coin", "asset", "cryptocurrency"),
    ("tokens", "coins", "assets", "units"),
    ("contract", "smart contract", "contract address"),
    ("borrow rate", "borrowing rate", "loan interest", "apr"),
    ("interest", "rate", "yield", "cost"),
    ("borrow limit", "loan to value", "ltv", "collateral factor"),
    ("liquidation limit", "liquidation threshold", "liquidation ltv"),
    ("borrowers", "debtors", "people who borrow"),
    ("lending market", "loan pool", "money market", "credit market"),
    ("utilisation", "utilization", "usage rate"),
    ("debt", "borrowed amount", "loans"),
    ("lent out", "borrowed", "utilised", "in use"),
    ("staking pool", "staking contract", "stakers"),
    ("lay", "was", "sat", "stood"),
    ("smallest unit", "base unit", "raw unit", "wei"),
    ("smallest units", "base units", "raw units", "wei"),
    ("paused", "frozen", "halted", "suspended", "stopped"),
    ("pause", "freeze", "halt", "suspension"),
    ("announced", "confirmed", "published", "made public", "scheduled"),
    ("announcement", "notice", "statement"),
    ("first post", "first tweet", "first announce", "first mention"),
    ("post", "tweet", "message", "announcement"),
    ("official account", "verified profile", "project handle"),
    ("according to", "going by", "as stated in", "per"),
    ("documentation", "docs", "manual", "documents"),
    ("wrote", "reported", "covered", "said"),
    ("report", "article", "story", "coverage"),
    ("reported", "wrote", "stated", "covered"),
    ("taking the post of", "joining as", "being hired as", "appointed"),
    ("holds the post of", "serves as", "works as", "is the"),
    ("began", "started", "commenced"),
    ("fail", "break", "stop working"),
    ("notice", "announcement", "bulletin"),
    ("planned", "scheduled", "set", "foreseen"),
    ("work on", "maintenance of", "upgrade of"),
    ("venue", "exchange", "trading platform"),
    ("listing", "addition", "launch"),
    ("published", "released", "issued", "shipped", "tagged"),
    ("release", "version", "build"),
    ("latest", "newest", "most recent", "current", "last"),
    ("tag", "version", "version number"),
    ("changelog", "change log", "release history"),
    ("close", "complete", "finish", "finalise"),
    ("closing", "close", "end-of-day"),
    ("financing", "funding", "round", "raise"),
    ("round", "funding round", "financing", "raise"),
    ("raise", "collect", "secure", "take in"),
    ("lead investor", "main backer", "leading fund"),
    ("fund", "investor", "firm", "backer"),
    ("investors", "backers", "funds", "vcs"),
    ("led", "headed", "anchored"),
    ("take place", "happen", "occur", "be held"),
    ("airdrop", "token drop", "distribution"),
    ("perpetual", "perp", "futures contract", "swap"),
    ("funding rates", "funding payments", "funding fees"),
    ("sum", "total", "cumulative"),
    ("daily", "per day", "day by day"),
    ("selector", "function signature hash", "method id", "signature"),
    ("base fee", "basefee", "gas base fee"),
    ("rise", "increase", "go up", "grow"),
    ("at most", "maximum", "at the most", "upper limit"),
    ("use up", "consume", "need", "cost"),
    ("fully diluted value", "fdv", "fully diluted valuation"),
    ("us dollars", "usd", "dollars"),
    ("by how many", "by how much", "what difference in"),
    ("name", "call", "list"),
)
_CHINESE: Final = (
    ("多少", "几", "何等数量的"),
    ("哪一天", "什么时候", "哪日", "何时", "几号"),
    ("什么时候", "何时", "哪个时刻", "什么时间"),
    ("哪个", "哪一个", "什么"),
    ("持有", "拥有", "握有", "余额"),
    ("余额", "持有量", "持仓", "结余"),
    ("账户", "地址", "钱包", "帐户"),
    ("地址", "账户", "钱包"),
    ("钱包", "地址", "账户"),
    ("区块", "块高", "高度"),
    ("产生", "生成", "出块", "打包", "挖出"),
    ("合约", "智能合约", "合约地址"),
    ("代币", "币", "通证", "资产"),
    ("转账", "转移", "交易", "转帐"),
    ("金额", "数额", "数量", "规模"),
    ("中位数", "中间值", "中值"),
    ("平均", "均值", "人均"),
    ("总供应量", "发行总量", "总量", "流通总额"),
    ("最大供应量", "供应上限", "总供应量"),
    ("总量", "总数", "全部数量"),
    ("百分之多少", "百分之几", "比例", "占比", "多少百分比"),
    ("百分之几", "百分之多少", "比例", "占比"),
    ("分配给", "划给", "归于", "预留给"),
    ("份额", "部分", "配额", "额度"),
    ("解锁", "释放", "解禁", "归属"),
    ("锁仓悬崖期", "悬崖期", "锁定期", "归属悬崖"),
    ("悬崖期", "锁定期", "锁仓期", "解锁日"),
    ("届满", "结束", "到期"),
    ("结束", "到期", "届满", "终止"),
    ("价值", "值", "折合", "市值"),
    ("市价", "市场价格", "现价", "价格"),
    ("手续费", "费用", "交易费", "使用费"),
    ("支付", "付出", "缴纳", "花费"),
    ("用户", "使用者", "使用地址", "交易者"),
    ("不同的地址", "独立地址", "唯一地址", "活跃地址"),
    ("使用过", "用过", "交互过"),
    ("发送过交易", "发过交易", "发起过交易"),
    ("交易量", "成交量", "成交额"),
    ("锁仓总价值", "锁仓量", "总锁定价值", "锁定总值"),
    ("创建", "部署", "建立", "创造"),
    ("发放", "释放", "支付", "转给"),
    ("归属合约", "锁仓合约", "解锁合约"),
    ("铸造", "增发", "发行"),
    ("销毁", "烧毁", "燃烧"),
    ("触发", "发出", "产生", "记录"),
    ("发帖", "发文", "发布消息", "宣布"),
    ("官方账号", "官方帐号", "项目账号"),
    ("最早", "首次", "第一次", "最先"),
    ("报道", "新闻", "消息", "文章"),
    ("出任", "担任", "就任", "加入并担任"),
    ("公告", "通知", "通告"),
    ("停机维护", "维护", "暂停服务", "升级"),
    ("充值", "存入", "入账"),
    ("提现", "提币", "取出"),
    ("计划", "预定", "安排", "预计"),
    ("发布", "上线", "公布", "推出"),
    ("发布说明", "版本说明", "更新说明"),
    ("变更日志", "更新日志", "版本记录"),
    ("最新", "最近", "最后"),
    ("正式版本", "正式版", "稳定版本"),
    ("融资", "募资", "筹资", "轮次"),
    ("领投", "主投", "牵头"),
    ("跟投", "参投", "参与投资"),
    ("基金", "机构", "投资方"),
    ("投资人", "投资者", "投资方"),
    ("首席工程师", "总工程师", "工程负责人"),
    ("团队", "成员", "人员"),
    ("全名", "姓名", "名字"),
    ("藏品", "收藏品", "NFT"),
    ("系列", "合集", "收藏系列"),
    ("跨链", "桥接", "跨桥"),
    ("当天", "当日", "那一天", "这一天"),
    ("这一天", "当天", "当日"),
    ("一共", "总共", "共", "合计"),
    ("多少枚", "多少个", "数量"),
    ("下一个", "下一次", "接下来的"),
)
_LITTLE: Final = frozenset(
    ("for", "had", "is the", "made", "per", "said", "set", "was", "who", "part", "list", "have", "whole")
)
"""Words that stand for others and too often for something else."""
_EVERY: Final = (*_ENGLISH, *_CHINESE)


def _groups(groups: Sequence[tuple[str, ...]]) -> dict[str, tuple[str, ...]]:
    """The group of each word: the one it stands first in, or else the first that has it."""
    found: dict[str, tuple[str, ...]] = {}
    for group in groups:
        found[group[0].casefold()] = tuple(word.casefold() for word in group)
    for group in groups:
        for word in group:
            found.setdefault(word.casefold(), tuple(other.casefold() for other in group))
    return found


_GROUP_OF: Final = _groups(_EVERY)


def _pattern() -> re.Pattern[str]:
    # One Chinese character stands inside too many words to be one.
    known = [word for word in _GROUP_OF if word not in _LITTLE and (len(word) > 1 or not _HAN.search(word))]
    ordered = sorted(known, key=lambda word: (-len(word), word))
    latin = "|".join(re.escape(word) for word in ordered if not _HAN.search(word))
    chinese = "|".join(re.escape(word) for word in ordered if _HAN.search(word))
    # A word between hyphens, points or slashes is part of a name or an address.
    return re.compile(rf"(?<![\w./@-])(?:{latin})(?![\w/-]|\.\w)|{chinese}", re.IGNORECASE)


_WORDS: Final = _pattern()
