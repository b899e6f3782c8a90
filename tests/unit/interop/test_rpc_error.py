"""A node's refusal, as clients of a node know it; in a process that never imports web3."""

from __future__ import annotations

import subprocess
import sys

from hypothesis import given
from hypothesis import strategies as st

from caia_replay.errors import ForkFault, ToolError
from caia_replay.interop.rpc_error import REFUSED, REVERTED, rpc_error


@given(st.text(max_size=40), st.binary(min_size=1, max_size=80))
def test_a_reverts_data_leaves_the_words_and_nothing_else_does(words: str, returned: bytes) -> None:
    """Data at the very end is told apart, with the code of a revert; other words stay whole, with the other code."""
    data = "0x" + returned.hex()
    assert rpc_error(ToolError(f"{words} (data {data})")) == {"code": REVERTED, "message": words, "data": data}
    for whole in (f"{words} (data {data}).", f"{words} (data 0x)", f"{words} data {data}."):
        assert rpc_error(ToolError(whole)) == {"code": REFUSED, "message": str(ToolError(whole))}


def test_a_fault_of_the_fork_is_a_refusal() -> None:
    """What the node itself could not do has the general code and its words."""
    assert rpc_error(ForkFault("gone")) == {"code": -32000, "message": str(ForkFault("gone"))}


def test_it_is_had_without_web3() -> None:
    """The gateway serves clients without having web3 loaded."""
    source = "import sys, caia_replay.interop.rpc_error; sys.exit('web3' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", source], check=False).returncode == 0
