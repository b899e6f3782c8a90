"""Governance of the lending project: its holders vote, a timelock waits, and one vote upgrades the fee vault.

The vault stands behind a proxy that the timelock owns, and receives fees from the first days on. Four proposals: one
that too few notice, one that the large holders vote down, the upgrade, and a second sweep that burns again. Weights
are the ledger's balances at a proposal's snapshot, gathered by who had delegated to whom by then.
"""

from __future__ import annotations

from typing import Any, Final

from eth_account.signers.local import LocalAccount
from eth_utils.crypto import keccak

from caia_replay.core.task import ZERO_ADDRESS
from caia_worldgen.act.motion import Motion, Side, State
from caia_worldgen.artifact import load_artifact
from caia_worldgen.calendar import DAY_S
from caia_worldgen.people import address_of
from caia_worldgen.rng import Rng
from caia_worldgen.scene import Asset, Scene
from caia_worldgen.stage import Contract, Stage

VOTER_TOKEN: Final = "lend"
"""Role of the project that is governed; fees arrive in its token and in dollars."""
VAULT: Final = "fee vault"
"""What the story calls the vault as it is called through its proxy, whichever version is behind it."""

_AGENDA: Final = {18: "raise the fee", 36: "spend on a campaign", 60: "upgrade the fee vault", 82: "sweep again"}
"""Per cent of the story -> what is proposed then."""
_INTRUSION_PERCENT: Final = 30
"""When, in per cent of the story, somebody tries to upgrade the vault, and to propose, without any right to."""
_DELAY_DAYS: Final = 1
_PERIOD_DAYS: Final = 4
_LOCK_S: Final = 2 * DAY_S
_QUORUM_PERCENT: Final = 15
_ROOM: Final = 1_600_000
"""Gas for the second vault's creation; a block has it besides its ordinary limit."""
_LARGE: Final = ("founders", "treasury", "market maker")


