"""One script of transactions on two forks at once, each with random delays of its own between the steps.

``python tests/soak/scripted.py SNAPSHOT SEED STEPS DELAY_S`` prints both transcripts, one a line, as JSON lists:
receipts, pending blocks and block hashes in the order of the script. SEED is the script's; the delays have none.
"""

from __future__ import annotations

import json
import random
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from caia_replay.chain.fork_pool import Fork, ForkPool
from caia_replay.chain.snapshot import Snapshot

MARE = "0x2931acaffd9415d5bb5f60a58b7f3b0d54211dc0"
HOLDERS = ("0x8ec2894193029aac8406d421066b29b13177754f", "0x80573ae79f7b7ad661f7a7a905d081f6cdbd9a4c")
BLOCK = 60


def transaction(rng: random.Random) -> dict[str, Any]:
    """Ether or tokens between two holders, or more tokens than there are, which is mined as a revert."""
    sender, other = rng.sample(HOLDERS, 2)
    tokens = "0xa9059cbb" + other[2:].zfill(64) + f"{rng.choice([1, 10**18, 10**40]):064x}"
    ether = hex(rng.randrange(10**9))
    what: dict[str, Any] = rng.choice([{"to": other, "value": ether}, {"to": MARE, "data": tokens}])
    return {"from": sender, "gas": "0x186a0", "gasPrice": hex(10**10), **what}


def script(fork: Fork, seed: int, steps: int, delay_s: float) -> list[Any]:
    """What every step gave. Up to three transactions wait for one block; some blocks have none."""
    rng, ask, told = random.Random(seed), fork.operate, []
    for holder in HOLDERS:
        ask("anvil_impersonateAccount", [holder])
    for _ in range(steps):
        sent = []
        for _ in range(rng.randrange(4)):
            time.sleep(random.uniform(0, delay_s))
            sent.append(ask("eth_sendTransaction", [transaction(rng)]))
        time.sleep(random.uniform(0, delay_s))
        told.append(ask("eth_getBlockByNumber", ["pending", True]))
        time.sleep(random.uniform(0, delay_s))
        ask("evm_mine")
        told.append(ask("eth_getBlockByNumber", ["latest", True]))
        told += [ask("eth_getTransactionReceipt", [item]) for item in sent]
    return told


def main(folder: Path, seed: int, steps: int, delay_s: float) -> None:
    """Both forks, each in a pool of its own, as two runs would have them."""
    snapshot = Snapshot.open(folder)

    def run(at: int) -> list[Any]:
        time.sleep(1.1 * at)  # so that no two forks have one second of the clock in common
        with ForkPool({"mini": snapshot}) as pool, pool.lease("mini", BLOCK, writes=True) as fork:
            return script(fork, seed, steps, delay_s)

    with ThreadPoolExecutor(2) as threads:
        for told in threads.map(run, range(2)):
            print(json.dumps(told))


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]), float(sys.argv[4]))
