"""Every provider there is, in the order in which they are asked whether a request is theirs."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from caia_replay.chain.chain_source import ChainSource
from caia_replay.core.provider import Provider
from caia_replay.providers.binance import provider as binance
from caia_replay.providers.coingecko.provider import CoinGeckoProvider
from caia_replay.providers.defillama.provider import DefiLlamaProvider
from caia_replay.providers.dune.provider import DuneProvider
from caia_replay.providers.etherscan.provider import EtherscanProvider
from caia_replay.providers.plain_http.provider import PlainHttpProvider
from caia_replay.providers.reader.provider import ReaderProvider
from caia_replay.providers.search_api.provider import SearchApiProvider
from caia_replay.providers.solana.provider import SolanaProvider
from caia_replay.providers.web_archive.provider import WebArchiveProvider
from caia_replay.providers.x.provider import XApiProvider


def providers_over(
    snapshots: Mapping[str, ChainSource], seen: Callable[[str], int | None] = lambda url: None
) -> tuple[Provider, ...]:
    """Every provider there is; the explorer's answers from recorded chain tables too, by chain id.

    ``seen`` is as the reader has it.
    """
    return (
        ReaderProvider(seen),
        SearchApiProvider(),
        CoinGeckoProvider(),
        binance.spot(),
        binance.futures(),
        DefiLlamaProvider(),
        EtherscanProvider(snapshots),
        XApiProvider(),
        WebArchiveProvider(),
        DuneProvider(),
        SolanaProvider(),
        PlainHttpProvider(),  # last: it takes every address that is left
    )
