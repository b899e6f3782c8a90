"""Questions of a contract itself: who made it, what code it runs, who owns its items, and where it is documented."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

from eth_utils.crypto import keccak

from caia_replay.core.task import AnswerSpec
from caia_worldgen.act.birth import PROJECTS
from caia_worldgen.act.govern import VAULT
from caia_worldgen.act.inscribe import ROLE as INSCRIPTION
from caia_worldgen.event import done
from caia_worldgen.rng import Rng
from caia_worldgen.stage import Stage, created
from caia_worldgen.tasks.shape import Asked, Story, gold, step, view, yes_no
from caia_worldgen.view import ViewCall


@dataclass(frozen=True, slots=True)
class Creation:
    """``creator`` is a lower-case address."""

    creator: str
    block: int


def creations(stage: Stage) -> Mapping[str, Creation]:
    """Every contract that an account created itself, by address; those that contracts create are not among them."""
    nonces: Counter[str] = Counter()
    found = {}
    for block, sender, to in stage.sent:
        if not to:
            found[created(sender, nonces[sender])] = Creation(sender, block)
        nonces[sender] += 1
    return found


_COLLECTIBLE_OWNER_WORDS: Final = (
    ("Which account owned item {item} of the collection {contract} on {network} when block {block} ended?",
     "在 {network} 的区块 {block} 结束时，藏品系列 {contract} 的 {item} 号归哪个账户所有？"),
    ("Somebody offers me number {item} out of {contract}, a collection on {network}. In whose wallet was it right "
     "after block {block}?",
     "有人要卖给我 {network} 上系列 {contract} 的第 {item} 号藏品。区块 {block} 之后，它在谁的钱包里？请给出地址。"),
)  # fmt: skip
"""One question in several wordings of both languages: two that differed in their figures alone would be one."""
_PAUSE_STATE_WORDS: Final = (
    ("Were transfers of {ticker} ({token}) on {network} paused at the end of block {block}? Answer yes or no.",
     "在区块 {block} 结束时，{network} 上的 {ticker}（合约 {token}）是否处于暂停转账的状态？请回答是或否。"),
    ("A holder complains that no {ticker} ({token}, on {network}) could be moved as of block {block}. Did its contract "
     "say at the end of that block that it was paused? Answer yes or no.",
     "有持有者抱怨 {network} 上的 {ticker}（合约 {token}）在第 {block} 个区块时无法转出。该区块结束时，"
     "合约是否显示为已暂停？请回答是或否。"),
)  # fmt: skip
"""One question in several wordings of both languages: two that differed in their figures alone would be one."""
_SLOT: Final = f"0x{int.from_bytes(keccak(text='eip1967.proxy.implementation'), 'big') - 1:064x}"
"""EIP-1967's: the hash of the name, less one."""


def collectible_owner(story: Story, rng: Rng) -> Iterator[Asked]:
    """Who owned one collectible at the end of a block, and sold it since."""
    stage = story.scene.main
    newest = story.heights[stage.name][-1]
    known = [one for one in stage.views.questions() if one.function == "ownerOf" and one.role.endswith(" collection")]
    asked: Counter[str] = Counter()
    owners: set[str] = set()
    for question in rng.some(known, len(known)):
        sales = [block for block in stage.views.heights(question) if block <= newest]
        if len(sales) < 2:
            continue
        # Who asks at the task's own block instead is told of another owner.
        at = rng.number(0, len(sales) - 2)
        height, block = rng.number(sales[at], sales[at + 1] - 1), story.height_from(stage, sales[at + 1], rng)
        (owner,), (item,) = stage.views.answer(question, height), question.arguments
        if owner in owners or stage.views.answer(question, block) == (owner,):
            continue
        owners.add(owner)
        collection, turn = stage.contracts[question.role].address, asked[question.role] % len(_COLLECTIBLE_OWNER_WORDS)
        english, chinese = _COLLECTIBLE_OWNER_WORDS[turn]
        asked[question.role] += 1
        slots = {"item": item, "contract": collection, "network": story.network(stage), "block": height}
        yield Asked(
            question=english.format(**slots),
            chinese=chinese.format(**slots),
            stage=stage,
            block=block,
            answer=AnswerSpec("address", (owner,)),
            gold=gold("$1.owner", step("balance_query", token=collection, token_id=item, block=height)),
            project=collection,
            claim=f"Item {item} of the collection {collection} belonged to {{planted}} at block {height}.",
        )


