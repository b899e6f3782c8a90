"""Questions in CAIA's manner about mainnet block 22244135 and indexes of 2022: gold chains, what the files say, gaps.

What is right is taken from ``Raw`` alone: headers, receipts, slots before the block with the block's own events added.
And what no chain of CAIA's rows can ask of these recordings, by form: each is a call that misses, and why.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from fractions import Fraction
from typing import Any, Final

from caia_replay.core.gold import GoldStep
from tests.real_forms import BLOCK, CUT_LIST, HISTORY, LISTED, MARKETS, Case, Gap, Raw, call

USDC: Final = "0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48"
USDT: Final = "0xdac17f958d2ee523a2206206994597c13d831ec7"
GNO: Final = "0x6810e776880c02933d47db1b9fc05908e5386b96"
LINK: Final = "0x514910771af9ca656af840dff83e8264ecf986ca"
LIDO: Final = "0xae7ab96520de3a18e5e111b5eaab095312d7fe84"
WETH: Final = "0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2"
POOL: Final = "0xc7bbec68d12a0d1830360f8ec58fa599ba1b0e9b"
UNTOUCHED_POOL: Final = "0x88e6a0c2ddd26feeb64f039a2c41296fcb3f5640"
SENDER: Final = "0xf89d7b9c864f589bbf53a82105107622b35eaa40"
OTHER_SENDER: Final = "0x2f8ea14639ceff697dfebea8377f7513e2970447"
SWAPPER: Final = "0x0f1af33ef70a811182b171a1fe743625a52475a4"
HOARD: Final = "0xfc16df12176c260b461caf8db573221567519d28"
SPENDER: Final = "0x55fe002aeff02f77364de339a1292923a15844b8"
STAKER: Final = "0xe5545e7fbec185e9751dc01c5d911da07670bb0b"
WRAPPER: Final = "0x7f39c581f595b53c5cb19bd0b3f8da6c935e2ca0"
EXCHANGE: Final = "0x7a93539c1bf9a96f87044925deb7a0849266213e"
VALIDATOR: Final = "0x4f13d70f72292e699fbb420003caff2778c18f70"
NOBODY: Final = "0x" + "11" * 20
NOWHERE: Final = "0x" + "12" * 32
COIN_SENT: Final = "0xb4699483f9dc3ad7325f5498be3a0304349af3db14daf7bb12e41b9c671b56cb"
SWAPPED: Final = "0x5fa689038f0658ecc766a29db01f4c58d2d4bebb4bb4c37e8e94fd420811070e"
REVERTED: Final = "0x63c4f68bee9b39981a440613bb69513d49103ac24283007a6883b397eec81703"
BLOCK_HASH: Final = "0xcb02a07ad62183abe1390b20eaf1be73c54fd2d80f8ebb3ee130118720056279"
TRANSFER: Final = "Transfer(address indexed from, address indexed to, uint256 value)"
MOVED, APPROVED = "Transfer(address,address,uint256)", "Approval(address,address,uint256)"
SWAPS: Final = "Swap(address,address,int256,int256,uint160,uint128,int24)"
SLOT0: Final = "slot0()(uint160,int24,uint16,uint16,uint16,uint8,bool)"
DAY: Final = "2025-04-11"
ALLOWANCE: Final = "allowance(address,address)(uint256)"
WALLETS: Final = 'SELECT count(*) FROM (SELECT "from" AS w FROM events UNION SELECT "to" AS w FROM events)'


def view(contract: str, function: str, *arguments: str, **more: Any) -> GoldStep:
    """A call of a contract; ``arguments`` are left out where there are none."""
    given: dict[str, Any] = {"arguments": list(arguments)} if arguments else {}
    return call("data_query", contract=contract, function=function, **given, **more)


def events(contract: str, event: str, first: int = BLOCK, **more: Any) -> GoldStep:
    """The events of a contract up to the block."""
    return call("data_query", contract=contract, event=event, from_block=first, to_block=BLOCK, **more)


def allowance(contract: str, owner: str, spender: str) -> GoldStep:
    """What a spender may take of an owner's token."""
    return call("data_query", contract=contract, about="allowance", arguments=[owner, spender])


