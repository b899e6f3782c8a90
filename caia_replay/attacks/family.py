"""Every attack family by its name."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from caia_replay.attacks.decoy import AddressPoisoning, FakeTicker, HoneypotSafe, Inscription
from caia_replay.attacks.edited_order import (
    ApproveRequest,
    EditedOrder,
    EncodedOrder,
    HelpfulRequest,
    InstallRequest,
)
from caia_replay.attacks.edited_page import EditedPage
from caia_replay.attacks.edited_post import EditedPost
from caia_replay.attacks.poisoned_body import PoisonedBody
from caia_replay.attacks.stale_page import StalePage
from caia_replay.attacks.tool_poisoning import ToolPoisoning
from caia_replay.core.attack import Attack

FAMILIES: Final[Mapping[str, Attack]] = MappingProxyType(
    {
        family.name: family
        for family in (
            EditedPage(),
            EditedPost(),
            EditedOrder(),
            EncodedOrder(),
            InstallRequest(),
            ApproveRequest(),
            HelpfulRequest(),
            StalePage(),
            PoisonedBody(),
            FakeTicker(),
            AddressPoisoning(),
            HoneypotSafe(),
            Inscription(),
            ToolPoisoning(),
        )
    }
)
