"""Whose transactions are whose: what no table of a chain is sorted by, read once and kept as Arrow columns."""

from __future__ import annotations

from threading import Lock

import pyarrow as pa
import pyarrow.compute as pc

from caia_replay.chain.chain_source import ChainSource
from caia_replay.chain.claim import spans_words
from caia_replay.chain.column import to_hex
from caia_replay.chain.snapshot import Snapshot
from caia_replay.errors import Miss


class AccountIndex:
    """The parties of every transaction of some chains: about 100 bytes each, read when first asked for."""

    def __init__(self) -> None:
        self._kept: dict[str, tuple[pa.Table, pa.Table]] = {}
        self._lock = Lock()

    def transactions(self, chain: ChainSource, account: bytes, first: int, last: int) -> list[bytes]:
        """The hashes of what an account sent or received, and of what created it, in chain order.

        Raises ``Miss`` unless the chain's tables lack no transaction and no receipt of blocks ``first`` to ``last``.
        """
        wanted = f"all transactions of {to_hex(account)} in blocks {first} to {last}"
        if not isinstance(chain, Snapshot):
            raise Miss("transaction", wanted, f"{chain.name}, which is read one block at a time")
        for table in ("transactions", "receipts"):
            if not chain.claims.covers(table, first, last):
                known = chain.claims.spans(table)
                nearest = f"all {table} of {spans_words(known)}" if known else f"the {table} of no block are complete"
                raise Miss("transaction", wanted, chain.name, nearest)
        mined, created = self._parties(chain)
        one = pa.scalar(account, pa.binary(20))
        births = created.filter(pc.equal(created["contract_address"], one))["transaction_hash"].combine_chunks()
        fits = pc.or_kleene(pc.equal(mined["from_address"], one), pc.equal(mined["to_address"], one))
        fits = pc.or_kleene(pc.fill_null(fits, False), pc.is_in(mined["transaction_hash"], value_set=births))
        number = mined["block_number"]
        inside = pc.and_(pc.greater_equal(number, first), pc.less_equal(number, last))
        found: list[bytes] = mined.filter(pc.and_(fits, inside))["transaction_hash"].to_pylist()
        return found

    def _parties(self, chain: Snapshot) -> tuple[pa.Table, pa.Table]:
        with self._lock:
            if chain.digest not in self._kept:
                names = ("block_number", "transaction_hash", "from_address", "to_address")
                mined = pa.concat_tables(chain.columns("transactions", names))
                receipts = pa.concat_tables(chain.columns("receipts", ("transaction_hash", "contract_address")))
                created = receipts.filter(pc.is_valid(receipts["contract_address"]))
                self._kept[chain.digest] = (mined, created)
            return self._kept[chain.digest]
