"""Verified sources and who created what."""

from __future__ import annotations

from typing import Any

import pytest

from caia_replay.canonical import strict_json
from caia_replay.origin.artifact import load_artifact
from caia_replay.origin.deed import done
from caia_replay.origin.scene import Scene
from caia_replay.origin.services.etherscan_contract import get_abi, get_contract_creation, get_source_code
from caia_replay.origin.services.etherscan_form import Refusal
from caia_replay.origin.services.etherscan_history import History


@pytest.fixture(scope="module")
def main(scene: Scene) -> History:
    return History(scene.main)


@pytest.fixture(scope="module")
def rollup(scene: Scene) -> History:
    return History(scene.rollup)


def head(history: History) -> int:
    return history.stage.calendar.last_block


def source(history: History, role: str, block: int) -> dict[str, Any]:
    found: dict[str, Any] = get_source_code(history, {"address": history.stage.contracts[role].address}, block)[
        "result"
    ][0]
    return found


def test_every_contract_of_the_story_with_a_source_is_verified(main: History, scene: Scene) -> None:
    """Under the name it was compiled by, the proxy under the proxy's."""
    for role, made in scene.main.contracts.items():
        told = source(main, role, head(main))
        if made.artifact.name.startswith("FeeVault") and role == "fee vault":
            assert told["ContractName"] == "ERC1967Proxy"
        else:
            assert told["ContractName"] == (made.artifact.name if made.artifact.sources else ""), role


def test_a_source_is_what_was_compiled(main: History) -> None:
    """The compiler's standard input in double braces, the interface, the settings and the constructor's arguments."""
    told, artifact = source(main, "dollar token", head(main)), load_artifact("StableCoin")
    standard = strict_json(told["SourceCode"][1:-1])
    assert standard["sources"]["StableCoin.sol"]["content"] == artifact.source("StableCoin.sol")
    assert standard["settings"] == artifact.settings
    assert strict_json(told["ABI"]) == artifact.abi
    assert (told["CompilerVersion"], told["OptimizationUsed"], told["Runs"]) == ("v0.8.37+commit.f401782d", "1", "200")
    assert (told["EVMVersion"], told["LicenseType"], told["Proxy"]) == ("cancun", "MIT", "0")
    created = main.creations[main.stage.contracts["dollar token"].address][2]
    assert created == "0x" + artifact.bytecode.hex() + told["ConstructorArguments"]


def test_a_proxy_names_the_code_it_stands_for(main: History, scene: Scene) -> None:
    """The first code before the upgrade and the second after it."""
    code = {number: scene.main.contracts[f"fee vault code {number}"].address for number in (1, 2)}
    upgraded = next(done(scene.main.deeds, "upgraded")).block
    early, late = (source(main, "fee vault", block) for block in (upgraded - 1, upgraded))
    assert (early["Proxy"], early["Implementation"]) == ("1", code[1])
    assert late["Implementation"] == code[2]


def test_what_has_no_source_is_not_verified(rollup: History) -> None:
    """The interface is refused; the source's fields are empty."""
    address = rollup.stage.contracts["range factory"].address
    with pytest.raises(Refusal) as unverified:
        get_abi(rollup, {"address": address}, head(rollup))
    assert unverified.value.content["result"] == "Contract source code not verified"
    told = source(rollup, "range factory", head(rollup))
    assert (told["SourceCode"], told["ABI"]) == ("", "Contract source code not verified")


def test_a_contract_is_not_verified_before_it_is_there(main: History) -> None:
    """At a block before its creation it is an account like any other."""
    address = main.stage.contracts["launch 1 token"].address
    born = main.creations[address][0].block
    assert get_abi(main, {"address": address}, born)["status"] == "1"
    with pytest.raises(Refusal):
        get_abi(main, {"address": address}, born - 1)


def test_who_created_a_contract(main: History) -> None:
    """The sender, and the factory where there was one; contracts nobody created are left out."""
    contracts = main.stage.contracts
    pair, factory = contracts["native/dollar"].address, contracts["factory"].address
    asked = f"{pair},{factory},0x{'12' * 20}"
    rows = get_contract_creation(main, {"contractaddresses": asked}, head(main))["result"]
    assert [(row["contractAddress"], row["contractFactory"]) for row in rows] == [(pair, factory), (factory, "")]
    for row in rows:
        mined = main.by_hash[row["txHash"]]
        assert (row["contractCreator"], int(row["blockNumber"])) == (mined.transaction["from"], mined.block)
    with pytest.raises(Refusal) as nothing:
        get_contract_creation(main, {"contractaddresses": pair}, int(rows[0]["blockNumber"]) - 1)
    assert nothing.value.content["message"] == "No data found"