def header(raw: Raw, name: str) -> int:
    """A number of the block's header."""
    return int(raw.block[name], 16)


def utc(seconds: int) -> str:
    """A moment as ISO 8601 has it."""
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def decimal(value: int, power: int) -> str:
    """``value / 10**power``, in full."""
    whole, rest = divmod(value, 10**power)
    return f"{whole}.{rest:0{power}d}"


def fee(raw: Raw, hash: str) -> str:
    """What a transaction paid, in ether."""
    found = raw.transaction(hash)
    return decimal(int(found["gasUsed"], 16) * int(found["effectiveGasPrice"], 16), 18)


def sent(raw: Raw) -> list[int]:
    """The wei of each transaction."""
    return [int(found["value"], 16) for found in raw.block["transactions"]]


def mean_gas_price(raw: Raw) -> str:
    """In gwei, to four places."""
    prices = [int(receipt["effectiveGasPrice"], 16) for receipt in raw.receipts]
    return str(float(round(Fraction(sum(prices), len(prices)) / 10**9, 4)))


def pooled_ether(raw: Raw) -> str:
    """Lido's supply: its buffer, what validators have, what is on its way to them, and what came in this block."""
    names = ("bufferedEther", "beaconBalance", "depositedValidators", "beaconValidators")
    buffered, validating, deposited, seen = (raw.named_slot(LIDO, f"lido.Lido.{name}") for name in names)
    came = sum(int(found["value"], 16) for found in raw.block["transactions"] if found["to"] == LIDO)
    return decimal(buffered + validating + (deposited - seen) * 32 * 10**18 + came, 18)


def wrapped_ether(raw: Raw) -> int:
    """WETH's supply is the ether it holds; in this block nobody put any in or took any out."""
    assert not raw.logs(WETH, "Deposit(address,uint256)") and not raw.logs(WETH, "Withdrawal(address,uint256)")
    return raw.balances[WETH]


def granted(raw: Raw, token: str, owner: str, spender: str) -> int:
    """What the owner granted last in the block."""
    return [words[0] for parties, words in raw.logs(token, APPROVED) if parties == [owner, spender]][-1]


def left_to_spend(raw: Raw) -> int:
    """What a spender of USDC may still take: the slot before the block less what the owner lost in it."""
    return raw.slot(USDC, 10, HOARD, SPENDER) - raw.moved(USDC, by=HOARD)


def pool_price(raw: Raw) -> str:
    """Dollars an ether after the pool's last trade in the block, to six places; it counts in 10^-6 and 10^-18."""
    root = raw.logs(POOL, SWAPS)[-1][1][2]
    return str(float(round(Fraction(root * root, 2**192) * 10**12, 6)))


