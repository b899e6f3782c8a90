"""Questions in CAIA's manner about mainnet block 22244135: their gold chains, what the files say, and what is missing.

What is right is taken from ``Raw`` alone: headers, receipts, slots before the block with the block's own events added.
"""

from __future__ import annotations

from datetime import UTC, datetime
from fractions import Fraction
from typing import Any, Final

from caia_replay.core.gold import GoldStep
from tests.real_forms import BLOCK, Case, Gap, Raw, call

USDC: Final = "0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48"
USDT: Final = "0xdac17f958d2ee523a2206206994597c13d831ec7"
GNO: Final = "0x6810e776880c02933d47db1b9fc05908e5386b96"
LINK: Final = "0x514910771af9ca656af840dff83e8264ecf986ca"
LIDO: Final = "0xae7ab96520de3a18e5e111b5eaab095312d7fe84"
SNT: Final = "0x744d70fdbe2ba4cf95131626614a1763df805b9e"
WETH: Final = "0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2"
PAIR: Final = "0x3e8468f66d30fc99f745481d4b383f89861702c6"
POOL: Final = "0xc7bbec68d12a0d1830360f8ec58fa599ba1b0e9b"
OTHER_POOL: Final = "0x2b7e68fa478ebf6b1b4697fabaedb61fe17cfab5"
UNTOUCHED_POOL: Final = "0x88e6a0c2ddd26feeb64f039a2c41296fcb3f5640"
ROUTER: Final = "0x111111125421ca6dc452d289314280a0f8842a65"
SENDER: Final = "0xf89d7b9c864f589bbf53a82105107622b35eaa40"
OTHER_SENDER: Final = "0x2f8ea14639ceff697dfebea8377f7513e2970447"
SWAPPER: Final = "0x0f1af33ef70a811182b171a1fe743625a52475a4"
HOARD: Final = "0xfc16df12176c260b461caf8db573221567519d28"
SPENDER: Final = "0x55fe002aeff02f77364de339a1292923a15844b8"
STAKER: Final = "0xe5545e7fbec185e9751dc01c5d911da07670bb0b"
WRAPPER: Final = "0x7f39c581f595b53c5cb19bd0b3f8da6c935e2ca0"
HOLDER: Final = "0x4acead9d343c67ab957567dc06ac4cfd165b7a41"
COLLECTOR: Final = "0x1a1c87d9a6f55d3bbb064bff1059ad37b6bdc097"
EXCHANGE: Final = "0x7a93539c1bf9a96f87044925deb7a0849266213e"
VALIDATOR: Final = "0x4f13d70f72292e699fbb420003caff2778c18f70"
NOBODY: Final = "0x" + "11" * 20
NOWHERE: Final = "0x" + "12" * 32
COIN_SENT: Final = "0xb4699483f9dc3ad7325f5498be3a0304349af3db14daf7bb12e41b9c671b56cb"
SWAPPED: Final = "0x5fa689038f0658ecc766a29db01f4c58d2d4bebb4bb4c37e8e94fd420811070e"
REVERTED: Final = "0x63c4f68bee9b39981a440613bb69513d49103ac24283007a6883b397eec81703"
BLOCK_HASH: Final = "0xcb02a07ad62183abe1390b20eaf1be73c54fd2d80f8ebb3ee130118720056279"
TRANSFER: Final = "Transfer(address indexed from, address indexed to, uint256 value)"
APPROVAL: Final = "Approval(address indexed owner, address indexed spender, uint256 value)"
SWAP: Final = (
    "Swap(address indexed sender, address indexed recipient, int256 amount0, int256 amount1, uint160 sqrtPriceX96, "
    "uint128 liquidity, int24 tick)"
)
MOVED, APPROVED = "Transfer(address,address,uint256)", "Approval(address,address,uint256)"
SWAPS: Final = "Swap(address,address,int256,int256,uint160,uint128,int24)"
SLOT0: Final = "slot0()(uint160,int24,uint16,uint16,uint16,uint8,bool)"
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


def wallets(raw: Raw, token: str) -> int:
    """How many addresses a token moved between."""
    return len({party for parties, _ in raw.logs(token, MOVED) for party in parties})


def reserves(raw: Raw) -> list[int]:
    """What a pair held after its last trade in the block."""
    return raw.logs(PAIR, "Sync(uint112,uint112)")[-1][1]


def pool_price(raw: Raw) -> str:
    """Dollars an ether after the pool's last trade in the block, to six places; it counts in 10^-6 and 10^-18."""
    root = raw.logs(POOL, SWAPS)[-1][1][2]
    return str(float(round(Fraction(root * root, 2**192) * 10**12, 6)))