def contract_creator(story: Story, rng: Rng) -> Iterator[Asked]:
    """Who created a contract: the account that sent the transaction, whatever the contract calls itself."""
    pairs = [(stage, made) for stage in story.stages for made in sorted(creations(stage).items())]
    named = {(stage.name, made.address): role for stage in story.stages for role, made in stage.contracts.items()}
    creators: set[str] = set()
    for stage, (address, made) in rng.some(pairs, len(pairs)):
        role = named.get((stage.name, address))
        if (
            role is None
            or role == INSCRIPTION
            or made.block >= story.heights[stage.name][-1]
            or made.creator in creators
        ):
            continue
        creators.add(made.creator)
        network = story.network(stage)
        yield Asked(
            question=f"Which account created the contract {address} on {network}?",
            chinese=f"{network} 上的合约 {address} 是由哪个账户创建的？",
            stage=stage,
            block=story.height_from(stage, made.block + 1, rng),
            answer=AnswerSpec("address", (made.creator,)),
            gold=gold("$1.creator", step("data_query", contract=address, about="creation")),
            project=_project(story, stage, role, address),
            claim=f"On {network} the contract {address} was created by {{planted}}.",
        )


def _project(story: Story, stage: Stage, role: str, address: str) -> str:
    """Whose a contract is: a protocol's, a token's project's, or nobody's that is known, which is its address."""
    for protocol in story.metrics.protocols:
        if (stage.name, role) in protocol.contracts:
            return protocol.slug
    found = next((one for one in role.split() if one in story.scene.projects), None)
    return address if found is None else story.scene.projects[found].id