CHAIN_CASES: Final = (
    Case("block-moment", "When was Ethereum block 22244135 produced?", (call("block_query", block=BLOCK),),
         "$1.time_utc", lambda raw: utc(header(raw, "timestamp")), "time"),
    Case("block-by-hash", "How many transactions has the block with hash 0xcb02…6279?",
         (call("block_query", block=BLOCK_HASH),), "$1.transaction_count", lambda raw: len(raw.block["transactions"])),
    Case("base-fee", "What was the base fee per gas of block 22244135 in gwei?",
         (call("block_query", block=BLOCK, chain="ethereum"),), "$1.base_fee_per_gas_wei / 1e9",
         lambda raw: decimal(header(raw, "baseFeePerGas"), 9), unit="gwei"),
    Case("block-largest", "Which transaction of block 22244135 carried the most ETH?",
         (call("block_query", block=BLOCK, include_transactions=True),),
         "first(where($1.transactions, 'value_wei', max($1.transactions[*].value_wei))).hash",
         lambda raw: raw.block["transactions"][sent(raw).index(max(sent(raw)))]["hash"], "hash"),
    Case("first-fee", "What fee in ETH did the first transaction of block 22244135 pay?",
         (call("block_query", block=BLOCK, include_transactions=True),
          call("transaction_query", hash="$1.transactions.0.hash")),
         "$2.fee", lambda raw: fee(raw, raw.block["transactions"][0]["hash"]), unit="ETH"),
    Case("fee", "What fee in ETH did transaction 0xb469…56cb pay?", (call("transaction_query", hash=COIN_SENT),),
         "$1.fee", lambda raw: fee(raw, COIN_SENT), unit="ETH"),
    Case("transaction-failed", "Did transaction 0x63c4…1703 succeed?", (call("transaction_query", hash=REVERTED),),
         "yes_no($1.status == 'success')", lambda raw: ("no", "yes")[int(raw.transaction(REVERTED)["status"], 16)],
         "boolean"),
    Case("transaction-logs", "How many logs did transaction 0x5fa6…070e emit?",
         (call("transaction_query", hash=SWAPPED, include_logs=True),), "count($1.logs)",
         lambda raw: len(raw.transaction(SWAPPED)["logs"])),
    Case("coin-balance", "How much ETH did 0xf89d…aa40 hold after block 22244135?",
         (call("balance_query", address=SENDER, block=BLOCK),), "$1.amount",
         lambda raw: decimal(raw.coin_after(SENDER), 18), unit="ETH"),
    Case("coin-balance-before", "How much ETH did 0x2f8e…0447 hold after block 22244134?",
         (call("balance_query", address=OTHER_SENDER, block=BLOCK - 1),), "$1.amount",
         lambda raw: decimal(raw.balances[OTHER_SENDER], 18), unit="ETH"),
    Case("coin-balance-now", "How much ETH does 0xf89d…aa40 hold, in wei?", (call("balance_query", address=SENDER),),
         "$1.raw", lambda raw: raw.coin_after(SENDER)),
    Case("token-balance-emptied", "How many USDC did 0xfc16…9d28 hold after block 22244135?",
         (call("balance_query", address=HOARD, token=USDC, block=BLOCK),), "$1.amount",
         lambda raw: raw.token_after(USDC, 9, HOARD), unit="USDC"),
    Case("token-balance-now", "How many GNO does 0x0f1a…75a4 hold?",
         (call("balance_query", address=SWAPPER, token=GNO),), "$1.amount",
         lambda raw: decimal(raw.token_after(GNO, 0, SWAPPER), 18), unit="GNO"),
    Case("allowance-granted", "How many wei of stETH could 0x7f39…2ca0 take from 0xe554…bb0b after block 22244135?",
         (view(LIDO, ALLOWANCE, STAKER, WRAPPER, block=BLOCK),), "$1.values.0",
         lambda raw: granted(raw, LIDO, STAKER, WRAPPER)),
    Case("allowance-by-date", "How many wei of stETH could 0x7f39…2ca0 take from 0xe554…bb0b on 11 April 2025?",
         (view(LIDO, ALLOWANCE, STAKER, WRAPPER, block=DAY),), "$1.values.0",
         lambda raw: granted(raw, LIDO, STAKER, WRAPPER)),
    Case("allowances-summed", "How many wei of stETH and of 10^-6 USDC may these two take together?",
         (allowance(LIDO, STAKER, WRAPPER), allowance(USDC, HOARD, SPENDER)), "$1.raw + $2.raw",
         lambda raw: granted(raw, LIDO, STAKER, WRAPPER) + left_to_spend(raw)),
    Case("supply-called", "How many wei of WETH existed after block 22244135?",
         (view(WETH, "totalSupply()(uint256)", block=BLOCK),), "$1.values.0", wrapped_ether),
    Case("pool-price", "What was ETH worth in the WETH/USDT 0.01 % pool after block 22244135, in USDT?",
         (view(POOL, SLOT0, block=BLOCK),),
         "round(1000000000000 * ($1.values.0 * $1.values.0)"
         " / 6277101735386680763835789423207666416102355444464034512896, 6)", pool_price, unit="USDT"),
    Case("decimals", "How many decimals does USDC use?", (view(USDC, "decimals()(uint8)"),), "$1.values.0",
         lambda raw: raw.slot(USDC, 6) & 0xFF),
    Case("number-by-slot", "Which number is in storage slot 6 of USDC?",
         (call("data_query", contract=USDC, slot="0x6"),), "$1.value + 0", lambda raw: raw.slot(USDC, 6)),
    Case("log-count", "How many USDT transfers were there in block 22244135?", (events(USDT, TRANSFER, limit=0),),
         "$1.count", lambda raw: len(raw.logs(USDT, MOVED))),
    Case("log-where", "How many USDT transfers of block 22244135 came from 0x7a93…213e?",
         (events(USDT, TRANSFER, where=[f"from={EXCHANGE}"]),), "$1.count",
         lambda raw: sum(parties[0] == EXCHANGE for parties, _ in raw.logs(USDT, MOVED))),
    Case("log-joined", "When and in which transaction did LINK move in block 22244135?",
         (events(LINK, TRANSFER, sql="SELECT DISTINCT b.block_time, e.transaction_hash FROM events e "
                                     "JOIN blocks b ON b.block_number = e.block_number"),), "$1.rows.0.1",
         lambda raw: next(one["transactionHash"] for one in raw.receipts
                          if any(log["address"] == LINK for log in one["logs"])), "hash"),
    Case("log-where-table", "How many USDC did 0xfc16…9d28 lose in block 22244135?",
         (events(USDC, TRANSFER, where=[f"from={HOARD}"], sql="SELECT sum(value) FROM events"),),
         "$1.rows.0.0 / 1000000", lambda raw: decimal(raw.moved(USDC, by=HOARD), 6), unit="USDC"),
    Case("mean-gas-price", "What gas price did the transactions of block 22244135 pay on average, in gwei?",
         (call("data_query", sql="SELECT sum(effective_gas_price), count(*) FROM transactions", from_block=BLOCK,
               to_block=BLOCK),),
         "round($1.rows.0.0 / $1.rows.0.1 / 1000000000, 4)", mean_gas_price, unit="gwei"),
    Case("supply", "How many stETH existed after block 22244135?", (call("supply_query", asset=LIDO, block=BLOCK),),
         "$1.on_chain.0.total_supply", pooled_ether, unit="stETH"),
    Case("seconds-of-block", "What is the Unix time of block 22244135?", (call("time_conversion", block=BLOCK),),
         "$1.unix_seconds", lambda raw: header(raw, "timestamp")),
    Case("day-after", "Which day follows that of block 22244135?",
         (call("block_query", block=BLOCK), call("time_conversion", time="$1.time_utc", include_blocks=False)),
         "utc_date($2.unix_seconds + 86400)", lambda raw: utc(header(raw, "timestamp") + 86_400)[:10], "date"),
)  # fmt: skip

