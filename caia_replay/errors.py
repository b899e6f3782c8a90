"""Every error this package raises on purpose.

CaiaReplayError
|-- BadInput            the user's input or files are wrong: one line, exit code 2
|   |-- SealBroken      a sealed file was changed, removed or added
|   `-- MissingKey      a live model needs an environment variable that is not set
|-- CheckFailed         a check ran and said no: exit code 1
|-- Interrupted         stopped by the user, resumable: exit code 3
|-- Miss                the world holds no answer to this question (a typed, counted outcome)
|-- ToolError           the call itself is wrong; the model is told and may try again
|-- MachineFault        this machine failed: ends the run, which nobody can certify; exit code 3
|   |-- ForkFault       Anvil or the SQL engine died, did not start, or broke its protocol
|   `-- WallLimit       a tool took longer than a call may
|-- ModelFault          the model's endpoint failed; ends the run with a named stop reason
|-- EgressRefused       something asked for another machine during a replay; ends the run
`-- GoldFault           a gold step or reference does not resolve against what the tools returned
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from difflib import get_close_matches


class CaiaReplayError(Exception):
    """The root: catch this to catch everything raised on purpose."""


class BadInput(CaiaReplayError):
    """Wrong input, told in one line: what was wanted, where, the nearest match, the next command.

    ``str(error)`` is that line and never holds a line break, whatever the input held.
    """

    exit_code = 2

    def __init__(self, what: str, *, where: object = "", nearest: str = "", next_command: str = "") -> None:
        self.what = what
        self.where = str(where)
        self.nearest = nearest
        self.next_command = next_command
        parts = [f"{self.where}: {what}" if self.where else what]
        if nearest:
            parts.append(f"nearest: {nearest}")
        if next_command:
            parts.append(f"next: {next_command}")
        super().__init__(one_line("; ".join(parts)))


class SealBroken(BadInput):
    """A sealed file differs from its seal."""


class MissingKey(BadInput):
    """A live model was asked for and its key is not in the environment."""


class CheckFailed(CaiaReplayError):
    """A check ran to its end and its answer is no."""

    exit_code = 1


class Interrupted(CaiaReplayError):
    """The user stopped the command; finished runs are kept and ``--resume`` goes on."""

    exit_code = 3


@dataclass(frozen=True, slots=True)
class MissDetail:
    """What a miss is about.

    ``kind``: account, storage, code, block, transaction, receipt, logs, trace, proof, state, http or page.
    ``wanted``: the question in canonical words (addresses in lower case, slots as 32 bytes).
    ``where``: the world part that was asked, with the pinned block where there is one.
    ``nearest``: the nearest thing that *is* recorded; for people only, never shown to a model,
    because what a world covers must not betray an answer.
    """

    kind: str
    wanted: str
    where: str
    nearest: str = ""


class Miss(CaiaReplayError):
    """The frozen world does not contain the answer. Never replaced by a default."""

    def __init__(self, kind: str, wanted: str, where: str, nearest: str = "") -> None:
        self.detail = MissDetail(kind, one_line(wanted), one_line(where), one_line(nearest))
        super().__init__(f"{kind} not recorded: {self.detail.wanted} ({self.detail.where})")


class ToolError(CaiaReplayError):
    """The call cannot be served as written; its text goes to the model."""


class MachineFault(CaiaReplayError):
    """This machine failed, and not the model, the agent or the world: another try may succeed.

    It is never told to a model, and no certificate covers what it ended.
    """

    exit_code = 3


MACHINE_FAULTS = (MachineFault, MemoryError, OSError)
"""What ends a run as the machine's fault: too few descriptors, a full disk and the like are ``OSError``."""


class WallLimit(MachineFault):
    """Something ran into a limit of real time, which comes earlier on a slower machine.

    It ends the run and is never told to a model: what a run sees must not depend on a clock.
    """

    def __init__(self, what: str, limit_s: float) -> None:
        self.limit_s = limit_s
        super().__init__(one_line(f"{what} took longer than {limit_s:g} s"))


class ModelFault(CaiaReplayError):
    """The model's endpoint failed for good; ``reason`` is a short stable word for reports.

    connection, timeout, rate_limit, server, malformed: the endpoint's; context_overflow: it says that the
    conversation is longer than the model's context; not_recorded: a recorded model was asked what nobody recorded;
    gone: an external agent left its run.
    """

    def __init__(self, reason: str, message: str) -> None:
        self.reason = reason
        super().__init__(one_line(message))


class EgressRefused(CaiaReplayError):
    """Something asked for ``host``, another machine, during a replay; ``caller`` is its file and line."""

    def __init__(self, act: str, host: str, caller: str) -> None:
        self.host = host
        self.caller = caller
        super().__init__(one_line(f"{act} {host!r:.200} is refused while replaying; asked by {caller}"))


class ForkFault(MachineFault):
    """The forked node died, did not start, or answered outside its protocol."""


class GoldFault(CaiaReplayError):
    """A gold chain's reference, function or argument does not fit the results it was given."""


def one_line(text: str) -> str:
    """``text`` on one line, control characters replaced, cut at 600 characters."""
    flat = " ".join(text.split())
    clean = "".join(c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in flat)
    return clean if len(clean) <= 600 else clean[:597] + "..."


_LONGEST_COMPARED = 200


def nearest(wanted: str, known: Iterable[str]) -> str:
    """The known name most like ``wanted``, or an empty string."""
    # No name is longer, and looking for likeness takes the product of both lengths.
    found = get_close_matches(wanted[:_LONGEST_COMPARED], sorted(known), n=1, cutoff=0.4)
    return found[0] if found else ""
