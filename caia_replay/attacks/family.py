"""Every attack family by its name."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from caia_replay.attacks.seo_page import SeoPage
from caia_replay.core.attack import Attack

FAMILIES: Final[Mapping[str, Attack]] = MappingProxyType({family.name: family for family in (SeoPage(),)})