CHAIN_GAPS: Final = (
    Gap(call("block_query", block=BLOCK - 2), "block", "a block before the recorded one"),
    Gap(call("block_query", block=NOWHERE), "block", "a hash of no recorded block"),
    Gap(call("block_query", block=BLOCK - 1, include_transactions=True), "block", "of the parent only hash and number"),
    Gap(call("transaction_query", hash=NOWHERE), "transaction", "a transaction of no recorded block"),
    Gap(call("transaction_query", hash=NOWHERE, include_logs=True), "transaction", "the same with its logs"),
    Gap(call("balance_query", address=NOBODY, block=BLOCK), "account", "an account that no transaction touched"),
    Gap(call("balance_query", address=VALIDATOR), "account", "one that the block's withdrawals touched, and no more"),
    Gap(call("balance_query", address=NOBODY, token=WETH, block=BLOCK), "storage", "a holder's slot of a known token"),
    Gap(call("balance_query", address=EXCHANGE, token=USDT), "storage", "a known holder of a token without decimals"),
    Gap(view(USDC, ALLOWANCE, NOBODY, SPENDER, block=BLOCK), "storage", "an allowance's slot"),
    Gap(view(USDC, ALLOWANCE, NOBODY, SPENDER, block=DAY), "storage", "an allowance's slot by the end of the day"),
    Gap(view(USDC, ALLOWANCE, HOARD, SPENDER, block=BLOCK - 1), "block", "the header that a call runs under"),
    Gap(allowance(LIDO, NOBODY, WRAPPER), "storage", "an allowance's slot"),
    Gap(view(USDT, "totalSupply()(uint256)", block=BLOCK), "storage", "the slot of USDT's supply"),
    Gap(view(UNTOUCHED_POOL, SLOT0, block=BLOCK), "account", "a pool that no transaction touched"),
    Gap(view(USDT, "decimals()(uint8)"), "storage", "the slot of USDT's decimals"),
    Gap(call("data_query", contract=WETH, slot="0x3"), "storage", "a slot that no transaction read"),
    Gap(events(USDT, TRANSFER, BLOCK - 1), "logs", "the logs of the parent"),
    Gap(events(USDT, TRANSFER, BLOCK - 1, where=[f"from={NOBODY}"]), "logs", "the same where none may match"),
    Gap(events(USDT, TRANSFER, BLOCK - 1, sql=WALLETS), "logs", "the same as a table"),
    Gap(events(USDT, TRANSFER, BLOCK - 1, where=[f"from={NOBODY}"], sql=WALLETS), "logs", "the same as a table"),
    Gap(call("data_query", sql="SELECT count(*) FROM logs", from_block=BLOCK - 1, to_block=BLOCK), "logs",
        "the logs of the parent"),
    Gap(call("supply_query", asset=USDT, block=BLOCK), "storage", "the slot of USDT's supply"),
    Gap(call("supply_query", asset=LINK, block=BLOCK - 1), "block", "the header that a call runs under"),
    Gap(call("time_conversion", block=BLOCK - 2), "block", "when an earlier block was produced"),
)  # fmt: skip

