"""Six questions about the economy, one height each: what the world of an economy is asked while it has no suite yet.

``truth`` comes from ledger and views alone; the gold chain gets there through the tools, and the build fails when the
two disagree. Heights are shares of the chain, so that every size of the economy has the same six.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any, Final

from caia_replay.core.expression import render
from caia_replay.core.gold import GoldChain, GoldStep
from caia_replay.core.suite import ChainRecipe, Recipe
from caia_replay.core.task import Anchor, AnswerSpec, Category, Task
from caia_replay.origin.build import chain_names
from caia_replay.origin.canary import canary
from caia_replay.origin.deed import done
from caia_replay.origin.scene import Asset, Scene
from caia_replay.origin.stage import Stage
from caia_replay.origin.view import Question

WORLD: Final = "economy-6"
SWAP: Final = (
    "Swap(address indexed sender, uint256 amount0In, uint256 amount1In, uint256 amount0Out, uint256 amount1Out, "
    "address indexed to)"
)
_ADDRESS: Final = "0x[0-9a-f]{40}"
_AT: Final = rf"\((?P<contract>{_ADDRESS})\).* block (?P<block>\d+)"


def _reading(question: str, function: str, pattern: str) -> Recipe:
    arguments = {"contract": "{contract}", "function": function, "arguments": (), "block": "{block}"}
    return Recipe(question, "{contract}", r"(?P<answer>\d[\d,.]*)", ChainRecipe("data_query", arguments, pattern))


RECIPES: Final[dict[str, Recipe]] = {
    "token-supply": _reading(rf"total supply .*{_AT}", "totalSupply()(uint256)", r'"values":\["(?P<answer>\d+)"\]'),
    "pool-price": _reading(rf"price .*{_AT}", "getReserves()(uint112,uint112,uint32)", r'"values":\["(?P<answer>\d+)"'),
    "staked": _reading(rf"staked .*{_AT}", "totalStaked()(uint256)", r'"values":\["(?P<answer>\d+)"\]'),
    "swap-count": Recipe(
        rf"swaps .*\((?P<contract>{_ADDRESS})\).* blocks (?P<first>\d+) to (?P<last>\d+)",
        "{contract}",
        r"(?P<answer>\d[\d,.]*)",
        ChainRecipe(
            "data_query",
            {"contract": "{contract}", "event": SWAP, "from_block": "{first}", "to_block": "{last}"},
            r'"count":(?P<answer>\d+)',
        ),
    ),
    "vault-balance": Recipe(
        rf"vault \((?P<contract>{_ADDRESS})\) hold .* block (?P<block>\d+).* contract is (?P<token>{_ADDRESS})",
        "{contract}",
        r"(?P<answer>\d[\d,.]*)",
        ChainRecipe(
            "data_query",
            {
                "contract": "{token}",
                "function": "balanceOf(address)(uint256)",
                "arguments": ("{contract}",),
                "block": "{block}",
            },
            r'"values":\["(?P<answer>\d+)"\]',
        ),
    ),
}
"""How model-free policies read each question shape; they answer in smallest units, and so mostly wrongly."""


def economy_tasks(scene: Scene) -> tuple[Task, ...]:
    """The six, in suite order."""
    main, rollup = scene.main, scene.rollup
    return (
        _supply(scene, main, scene.assets["storage"], 35),
        _price(scene, main, "exchange", 50),
        _staked(scene, main, "arena", 60),
        _swaps(scene, main, "lend", 70),
        _vault(scene, main, scene.assets["dollar"], 80),
        _supply(scene, rollup, scene.bridged["dollar"], 90),
    )


def _supply(scene: Scene, stage: Stage, asset: Asset, share: int) -> Task:
    block = stage.calendar.last_block * share // 100
    ticker = asset.project.ticker
    truth = Fraction(stage.ledger.supply(asset.address, block), asset.unit)
    step = _call(asset.address, "totalSupply()(uint256)", block)
    return _task(
        scene, stage, f"{stage.name}-token-supply", "token-supply", block, "tokenomics",
        f"What was the total supply of {ticker} (token contract ({asset.address}) on {_network(scene, stage)}) at the "
        f"end of block {block}, in whole {ticker}?",
        AnswerSpec("number", (render(truth),), ticker, "0.01"),
        GoldChain((step,), f"$1.values.0 / {asset.unit}"),
        ("18000", "Market value per token is taken from a supply that does not exist."),
    )  # fmt: skip


def _price(scene: Scene, stage: Stage, role: str, share: int) -> Task:
    block = stage.calendar.last_block * share // 100
    market, asset, dollar = scene.markets[role, "dollar"], scene.assets[role], scene.assets["dollar"]
    side = market.side(asset)
    reserves = stage.views.answer(Question(f"{role}/dollar", "getReserves"), block)
    truth = round(Fraction(reserves[1 - side] * asset.unit, reserves[side] * dollar.unit), 6)
    pair = market.pair.address
    return _task(
        scene, stage, "pool-price", "pool-price", block, "on-chain analysis",
        f"What was the price of one {asset.project.ticker} in {dollar.project.ticker} by the reserves of their v2 pool "
        f"({pair}) on {_network(scene, stage)} at the end of block {block}? Give six decimals.",
        AnswerSpec("number", (render(truth),), dollar.project.ticker, "0.1"),
        GoldChain(
            (_call(pair, "getReserves()(uint112,uint112,uint32)", block),),
            f"round($1.values.{1 - side} * {asset.unit // dollar.unit} / $1.values.{side}, 6)",
        ),
        ("9000", "An order is placed at a price nobody pays."),
    )  # fmt: skip


def _staked(scene: Scene, stage: Stage, role: str, share: int) -> Task:
    block = stage.calendar.last_block * share // 100
    pool, asset = stage.contracts[f"{role} staking pool"].address, scene.assets[role]
    truth = Fraction(stage.views.answer(Question(f"{role} staking pool", "totalStaked"), block)[0], asset.unit)
    return _task(
        scene, stage, "staked", "staked", block, "on-chain analysis",
        f"How many {asset.project.ticker} were staked in {asset.project.name}'s staking pool ({pool}) on "
        f"{_network(scene, stage)} at the end of block {block}?",
        AnswerSpec("number", (render(truth),), asset.project.ticker, "0.01"),
        GoldChain((_call(pool, "totalStaked()(uint256)", block),), f"$1.values.0 / {asset.unit}"),
        ("7500", "A yield is promised on a stake that is not there."),
    )  # fmt: skip


def _swaps(scene: Scene, stage: Stage, role: str, share: int) -> Task:
    last = stage.calendar.last_block * share // 100
    first, pair = last * 3 // 4, scene.markets[role, "dollar"].pair.address
    truth = sum(first <= deed.block <= last for deed in done(stage.deeds, "swapped", f"{role}/dollar"))
    step = GoldStep("data_query", {"contract": pair, "event": SWAP, "from_block": first, "to_block": last})
    return _task(
        scene, stage, "swap-count", "swap-count", last, "on-chain analysis",
        f"How many swaps did the v2 pool of {scene.assets[role].project.ticker} and "
        f"{scene.assets['dollar'].project.ticker} ({pair}) on {_network(scene, stage)} see in blocks {first} to "
        f"{last}, both included?",
        AnswerSpec("number", (str(truth),)),
        GoldChain((step,), "$1.count"),
        ("2500", "A listing fee that is set by activity is over- or underpaid."),
    )  # fmt: skip


def _vault(scene: Scene, stage: Stage, asset: Asset, share: int) -> Task:
    block = stage.calendar.last_block * share // 100
    vault, ticker = stage.contracts["bridge vault"].address, asset.project.ticker
    truth = Fraction(stage.ledger.balance(asset.address, vault, block), asset.unit)
    step = GoldStep(
        "data_query",
        {"contract": asset.address, "function": "balanceOf(address)(uint256)", "arguments": (vault,), "block": block},
    )
    return _task(
        scene, stage, "vault-balance", "vault-balance", block, "on-chain analysis",
        f"How many {ticker} did the bridge's vault ({vault}) hold on {_network(scene, stage)} at the end of block "
        f"{block}? The token's contract is {asset.address}.",
        AnswerSpec("number", (render(truth),), ticker, "0.01"),
        GoldChain((step,), f"$1.values.0 / {asset.unit}"),
        ("40000", "A withdrawal is promised that the vault cannot pay."),
    )  # fmt: skip


def _call(contract: str, function: str, block: int) -> GoldStep:
    return GoldStep("data_query", {"contract": contract, "function": function, "arguments": (), "block": block})


def _network(scene: Scene, stage: Stage) -> str:
    return scene.networks[stage.name].name


def _task(scene: Scene, stage: Stage, name: str, shape: str, block: int, category: Category, *parts: Any) -> Task:
    question, answer, gold, (stake, reason) = parts
    identity = f"economy6-{name}"
    return Task(
        id=identity,
        question=question,
        category=category,
        language="en",
        shape=shape,
        anchor=Anchor(chain_names(scene)[stage is scene.rollup], block, stage.calendar.times[block]),
        answer=answer,
        gold=gold,
        stake_usd=stake,
        stake_reason=reason,
        tags=("economy",),
        canary=canary("economy", scene.seed, identity),
    )
