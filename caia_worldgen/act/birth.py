"""The tokens: one dollar, the wrapped native coin and ten projects, each with its allocations on the first day."""

from __future__ import annotations

from typing import Final

from caia_worldgen.scene import Asset, Scene
from caia_worldgen.stage import Stage

PROJECTS: Final = {
    "exchange": "Exchange",
    "lend": "Lend",
    "bridge": "Bridge",
    "arena": "Arena",
    "storage": "Storage",
    "payments": "Pay",
    "feeds": "Feeds",
    "index": "Index",
    "social": "Social",
    "compute": "Compute",
}
"""Role in the story -> what the project calls itself."""

_ALLOCATIONS: Final = {"treasury": 32, "market maker": 18, "exchange": 12}
"""Per cent of the supply; the founders keep the rest, less what the crowd gets."""
_DOLLARS: Final = {"market maker": 60, "exchange": 12, "arbitrageur": 12, "liquidator": 6, "treasury": 10}


class Birth:
    """Deploys every project's token; the issuer mints dollars at first and, now and then, more or fewer."""

    def open(self, scene: Scene) -> None:
        """Tokens exist and are spread."""
        stage, rng = scene.main, scene.rng("birth")
        founders, issuer = scene.people.roles["founders"], scene.people.roles["issuer"]
        dollar = scene.projects["dollar"] = scene.namer.project("Dollar")
        made = stage.deploy(issuer, "StableCoin", (dollar.name, dollar.ticker, issuer.address), "dollar token")
        asset = scene.assets["dollar"] = Asset("dollar", dollar, made, 6)
        for role, percent in _DOLLARS.items():
            self._mint(scene, asset, scene.people.address(role), rng.odd(90_000, 110_000) * 1_000 * percent)
        for person in scene.people.crowd:
            self._mint(scene, asset, person.address, rng.odd(4_000, 90_000))
        native = scene.projects["native"] = scene.networks["main"]
        wrapped = stage.deploy(founders, "WETH9", (), "wrapped token")
        scene.assets["native"] = Asset("native", native, wrapped, 18)
        # The package's contract calls itself so, whatever coin it wraps; the story calls it by the coin.
        stage.know("wrapped token", "symbol", answer=("WETH",))
        stage.know("wrapped token", "name", answer=("Wrapped Ether",))
        for role, kind in PROJECTS.items():
            project = scene.projects[role] = scene.namer.project(kind)
            supply = rng.odd(20_000_000, 990_000_000) * 10**18
            terms = (project.name, project.ticker, supply, founders.address)
            token = Asset(role, project, stage.deploy(founders, "GovernanceToken", terms, f"{role} token"), 18)
            scene.assets[role] = token
            scene.born(stage, token, str(founders.address), supply)
            stage.deed(str(founders.address), "created", role, supply=supply)
            for holder, percent in _ALLOCATIONS.items():
                self._allocate(scene, token, scene.people.address(holder), supply * percent // 100)
            for person in rng.some(scene.people.crowd, 14):
                self._allocate(scene, token, person.address, supply * rng.number(5, 90) // 10_000)

    def play(self, scene: Scene, stage: Stage) -> None:
        """About once in nine days the issuer mints for the market maker or burns what came back to it."""
        if stage is not scene.main or stage.height != stage.calendar.blocks_of(stage.day)[-1]:
            return
        rng = scene.rng(f"birth/{stage.day}")
        if rng.happens(11):
            asset, issuer = scene.assets["dollar"], scene.people.roles["issuer"]
            amount = rng.odd(20_000, 900_000)
            if rng.happens(55):
                self._mint(scene, asset, scene.people.address("market maker"), amount)
                return
            maker = scene.people.roles["market maker"]
            amount = min(amount * asset.unit, scene.balance(stage, asset, str(maker.address)) // 10)
            scene.transfer(stage, maker, asset, scene.people.address("issuer"), amount)
            stage.call(issuer, asset.contract, "burn", amount)
            stage.ledger.burn(stage.height, asset.address, str(issuer.address), amount)
            stage.deed(str(issuer.address), "redeemed", "dollar", amount=amount)

    def _allocate(self, scene: Scene, token: Asset, holder: str, amount: int) -> None:
        stage, founders = scene.main, scene.people.roles["founders"]
        scene.transfer(stage, founders, token, holder, amount)
        stage.deed(str(founders.address), "allocated", token.role, recipient=holder, amount=amount)

    def _mint(self, scene: Scene, asset: Asset, holder: str, whole: int) -> None:
        stage, issuer = scene.main, scene.people.roles["issuer"]
        stage.call(issuer, asset.contract, "mint", holder, whole * asset.unit)
        scene.born(stage, asset, holder, whole * asset.unit)
        stage.deed(str(issuer.address), "issued", "dollar", amount=whole * asset.unit, recipient=holder)
