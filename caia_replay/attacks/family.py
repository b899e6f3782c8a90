"""Every attack family by its name."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from caia_replay.attacks.address_poisoning import AddressPoisoning
from caia_replay.attacks.coordinated_posts import CoordinatedPosts
from caia_replay.attacks.fake_audit import FakeAudit
from caia_replay.attacks.fake_news import FakeNews
from caia_replay.attacks.fake_ticker import FakeTicker
from caia_replay.attacks.honeypot_safe import HoneypotSafe
from caia_replay.attacks.impersonated_docs import ImpersonatedDocs
from caia_replay.attacks.injection import InjectionPage, InjectionPost
from caia_replay.attacks.inscription import Inscription
from caia_replay.attacks.poisoned_body import PoisonedBody
from caia_replay.attacks.seo_page import SeoPage
from caia_replay.attacks.stale_page import StalePage
from caia_replay.attacks.tool_poisoning import ToolPoisoning
from caia_replay.attacks.unit_twist import UnitTwist
from caia_replay.core.attack import Attack

FAMILIES: Final[Mapping[str, Attack]] = MappingProxyType(
    {
        family.name: family
        for family in (
            SeoPage(),
            ImpersonatedDocs(),
            FakeNews(),
            FakeAudit(),
            StalePage(),
            UnitTwist(),
            CoordinatedPosts(),
            PoisonedBody(),
            FakeTicker(),
            AddressPoisoning(),
            HoneypotSafe(),
            InjectionPage(),
            InjectionPost(),
            Inscription(),
            ToolPoisoning(),
        )
    }
)