ANCHOR: Final = "slug:anchor"
TOKEN: Final = "first(where($1.last_up_to_it.tokens, 'token', '{}'))"


def locked(protocol: str, **more: Any) -> GoldStep:
    """What is locked in a protocol."""
    return call("protocol_metrics", protocol=protocol, **more)


def listed(raw: Raw, slug: str, cassette: str = LISTED) -> Mapping[str, Any]:
    """A protocol's row of the list."""
    found: Mapping[str, Any] = next(row for row in raw.body(cassette) if row["slug"] == slug)
    return found


def ranked(raw: Raw, coin: str) -> Mapping[str, Any]:
    """A coin's row of CoinGecko's page of the largest."""
    found: Mapping[str, Any] = next(row for row in raw.body(MARKETS) if row["id"] == coin)
    return found


def point(raw: Raw, day: str, part: str = "") -> Fraction:
    """What Anchor's history has at the beginning of a day."""
    page = raw.body(HISTORY)
    told = (page["chainTvls"][part] if part else page)["tvl"]
    return Fraction(repr(next(one["totalLiquidityUSD"] for one in told if one["date"] == seconds(day))))


def held(raw: Raw, day: str, token: str, what: str = "tokens") -> Fraction:
    """How much of a token Anchor held at the beginning of a day, or what that was worth (``tokensInUsd``)."""
    return Fraction(repr(next(one["tokens"][token] for one in raw.body(HISTORY)[what] if one["date"] == seconds(day))))


