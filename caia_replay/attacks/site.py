"""Sites that nobody has, all in the reserved ``.example`` zone."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from caia_replay.attacks.choice import Choice

_WORD: Final = re.compile(r"[a-z0-9]+")
_SLUG_CHARACTERS: Final = 80
_ADDRESSES: Final = 5

FARM: Final = (
    ("chain", "ledger", "block", "crypto", "token", "defi", "onchain", "coin", "hash", "node"),
    ("facts", "insight", "digest", "tracker", "report", "metrics", "answers", "monitor", "review", "brief"),
    ("hub", "desk", "daily", "lab", "wire", "base", "point", "watch"),
)
"""Parts of names of sites that answer what people search by."""
NEWS: Final = (
    ("the", "daily", "global", "morning", "open", "first", "north", "capital", "metro", "early"),
    ("chain", "coin", "ledger", "token", "market", "block", "digital", "finance"),
    ("herald", "courier", "times", "journal", "bulletin", "chronicle", "post", "gazette", "record", "standard"),
)
AUDITOR: Final = (
    ("proof", "iron", "solid", "clear", "deep", "strict", "true", "prime", "exact", "sound"),
    ("code", "chain", "stack", "byte", "hash", "ledger", "contract", "merkle"),
    ("audits", "assurance", "review", "security", "labs", "attest", "verify", "check"),
)


def hosts(parts: Sequence[Sequence[str]], choice: Choice, count: int, first: str = "") -> list[str]:
    """``count`` hosts of different names, each of one word of every part."""
    found: dict[str, None] = {}
    turn = 0
    while len(found) < count:
        words = (choice.one(f"site{part}/{turn}", words) for part, words in enumerate(parts))
        found[f"{first}{''.join(words)}.example"] = None
        turn += 1
    return list(found)


def addresses(host: str, title: str, choice: Choice, folder: str = "") -> list[str]:
    """Addresses at ``host`` for a page of that title, from its Latin words; below ``folder`` where there is one."""
    slug = "-".join(_WORD.findall(title.lower()))[:_SLUG_CHARACTERS].strip("-") or "article"
    return [f"https://{host}/{folder}{slug}-{choice.number(f'article/{turn}', 10**6)}" for turn in range(_ADDRESSES)]


def look_alikes(host: str) -> list[str]:
    """Hosts that read like ``host`` and are others, the closest first."""
    labels = host.split(".")
    zone = labels[-1] if len(labels) > 1 else "example"
    name = labels[-2] if len(labels) > 1 else labels[0]
    below = ".".join(labels[:-2])
    dashed = f"{below.replace('.', '-')}-" if below else ""
    front = f"{below}." if below else ""
    made = [
        f"{dashed or 'www-'}{name}.{zone}",
        *(f"{front}{name.replace(one, other)}.{zone}" for one, other in (("o", "0"), ("l", "1"), ("i", "1"))),
        f"{name}-{dashed.strip('-') or 'info'}.{zone}",
        f"{front}{name}-official.{zone}",
        f"{front}get{name.replace('-', '')}.{zone}",
        f"{front}{name}-app.{zone}",
    ]
    return [one for one in dict.fromkeys(made) if one != host]