def signed(word: int) -> int:
    """A word as an int256."""
    return word - (word >> 255 << 256)


CHAIN_CASES: Final = (
    Case("block-moment", "When was Ethereum block 22244135 produced?", (call("block_query", block=BLOCK),),
         "$1.time_utc", lambda raw: utc(header(raw, "timestamp")), "time"),
    Case("block-builder", "Who received the priority fees of block 22244135?", (call("block_query", block=BLOCK),),
         "$1.fee_recipient", lambda raw: raw.block["miner"], "address"),
    Case("block-by-hash", "How many transactions has the block with hash 0xcb02…6279?",
         (call("block_query", block=BLOCK_HASH),), "$1.transaction_count", lambda raw: len(raw.block["transactions"])),
    Case("block-gas", "How much gas did block 22244135 use?", (call("block_query", block=BLOCK),), "$1.gas_used",
         lambda raw: header(raw, "gasUsed")),
    Case("base-fee", "What was the base fee per gas of block 22244135 in gwei?",
         (call("block_query", block=BLOCK, chain="ethereum"),), "$1.base_fee_per_gas_wei / 1e9",
         lambda raw: decimal(header(raw, "baseFeePerGas"), 9), unit="gwei"),
    Case("block-value", "How much ETH did the transactions of block 22244135 carry?",
         (call("block_query", block=BLOCK, include_transactions=True),), "sum($1.transactions[*].value_wei) / 1e18",
         lambda raw: decimal(sum(sent(raw)), 18), unit="ETH"),
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
    Case("transaction-gas", "How much gas did transaction 0x5fa6…070e use?",
         (call("transaction_query", hash=SWAPPED),), "$1.gas_used",
         lambda raw: int(raw.transaction(SWAPPED)["gasUsed"], 16)),
    Case("transaction-failed", "Did transaction 0x63c4…1703 succeed?", (call("transaction_query", hash=REVERTED),),
         "yes_no($1.status == 'success')", lambda raw: ("no", "yes")[int(raw.transaction(REVERTED)["status"], 16)],
         "boolean"),
    Case("transaction-block", "In which block is transaction 0x5fa6…070e?",
         (call("transaction_query", hash=SWAPPED),), "$1.block",
         lambda raw: int(raw.transaction(SWAPPED)["blockNumber"], 16)),
    Case("transaction-logs", "How many logs did transaction 0x5fa6…070e emit?",
         (call("transaction_query", hash=SWAPPED, include_logs=True),), "count($1.logs)",
         lambda raw: len(raw.transaction(SWAPPED)["logs"])),
    Case("transaction-no-logs", "How many logs did the failed transaction 0x63c4…1703 emit?",
         (call("transaction_query", hash=REVERTED, include_logs=True),), "$1.log_count",
         lambda raw: len(raw.transaction(REVERTED)["logs"])),
    Case("coin-balance", "How much ETH did 0xf89d…aa40 hold after block 22244135?",
         (call("balance_query", address=SENDER, block=BLOCK),), "$1.amount",
         lambda raw: decimal(raw.coin_after(SENDER), 18), unit="ETH"),
    Case("coin-balance-before", "How much ETH did 0x2f8e…0447 hold after block 22244134?",
         (call("balance_query", address=OTHER_SENDER, block=BLOCK - 1),), "$1.amount",
         lambda raw: decimal(raw.balances[OTHER_SENDER], 18), unit="ETH"),
    Case("coin-balance-now", "How much ETH does 0xf89d…aa40 hold, in wei?", (call("balance_query", address=SENDER),),
         "$1.raw", lambda raw: raw.coin_after(SENDER)),
    Case("other-coin-balance-now", "How much ETH does 0x2f8e…0447 hold?",
         (call("balance_query", address=OTHER_SENDER),), "$1.amount",
         lambda raw: decimal(raw.coin_after(OTHER_SENDER), 18), unit="ETH"),
    Case("token-balance", "How many LINK did 0x2f8e…0447 hold after block 22244135?",
         (call("balance_query", address=OTHER_SENDER, token=LINK, block=BLOCK),), "$1.amount",
         lambda raw: decimal(raw.token_after(LINK, 1, OTHER_SENDER), 18), unit="LINK"),
    Case("token-balance-emptied", "How many USDC did 0xfc16…9d28 hold after block 22244135?",
         (call("balance_query", address=HOARD, token=USDC, block=BLOCK),), "$1.amount",
         lambda raw: raw.token_after(USDC, 9, HOARD), unit="USDC"),
    Case("token-balance-now", "How many GNO does 0x0f1a…75a4 hold?",
         (call("balance_query", address=SWAPPER, token=GNO),), "$1.amount",
         lambda raw: decimal(raw.token_after(GNO, 0, SWAPPER), 18), unit="GNO"),
    Case("other-token-balance-now", "How many USDC does 0x55fe…44b8 hold?",
         (call("balance_query", address=SPENDER, token=USDC),), "$1.amount",
         lambda raw: decimal(raw.token_after(USDC, 9, SPENDER), 6), unit="USDC"),
    Case("allowance-granted", "How many wei of stETH could 0x7f39…2ca0 take from 0xe554…bb0b after block 22244135?",
         (view(LIDO, ALLOWANCE, STAKER, WRAPPER, block=BLOCK),), "$1.values.0",
         lambda raw: granted(raw, LIDO, STAKER, WRAPPER)),
    Case("allowance-spent", "How much of 0xfc16…9d28's USDC could 0x55fe…44b8 take after block 22244135, in 10^-6?",
         (view(USDC, ALLOWANCE, HOARD, SPENDER, block=BLOCK),), "$1.values.0", left_to_spend),
    Case("allowance-told", "How much SNT may 0x1a1c…c097 still take from 0x4ace…7a41?",
         (allowance(SNT, HOLDER, COLLECTOR),), "$1.raw / 1e18",
         lambda raw: decimal(raw.slot(SNT, 9, HOLDER, COLLECTOR), 18), unit="SNT"),
    Case("allowances-summed", "How many wei of stETH and of 10^-6 USDC may these two take together?",
         (allowance(LIDO, STAKER, WRAPPER), allowance(USDC, HOARD, SPENDER)), "$1.raw + $2.raw",
         lambda raw: granted(raw, LIDO, STAKER, WRAPPER) + left_to_spend(raw)),
    Case("supply-called", "How many wei of WETH existed after block 22244135?",
         (view(WETH, "totalSupply()(uint256)", block=BLOCK),), "$1.values.0", wrapped_ether),
    Case("pair-price", "How many GNO were in the WETH pair for each WETH after block 22244135, to four places?",
         (view(PAIR, "getReserves()(uint112,uint112,uint32)", block=BLOCK),), "round($1.values.0 / $1.values.1, 4)",
         lambda raw: float(round(Fraction(*reserves(raw)), 4))),
    Case("pool-price", "What was ETH worth in the WETH/USDT 0.01 % pool after block 22244135, in USDT?",
         (view(POOL, SLOT0, block=BLOCK),),
         "round(1000000000000 * ($1.values.0 * $1.values.0)"
         " / 6277101735386680763835789423207666416102355444464034512896, 6)", pool_price, unit="USDT"),
    Case("decimals", "How many decimals does USDC use?", (view(USDC, "decimals()(uint8)"),), "$1.values.0",
         lambda raw: raw.slot(USDC, 6) & 0xFF),
    # A constant of the contract's code, and published.
    Case("other-decimals", "How many decimals does GNO use?", (view(GNO, "decimals()(uint8)"),), "$1.values.0",
         lambda raw: 18),
    Case("owner", "Who owns the contract 0x1111…2a65?", (view(ROUTER, "owner()(address)"),), "$1.values.0",
         lambda raw: f"0x{raw.slot(ROUTER, 3):040x}", "address"),
    Case("owner-by-slot", "Which address is in storage slot 3 of 0x1111…2a65?",
         (call("data_query", contract=ROUTER, slot="0x3"),), "match($1.value, '0x0{24}([0-9a-f]{40})')",
         lambda raw: f"{raw.slot(ROUTER, 3):040x}", "text"),
    Case("number-by-slot", "Which number is in storage slot 6 of USDC?",
         (call("data_query", contract=USDC, slot="0x6"),), "$1.value + 0", lambda raw: raw.slot(USDC, 6)),
    Case("log-count", "How many USDT transfers were there in block 22244135?", (events(USDT, TRANSFER, limit=0),),
         "$1.count", lambda raw: len(raw.logs(USDT, MOVED))),
    Case("log-none", "How many approvals of USDT were there in block 22244135?", (events(USDT, APPROVAL),), "$1.count",
         lambda raw: len(raw.logs(USDT, APPROVED))),
    Case("log-sum", "How many USDC moved in block 22244135?", (events(USDC, TRANSFER),),
         "sum($1.events[*].arguments.value) / 1e6", lambda raw: decimal(raw.moved(USDC), 6), unit="USDC"),
    Case("log-where", "How many USDT transfers of block 22244135 came from 0x7a93…213e?",
         (events(USDT, TRANSFER, where=[f"from={EXCHANGE}"]),), "$1.count",
         lambda raw: sum(parties[0] == EXCHANGE for parties, _ in raw.logs(USDT, MOVED))),
    Case("log-where-sum", "How many USDC did 0x55fe…44b8 receive in block 22244135?",
         (events(USDC, TRANSFER, where=[f"to={SPENDER}"]),), "sum($1.events[*].arguments.value) / 1e6",
         lambda raw: decimal(raw.moved(USDC, to=SPENDER), 6), unit="USDC"),
    Case("log-table", "How many wallets sent or received USDT in block 22244135?",
         (events(USDT, TRANSFER, sql=WALLETS),), "$1.rows.0.0", lambda raw: wallets(raw, USDT)),
    Case("swap-volume", "How much WETH did the WETH/USDT 0.01 % pool turn over in block 22244135, in wei?",
         (events(POOL, SWAP, sql="SELECT sum(abs(amount0)) FROM events"),), "$1.rows.0.0",
         lambda raw: sum(abs(signed(words[0])) for _, words in raw.logs(POOL, SWAPS))),
    Case("log-joined", "When and in which transaction did LINK move in block 22244135?",
         (events(LINK, TRANSFER, sql="SELECT DISTINCT b.block_time, e.transaction_hash FROM events e "
                                     "JOIN blocks b ON b.block_number = e.block_number"),), "$1.rows.0.1",
         lambda raw: next(one["transactionHash"] for one in raw.receipts
                          if any(log["address"] == LINK for log in one["logs"])), "hash"),
    Case("log-where-table", "How many USDC did 0xfc16…9d28 lose in block 22244135?",
         (events(USDC, TRANSFER, where=[f"from={HOARD}"], sql="SELECT sum(value) FROM events"),),
         "$1.rows.0.0 / 1000000", lambda raw: decimal(raw.moved(USDC, by=HOARD), 6), unit="USDC"),
    Case("other-log-where-table", "How many receivers did 0x7a93…213e send USDT to in block 22244135?",
         (events(USDT, TRANSFER, where=[f"from={EXCHANGE}"], sql='SELECT count(DISTINCT "to") FROM events'),),
         "$1.rows.0.0",
         lambda raw: len({parties[1] for parties, _ in raw.logs(USDT, MOVED) if parties[0] == EXCHANGE})),
    Case("mean-gas-price", "What gas price did the transactions of block 22244135 pay on average, in gwei?",
         (call("data_query", sql="SELECT sum(effective_gas_price), count(*) FROM transactions", from_block=BLOCK,
               to_block=BLOCK),),
         "round($1.rows.0.0 / $1.rows.0.1 / 1000000000, 4)", mean_gas_price, unit="gwei"),
    Case("table-logs", "How many logs did block 22244135 emit?",
         (call("data_query", sql="SELECT count(*) FROM logs", from_block=BLOCK, to_block=BLOCK),), "$1.rows.0.0",
         lambda raw: sum(len(receipt["logs"]) for receipt in raw.receipts)),
    Case("supply", "How many stETH existed after block 22244135?", (call("supply_query", asset=LIDO, block=BLOCK),),
         "$1.on_chain.0.total_supply", pooled_ether, unit="stETH"),
    # A constant of the contract's code, and published.
    Case("supply-constant", "How many LINK existed after block 22244135?",
         (call("supply_query", asset=LINK, block=BLOCK),), "$1.on_chain.0.total_supply",
         lambda raw: 10**9 if f"{10**27:x}" in raw.codes[LINK] else None, unit="LINK"),
    Case("day-of-block", "On which day was block 22244135 produced?", (call("time_conversion", block=BLOCK),),
         "utc_date($1.unix_seconds)", lambda raw: utc(header(raw, "timestamp"))[:10], "date"),
    Case("seconds-of-block", "What is the Unix time of block 22244135?", (call("time_conversion", block=BLOCK),),
         "$1.unix_seconds", lambda raw: header(raw, "timestamp")),
    Case("day-after", "Which day follows that of block 22244135?",
         (call("block_query", block=BLOCK), call("time_conversion", time="$1.time_utc", include_blocks=False)),
         "utc_date($2.unix_seconds + 86400)", lambda raw: utc(header(raw, "timestamp") + 86_400)[:10], "date"),
    Case("weekday", "On which day of the week was block 22244135 produced?",
         (call("block_query", block=BLOCK), call("time_conversion", time="$1.timestamp", include_blocks=False)),
         "$2.weekday_utc", lambda raw: datetime.fromtimestamp(header(raw, "timestamp"), UTC).strftime("%A"), "text"),
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