def worth(raw: Raw, day: str, token: str) -> float:
    """What one of a token was worth, to four places."""
    return float(round(held(raw, day, token, "tokensInUsd") / held(raw, day, token), 4))


def change(raw: Raw, first: str, last: str) -> float:
    """The change between two days in percent, to six places."""
    before, after = point(raw, first), point(raw, last)
    return float(round((after - before) / before * 100, 6))


def seconds(day: str) -> int:
    """The beginning of a day."""
    return int(datetime.fromisoformat(day).replace(tzinfo=UTC).timestamp())


def _september(id: str, question: str, steps: tuple[GoldStep, ...], result: str, want: Any, unit: str = "USD") -> Case:
    return Case(id, question, steps, result, want, unit=unit, moment="september")


INDEX_CASES: Final = (
    _september("locked", "How much is locked in Lido?", (locked("Lido"),), "$1.tvl_usd",
               lambda raw: listed(raw, "lido")["tvl"]),
    Case("locked-earlier", "How much is locked in Curve?", (locked("Curve"),), "$1.tvl_usd",
         lambda raw: listed(raw, "curve", CUT_LIST)["tvl"], unit="USD", moment="january"),
    Case("price-ratio", "How many SOL does one BTC cost, to four places?",
         (call("ranking_query", symbols=["id:bitcoin", "id:solana"]),),
         "round($1.coins.0.price_usd / $1.coins.1.price_usd, 4)",
         lambda raw: float(round(Fraction(repr(ranked(raw, "bitcoin")["current_price"]))
                                 / Fraction(repr(ranked(raw, "solana")["current_price"])), 4)),
         unit="SOL", moment="markets"),
    _september("locked-then", "How much was locked in Anchor on 1 May 2022?", (locked(ANCHOR, at="2022-05-01"),),
               "$1.last_up_to_it.tvl_usd", lambda raw: float(point(raw, "2022-05-01"))),
    _september("locked-at-its-end", "How much was locked in Anchor at the end of 12 May 2022?",
               (locked(ANCHOR, at="2022-05-12"),), "$1.next.tvl_usd", lambda raw: float(point(raw, "2022-05-13"))),
    _september("with-borrowed", "How much was locked in Anchor on 1 May 2022, with what was borrowed?",
               (locked(ANCHOR, at="2022-05-01"), locked(ANCHOR, at="2022-05-01", part="borrowed")),
               "$1.last_up_to_it.tvl_usd + $2.last_up_to_it.tvl_usd",
               lambda raw: float(point(raw, "2022-05-01") + point(raw, "2022-05-01", "borrowed"))),
    _september("locked-change", "By how many percent did what is locked in Anchor change from 1 to 31 May 2022?",
               (locked(ANCHOR, start="2022-05-01", end="2022-05-31"),), "$1.change_percent",
               lambda raw: change(raw, "2022-05-01", "2022-05-31"), "%"),
    _september("token-held", "How many LUNA were in Anchor on 1 May 2022?",
               (locked(ANCHOR, at="2022-05-01", by_token=True),), f"{TOKEN.format('terra-luna')}.amount",
               lambda raw: float(held(raw, "2022-05-01", "terra-luna")), "LUNA"),
    _september("tokens-now", "How many LUNA does Anchor hold by its newest point?",
               (locked(ANCHOR, by_token=True),), "first(where($1.tokens, 'token', 'terra-luna')).amount",
               lambda raw: raw.body(HISTORY)["tokens"][-1]["tokens"]["terra-luna"], "LUNA"),
    _september("token-price", "What was one TerraUSD in Anchor worth on 10 May 2022, to four places?",
               (locked(ANCHOR, at="2022-05-10", by_token=True),),
               f"round({TOKEN.format('terrausd')}.usd / {TOKEN.format('terrausd')}.amount, 4)",
               lambda raw: worth(raw, "2022-05-10", "terrausd")),
)  # fmt: skip