class Govern:
    """Governor, timelock, vault, delegates and their votes."""

    def __init__(self) -> None:
        self._delegates: dict[str, list[tuple[int, str]]] = {}
        self._wallets: dict[str, LocalAccount] = {}
        self._motions: list[Motion] = []
        self._second: Contract | None = None
        self._burn_bps = 0

    def open(self, scene: Scene) -> None:
        """Everything is deployed and handed to the timelock; the large holders and some of the crowd delegate."""
        stage, token, rng = scene.main, scene.assets[VOTER_TOKEN], scene.rng("govern")
        founders, per_day = scene.people.roles["founders"], scene.scale.main_blocks
        threshold = stage.ledger.supply(token.address) // 500
        lock = stage.deploy(founders, "TimelockController", (_LOCK_S, [], [ZERO_ADDRESS], founders.address), "timelock")
        terms = (_DELAY_DAYS * per_day, _PERIOD_DAYS * per_day, threshold, _QUORUM_PERCENT)
        governor = stage.deploy(founders, "ProtocolGovernor", (token.address, lock.address, *terms), "governor")
        for name in ("PROPOSER_ROLE", "CANCELLER_ROLE"):
            stage.call(founders, lock, "grantRole", keccak(text=name), governor.address)
            stage.know("timelock", "hasRole", keccak(text=name), governor.address, answer=(True,))
        stage.call(founders, lock, "renounceRole", bytes(32), founders.address)
        stage.know("timelock", "hasRole", bytes(32), address_of(founders), answer=(False,))
        stage.know("timelock", "getMinDelay", answer=(_LOCK_S,))
        known = zip(("votingDelay", "votingPeriod", "proposalThreshold", "quorumNumerator()"), terms, strict=True)
        for function, answer in known:
            stage.know("governor", function, answer=(answer,))
        first = stage.deploy(founders, "FeeVaultV1", (), "fee vault code 1")
        fee = rng.number(11, 49)
        start = first.artifact.call("initialize", (lock.address, fee))
        proxy = stage.deploy(founders, "ERC1967Proxy", (first.address, start), "fee vault proxy")
        stage.adopt(proxy.address, "FeeVaultV1", VAULT)
        stage.know(VAULT, "owner", answer=(lock.address,))
        stage.know(VAULT, "version", answer=(1,))
        stage.know(VAULT, "feeBps", answer=(fee,))
        stage.deed(address_of(founders), "opened", VAULT, implementation=first.address, owner=lock.address)
        self._wallets = {address_of(wallet): wallet for wallet in scene.people.wallets()}
        for role in _LARGE:
            self._delegate(stage, token, scene.people.address(role), scene.people.address(role))
        holders = self._holders(scene, token)
        speakers = rng.some(holders, min(2, len(holders)))
        for holder in rng.some(holders, min(11, len(holders))):
            self._delegate(stage, token, holder, rng.one(speakers) if rng.happens(30) else holder)

    def play(self, scene: Scene, stage: Stage) -> None:
        """Fees arrive; somebody delegates; what is due of each proposal happens."""
        if stage is not scene.main:
            return
        rng, first = scene.rng(f"govern/{stage.height}"), stage.height == stage.calendar.blocks_of(stage.day)[0]
        if first and rng.happens(38):
            self._pay_fees(scene, stage, rng, scene.assets[rng.one((VOTER_TOKEN, "dollar"))])
        if first and rng.happens(14):
            holders = self._holders(scene, scene.assets[VOTER_TOKEN])
            self._delegate(stage, scene.assets[VOTER_TOKEN], rng.one(holders), rng.one(holders))
        if first and stage.day == scene.scale.days * _INTRUSION_PERCENT // 100:
            self._intrude(scene, stage)
        for motion in self._motions:
            self._go_on(scene, stage, motion, rng)
        for percent, name in _AGENDA.items():
            if first and stage.day == scene.scale.days * percent // 100:
                self._propose(scene, stage, name, rng)

    # proposals

    def _propose(self, scene: Scene, stage: Stage, name: str, rng: Rng) -> None:
        governor, founders = stage.contracts["governor"], scene.people.roles["founders"]
        calls = self._calls(scene, stage, name, rng)
        if not calls:
            return
        opened = stage.height + _DELAY_DAYS * scene.scale.main_blocks
        closed = opened + _PERIOD_DAYS * scene.scale.main_blocks
        text = f"{scene.projects[VOTER_TOKEN].name}: {name} ({len(self._motions) + 1})"
        motion = Motion(name, text, calls, opened, closed)
        stage.call(founders, governor, "propose", *motion.batch, text)
        self._motions.append(motion)
        self._state(stage, motion, State.PENDING)
        for function, answer in (
            *(("proposalSnapshot", opened), ("proposalDeadline", closed), ("proposalEta", 0)),
            ("proposalProposer", address_of(founders)),
        ):
            stage.know("governor", function, motion.id, answer=(answer,))
        stage.deed(address_of(founders), "proposed", name, id=motion.id, text=text, snapshot=opened, deadline=closed)

    def _calls(self, scene: Scene, stage: Stage, name: str, rng: Rng) -> tuple[tuple[Contract, bytes], ...]:
        """What a proposal would do; nothing where it needs an upgrade that did not come."""
        vault, treasury = stage.contracts[VAULT], scene.people.address("treasury")
        token, second = scene.assets[VOTER_TOKEN], load_artifact("FeeVaultV2")
        sweep = (vault, second.call("sweep", (token.address, treasury)))
        if name == "raise the fee":
            return ((vault, vault.artifact.call("setFee", (rng.number(60, 120),))),)
        if name == "spend on a campaign":
            amount = scene.balance(stage, token, vault.address) // 2
            return (
                (vault, vault.artifact.call("withdraw", (token.address, scene.people.address("launcher"), amount))),
            )
        if name == "upgrade the fee vault":
            founders, self._burn_bps = scene.people.roles["founders"], rng.number(1_100, 4_900)
            stage.make_room(_ROOM)
            self._second = stage.deploy(founders, "FeeVaultV2", (), "fee vault code 2")
            setup = second.call("initializeV2", (self._burn_bps,))
            return ((vault, vault.artifact.call("upgradeToAndCall", (self._second.address, setup))), sweep)
        return (sweep,) if vault.artifact is second else ()

    def _go_on(self, scene: Scene, stage: Stage, motion: Motion, rng: Rng) -> None:
        founders, governor = scene.people.roles["founders"], stage.contracts["governor"]
        if stage.height == motion.snapshot + 1:
            self._open_poll(scene, stage, motion, rng)
        for voter, side in motion.ballots.get(stage.height, ()):
            self._vote(scene, stage, motion, voter, side)
        if stage.height == motion.deadline + 1:
            outcome = State.SUCCEEDED if motion.passes() else State.DEFEATED
            self._state(stage, motion, outcome)
            stage.deed(address_of(founders), outcome.name.lower(), motion.name, id=motion.id, quorum=motion.quorum)
            late = self._electors(scene, motion)[-1]
            self._refused(
                stage, self._wallets[late], "GovernorUnexpectedProposalState", "castVote", motion.id, Side.FOR
            )
            if outcome is State.DEFEATED:
                words = "GovernorUnexpectedProposalState", "queue", *motion.arguments()
                self._refused(stage, founders, *words)
                return
            stage.call(founders, governor, "queue", *motion.arguments())
            motion.eta = stage.now + _LOCK_S
            self._state(stage, motion, State.QUEUED)
            stage.know("governor", "proposalEta", motion.id, answer=(motion.eta,))
            operation = motion.operation(governor.address)
            stage.know("timelock", "getTimestamp", operation, answer=(motion.eta,))
            stage.deed(address_of(founders), "queued", motion.name, id=motion.id, eta=motion.eta)
            # Rightly queued and still too early: the timelock's own refusal, through the governor.
            self._refused(stage, founders, "TimelockUnexpectedOperationState", "execute", *motion.arguments())
        elif motion.state is State.QUEUED and stage.now >= motion.eta:
            self._execute(scene, stage, motion, founders)

    def _execute(self, scene: Scene, stage: Stage, motion: Motion, founders: LocalAccount) -> None:
        stage.call(founders, stage.contracts["governor"], "execute", *motion.arguments())
        self._state(stage, motion, State.EXECUTED)
        operation = motion.operation(stage.contracts["governor"].address)
        stage.know("timelock", "getTimestamp", operation, answer=(1,))
        stage.deed(address_of(founders), "executed", motion.name, id=motion.id)
        if motion.name == "upgrade the fee vault" and self._second is not None:
            before, after = stage.contracts["fee vault code 1"].address, self._second.address
            stage.adopt(stage.contracts[VAULT].address, "FeeVaultV2", VAULT)
            stage.know(VAULT, "version", answer=(2,))
            stage.know(VAULT, "burnShareBps", answer=(self._burn_bps,))
            figures: dict[str, int | str] = {
                "implementation": after,
                "before": before,
                "burn_share_bps": self._burn_bps,
            }
            stage.deed(stage.contracts["timelock"].address, "upgraded", VAULT, **figures)
        self._sweep(scene, stage)

    def _sweep(self, scene: Scene, stage: Stage) -> None:
        token, vault, treasury = scene.assets[VOTER_TOKEN], stage.contracts[VAULT], scene.people.address("treasury")
        held = scene.balance(stage, token, vault.address)
        burned = held * self._burn_bps // 10_000
        stage.ledger.burn(stage.height, token.address, vault.address, burned)
        stage.ledger.move(stage.height, token.address, vault.address, treasury, held - burned)
        lock = stage.contracts["timelock"].address
        stage.deed(lock, "swept", VAULT, token=token.role, burned=burned, sent=held - burned)

    # votes

    def _open_poll(self, scene: Scene, stage: Stage, motion: Motion, rng: Rng) -> None:
        """Weights are fixed from here on; each voter comes at a time of their own."""
        token = scene.assets[VOTER_TOKEN]
        motion.quorum = stage.ledger.supply(token.address, motion.snapshot) * _QUORUM_PERCENT // 100
        self._state(stage, motion, State.ACTIVE)
        stage.know("governor", "quorum", motion.snapshot, answer=(motion.quorum,))
        large = {role: scene.people.address(role) for role in _LARGE}
        crowd = [who for who in self._electors(scene, motion) if who not in large.values()]
        some = rng.some(crowd, min(len(crowd), 3 if motion.name == "raise the fee" else rng.number(5, 7)))
        votes = [(who, rng.one((Side.FOR, Side.FOR, Side.AGAINST, Side.ABSTAIN))) for who in some]
        if motion.name == "spend on a campaign":
            votes += [(large["founders"], Side.AGAINST), (large["treasury"], Side.ABSTAIN)]
        elif motion.name != "raise the fee":
            votes += [
                (large["founders"], Side.FOR),
                (large["treasury"], Side.FOR),
                (large["market maker"], Side.ABSTAIN),
            ]
        for vote in votes:
            motion.ballots.setdefault(rng.number(motion.snapshot + 1, motion.deadline), []).append(vote)
        if votes:  # somebody forgets that they have voted, or hopes that it counts twice
            motion.ballots.setdefault(motion.deadline, []).append((rng.one(votes)[0], Side.FOR))

    def _vote(self, scene: Scene, stage: Stage, motion: Motion, voter: str, side: Side) -> None:
        wallet, weight = self._wallets[voter], self._weight(scene, voter, motion.snapshot)
        if voter in motion.voted:
            self._refused(stage, wallet, "GovernorAlreadyCastVote", "castVote", motion.id, side)
            return
        if motion.name == "raise the fee" and sum(motion.tally[1:]) + weight >= motion.quorum:
            return  # nobody was to notice this one
        stage.call(wallet, stage.contracts["governor"], "castVote", motion.id, side)
        motion.voted.add(voter)
        motion.tally[side] += weight
        stage.know("governor", "proposalVotes", motion.id, answer=tuple(motion.tally))
        stage.know("governor", "hasVoted", motion.id, voter, answer=(True,))
        stage.know(f"{VOTER_TOKEN} token", "getPastVotes", voter, motion.snapshot, answer=(weight,))
        stage.deed(voter, "voted", motion.name, id=motion.id, side=side.name.lower(), weight=weight)

    def _weight(self, scene: Scene, delegate: str, block: int) -> int:
        """The votes of a delegate at the end of ``block``."""
        token, total = scene.assets[VOTER_TOKEN], 0
        for holder, history in self._delegates.items():
            chosen = [one for at, one in history if at <= block]
            if chosen and chosen[-1] == delegate:
                total += scene.main.ledger.balance(token.address, holder, block)
        return total

    def _electors(self, scene: Scene, motion: Motion) -> list[str]:
        """Everybody who has votes at a proposal's snapshot, sorted."""
        known = {one for history in self._delegates.values() for _, one in history}
        return [who for who in sorted(known) if self._weight(scene, who, motion.snapshot)]

    def _delegate(self, stage: Stage, token: Asset, holder: str, delegate: str) -> None:
        stage.call(self._wallets[holder], token.contract, "delegate", delegate)
        self._delegates.setdefault(holder, []).append((stage.height, delegate))
        stage.know(f"{token.role} token", "delegates", holder, answer=(delegate,))
        stage.deed(holder, "delegated", token.role, delegate=delegate)

    def _holders(self, scene: Scene, token: Asset) -> list[str]:
        crowd = [person.address for person in scene.people.crowd]
        return [who for who in crowd if scene.balance(scene.main, token, who) > 0]

    # the rest

    def _pay_fees(self, scene: Scene, stage: Stage, rng: Rng, asset: Asset) -> None:
        payer, vault = scene.people.roles["exchange"], stage.contracts[VAULT]
        amount = scene.balance(stage, asset, address_of(payer)) * rng.number(20, 300) // 1_000_000
        if amount:
            scene.approve(stage, payer, asset, vault.address)
            stage.call(payer, vault, "deposit", asset.address, amount)
            stage.ledger.move(stage.height, asset.address, address_of(payer), vault.address, amount)
            stage.deed(address_of(payer), "paid fees", VAULT, token=asset.role, amount=amount)

    def _intrude(self, scene: Scene, stage: Stage) -> None:
        scammer, code = scene.people.roles["scammer"], stage.contracts["fee vault code 1"].address
        vault = stage.contracts[VAULT]
        stage.call(scammer, vault, "upgradeToAndCall", code, b"", succeeds=False)
        stage.deed(address_of(scammer), "was refused", VAULT, function="upgradeToAndCall", error="NotOwner")
        call = vault.artifact.call("withdraw", (scene.assets["dollar"].address, scammer.address, 1))
        words = "GovernorInsufficientProposerVotes", "propose", [vault.address], [0], [call], "a gift"
        self._refused(stage, scammer, *words)

    def _refused(self, stage: Stage, actor: LocalAccount, error: str, function: str, *arguments: Any) -> None:
        stage.call(actor, stage.contracts["governor"], function, *arguments, succeeds=False)
        stage.deed(address_of(actor), "was refused", "governor", function=function, error=error)

    def _state(self, stage: Stage, motion: Motion, state: State) -> None:
        motion.state = state
        stage.know("governor", "state", motion.id, answer=(int(state),))
