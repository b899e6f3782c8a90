"""The explorer of both chains of a told economy, in the shape of Etherscan's API, version 2.

    GET https://api.etherscan.io/v2/api?chainid=...&module=...&action=...

Nothing later than the newest block of the moment exists for it. Everything is read from the living nodes.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import Any, Final

from caia_worldgen.market.book import MarketBook
from caia_worldgen.services import etherscan_account as account
from caia_worldgen.services import etherscan_contract as contract
from caia_worldgen.services import etherscan_event as event
from caia_worldgen.services import etherscan_node as node
from caia_worldgen.services.etherscan_form import Parameters, Refusal
from caia_worldgen.services.etherscan_history import History
from caia_worldgen.services.service import Answer, Asked
from caia_worldgen.stage import Stage

ORIGIN: Final = "https://api.etherscan.io"

_NO_CHAIN: Final = (
    "Missing or unsupported chainid parameter (required for v2 api), please see "
    "https://api.etherscan.io/v2/chainlist for the list of supported chainids"
)
_OLD: Final = (
    "You are using a deprecated V1 endpoint, switch to Etherscan API V2 using https://docs.etherscan.io/v2-migration"
)

Action = Callable[[History, Parameters, int], Any]

_ACTIONS: Final[dict[str, dict[str, Action]]] = {
    "account": {
        "balance": account.balance,
        "balancemulti": account.balancemulti,
        "tokenbalance": account.tokenbalance,
        "txlist": account.txlist,
        "txlistinternal": account.txlistinternal,
        "tokentx": account.tokentx,
        "tokennfttx": account.tokennfttx,
        "getminedblocks": account.getminedblocks,
    },
    "logs": {"getLogs": event.get_logs},
    "contract": {
        "getabi": contract.get_abi,
        "getsourcecode": contract.get_source_code,
        "getcontractcreation": contract.get_contract_creation,
    },
    "transaction": {"getstatus": event.transaction_status, "gettxreceiptstatus": event.receipt_status},
    "block": {
        "getblockreward": event.block_reward,
        "getblockcountdown": event.block_countdown,
        "getblocknobytime": event.block_by_time,
    },
    "stats": {
        "tokensupply": account.tokensupply,
        "ethsupply": lambda history, parameters, head: node.ether_supply(history),
    },
    "gastracker": {"gasoracle": lambda history, parameters, head: node.gas_oracle(history, head)},
}
_PAID: Final = {
    "account": {"balancehistory", "tokenbalancehistory", "addresstokenbalance", "addresstokennftbalance",
                "addresstokennftinventory"},
    "stats": {"tokensupplyhistory", "ethdailyprice", "ethdailymarketcap", "dailytx", "dailynewaddress",
              "dailynetutilization", "dailyavghashrate", "dailytxnfee", "dailyavgnetdifficulty"},
    "block": {"dailyavgblocksize", "dailyblkcount", "dailyblockrewards", "dailyavgblocktime", "dailyuncleblkcount"},
    "gastracker": {"dailyavggaslimit", "dailygasused", "dailyavggasprice"},
    "token": {"tokenholderlist", "tokenholdercount", "topholders", "tokeninfo"},
}  # fmt: skip


class Etherscan:
    """One explorer for several chains, told apart by ``chainid``. ``refused`` are keys it calls invalid."""

    origins = (ORIGIN,)

    def __init__(self, stages: Sequence[Stage], book: MarketBook, refused: Collection[str] = ()) -> None:
        self.histories = {str(stage.chain_id): History(stage) for stage in stages}
        self._book = book
        self._refused = frozenset(refused)

    def answer(self, asked: Asked, now: int) -> Answer:
        """What it says at ``now``. Faults are told with status 200, as this vendor does."""
        parameters = {name.lower(): text for name, text in asked.parameters.items()}
        try:
            return Answer(200, self._content(asked.path, parameters, now))
        except Refusal as refusal:
            return Answer(200, refusal.content)

    def busy(self, asked: Asked) -> Answer:
        """This vendor has no 429."""
        return Answer(200, Refusal("Max rate limit reached").content)

    def _content(self, path: str, parameters: Parameters, now: int) -> Any:
        if path.rstrip("/") != "/v2/api":
            raise Refusal(_OLD)
        history = self.histories.get(parameters.get("chainid", ""))
        if history is None:
            raise Refusal(_NO_CHAIN)
        if parameters.get("apikey", "") in self._refused and self._refused:
            raise Refusal("Invalid API Key")
        module, action = parameters.get("module", ""), parameters.get("action", "")
        if action in _PAID.get(module, ()):
            raise Refusal(account.PAID)
        head = history.head(now)
        if module == "proxy":
            return node.node_answer(history, action, parameters, head)
        if module not in _ACTIONS:
            raise Refusal("Error! Missing Or invalid Module name")
        if (module, action) == ("stats", "ethprice"):
            return node.ether_price(self._book, now)
        if action not in _ACTIONS[module]:
            raise Refusal("Error! Missing Or invalid Action name")
        return _ACTIONS[module][action](history, parameters, head)