def documented_address(story: Story, rng: Rng) -> Iterator[Asked]:
    """Which token contract a project's own documentation names; tokens that have a copy are asked about elsewhere."""
    stage = story.scene.main
    copied = {deed.subject for deed in done(stage.deeds, "copied")}
    roles = [role for role in PROJECTS if role not in copied]
    # The list of contracts of every project is there by nine tenths of the story.
    there = stage.calendar.midnight(story.scene.scale.days * 9 // 10 + 1)
    for role in rng.some(roles, len(roles)):
        asset, block = story.scene.assets[role], story.height_after(stage, there, rng)
        if block is None:
            continue
        project, network = asset.project, story.network(stage)
        yield Asked(
            question=f"According to the project's own documentation at docs.{project.site}, what is the contract "
            f"address of {project.name}'s token {project.ticker} on {network}?",
            chinese=f"根据 {project.name} 官方文档（docs.{project.site}），{project.ticker} 在 {network} 上的代币"
            "合约地址是什么？",
            stage=stage,
            block=block,
            answer=AnswerSpec("address", (asset.address,)),
            gold=gold(
                "match($1.text, '0x[0-9a-f]{40}')", step("url_fetching", url=f"https://docs.{project.site}/contracts")
            ),
            project=project.id,
            claim=f"The contract address of {project.ticker} token on {network} is {{planted}}.",
        )


def pause_state(story: Story, rng: Rng) -> Iterator[Asked]:
    """Whether a token's transfers stood still at the end of a block: they did, and do no more when it is asked."""
    turns = 12
    stage, end = story.scene.main, story.heights[story.scene.main.name][-1]
    stopped = [one for role in ("credit", "dollar") for one in _stopped(stage, role, end)]
    for at, (role, first, until) in enumerate(stopped * turns):
        project, token = story.scene.projects[role], stage.contracts[f"{role} token"].address
        height = rng.number(first, min(until, end + 1) - 1)
        words, chinese = _PAUSE_STATE_WORDS[at % len(_PAUSE_STATE_WORDS)]
        slots = {"ticker": project.ticker, "token": token, "network": story.network(stage), "block": height}
        yield Asked(
            words.format(**slots),
            stage,
            # What the contract says by then is no, if it says so by the last block.
            story.height_from(stage, until if until <= end else height, rng),
            yes_no(True),
            gold("choose($1.values.0 == 'true', 'yes', 'no')", view(token, "paused()(bool)", height)),
            project.id,
            f"Transfers of {project.ticker} ({token}) paused at the end of block {height}: {{planted}}.",
            chinese.format(**slots),
        )


def _stopped(stage: Stage, role: str, end: int) -> Iterator[tuple[str, int, int]]:
    """The token, the block that stopped its transfers, and the one that let them go on, past ``end`` where none did."""
    question = ViewCall(f"{role} token", "paused")
    changes = [*stage.views.heights(question), end + 1]
    for first, until in pairwise(changes):
        if first <= end and stage.views.answer(question, first) == (True,):
            yield role, first, until


def proxy_implementation(story: Story, rng: Rng) -> Iterator[Asked]:
    """Which code a proxy ran at a block: the address behind it, not its own, and not today's."""
    turns, most = 2, 2
    stage, end = story.scene.main, story.heights[story.scene.main.name][-1]
    proxy, made = stage.contracts[VAULT].address, creations(stage)
    upgraded = [deed.block for deed in done(stage.deeds, "upgraded", VAULT)]
    # Asked after the upgrade of the time before it, where there is one: what the proxy runs now is another answer.
    first, upgrade = made[proxy].block, min([end + 1, *upgraded])
    for _ in range(turns * most):
        height = rng.number(first, upgrade - 1)
        question = (
            f"The fee vault at {proxy} on {story.network(stage)} is an EIP-1967 proxy. Which contract held the code "
            f"it ran at the end of block {height}?"
        )
        yield Asked(
            question,
            stage,
            story.height_from(stage, upgrade if upgrade <= end else height, rng),
            AnswerSpec("address", (stage.contracts["fee vault code 1"].address,)),
            gold(
                "join('', list('0x', match($1.value, '[0-9a-f]{40}$')))",
                step("data_query", contract=proxy, slot=_SLOT, block=height),
            ),
            proxy,
            f"At the end of block {height} the proxy {proxy} ran the code of {{planted}}.",
        )


def token_look_alike(story: Story, rng: Rng) -> Iterator[Asked]:
    """The genuine token of a project whose ticker a copy bears: given the copy, its documentation knows the other."""
    stage = story.scene.main
    there = stage.calendar.midnight(story.scene.scale.days * 9 // 10 + 1)
    copies = {deed.subject: str(dict(deed.figures)["token"]) for deed in done(stage.deeds, "copied")}
    pairs = [(role, token) for role, token in sorted(copies.items()) if role != "dollar"]
    for role, token in rng.some(pairs, len(pairs)):
        asset, block = story.scene.assets[role], story.height_after(stage, there, rng)
        if block is None:
            continue
        project, network = asset.project, story.network(stage)
        question = (
            f"A wallet on {network} received tokens of the contract {token}, which calls itself {project.ticker}. The "
            f"contract list of {project.name} (docs.{project.site}) names another one: at what address does it say "
            f"that the project's own {project.ticker} token is?"
        )
        chinese = (
            f"一个 {network} 钱包收到了合约 {token} 的代币，它自称 {project.ticker}。根据 {project.name} 的合约列表"
            f"（docs.{project.site}），该项目真正的 {project.ticker} 代币的合约地址是什么？"
        )
        yield Asked(
            question,
            stage,
            block,
            AnswerSpec("address", (asset.address,)),
            gold(
                "match($1.text, '0x[0-9a-f]{40}')", step("url_fetching", url=f"https://docs.{project.site}/contracts")
            ),
            project.id,
            f"{project.name}'s own {project.ticker} token is at {{planted}}, and {token} is a copy.",
            chinese,
        )