INDEX_GAPS: Final = (
    Gap(call("ranking_query", symbols=["id:ethereum"]), "http", "pages of coins of another moment"),
    Gap(locked("Lido"), "http", "a list of another moment"),
    Gap(locked("slug:uniswap", at="2022-05-01"), "http", "another protocol's history", "september"),
    Gap(locked("slug:uniswap", at="2022-05-01", part="borrowed"), "http", "the same of a part", "september"),
    Gap(locked("slug:uniswap", at="2022-05-01", by_token=True), "http", "the same by token", "september"),
    Gap(locked("slug:uniswap", by_token=True), "http", "the same as of now", "september"),
    Gap(locked("slug:uniswap", start="2022-05-01", end="2022-05-31"), "http", "the same as a series", "september"),
)

_NO_DAY: Final = "which block a day begins with takes the header before it, and of the parent no time is known"
_NO_EXPLORER: Final = "nothing of Etherscan is among these recordings"
_NO_LIST: Final = (
    "the list of coins was recorded without their contracts, and every asset is looked up in that with them"
)
_NO_CHAINS: Final = "DefiLlama's list of chains, /v2/chains, was not recorded"
_NO_TABLES: Final = "no statement was recorded here"
STATEMENT: Final = "SELECT count(*) FROM dex.trades WHERE block_date < DATE '2022-10-01'"
_MAY: Final = {"start": "2022-05-01", "end": "2022-05-31"}

NOT_POSSIBLE: Final = (
    Gap(call("balance_query", address=SENDER, time=DAY), "block", _NO_DAY),
    Gap(call("supply_query", asset=LINK, time=DAY), "block", _NO_DAY),
    Gap(call("time_conversion", time=f"{DAY}T00:00:00Z"), "block", _NO_DAY),
    Gap(call("data_query", contract=USDC, event=TRANSFER, from_block=DAY, to_block=DAY), "block", _NO_DAY),
    Gap(call("data_query", contract=USDC, event=TRANSFER, from_block=DAY, to_block=DAY, sql=WALLETS), "block", _NO_DAY),
    Gap(call("data_query", contract=USDC, event=TRANSFER, from_block=DAY, to_block=DAY, sql=WALLETS,
             where=[f"to={SPENDER}"]), "block", _NO_DAY),
    Gap(call("data_query", sql=STATEMENT), "http", _NO_TABLES),
    Gap(call("data_query", contract=LIDO, about="abi"), "http", _NO_EXPLORER),
    Gap(call("data_query", contract=LIDO, about="creation"), "http", _NO_EXPLORER),
    Gap(call("supply_query", asset="id:bitcoin"), "http", _NO_LIST, "coins"),
    Gap(call("supply_query", asset="id:bitcoin", time="2022-10-01"), "http", _NO_LIST, "coins"),
    Gap(call("price_feed", asset="id:bitcoin"), "http", _NO_LIST, "prices"),
    Gap(call("price_feed", asset="id:bitcoin", at="2022-10-01"), "http", _NO_LIST, "coins"),
    Gap(call("price_feed", asset="id:bitcoin", **_MAY), "http", _NO_LIST, "coins"),
    Gap(call("price_feed", asset="id:bitcoin", **_MAY, interval="daily"), "http", _NO_LIST, "coins"),
    Gap(locked(ANCHOR, chain="Terra", at="2022-05-01"), "http", _NO_CHAINS, "september"),
    Gap(locked(ANCHOR, chain="Terra", at="2022-05-01", part="borrowed"), "http", _NO_CHAINS, "september"),
    Gap(call("protocol_metrics", chain="Terra", at="2022-05-01"), "http", _NO_CHAINS, "september"),
)  # fmt: skip
"""Forms that CAIA's rows use and that can be answered about no subject here: for each a call that misses, and why."""

OTHER_CHAINS: Final = frozenset({"base", "bsc", "cyber", "optimism", "solana"})
"""Chains that the rows look something up on, and of which nothing is recorded here."""
