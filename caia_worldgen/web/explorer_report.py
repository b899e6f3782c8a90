"""Which addresses of a told story were reported for what, and since when."""

from __future__ import annotations

from typing import Final

from caia_worldgen.scene import Scene

POISONING: Final = "address poisoning"


def reports_of(scene: Scene) -> dict[str, tuple[int, str]]:
    """Addresses of the main chain with the block in which a deed first gave reason to report them, and the reason."""
    found: dict[str, tuple[int, str]] = {}
    tokens = {role: made.address for role, made in scene.main.contracts.items()}
    for deed in scene.main.deeds:
        figures = dict(deed.figures)
        if deed.verb in ("faked a transfer", "sent nothing"):
            found.setdefault(str(figures["looks_like"]).lower(), (deed.block, POISONING))
        elif deed.verb == "drained":
            found.setdefault(tokens.get("drainer", deed.actor), (deed.block, "draining wallets by approval"))
        elif deed.verb == "copied":
            what = f"an imitation of {scene.projects[deed.subject].ticker}"
            found.setdefault(str(figures["token"]).lower(), (deed.block, what))
        elif deed.verb == "could not sell" and deed.subject == "honeypot":
            found.setdefault(tokens["honeypot token"], (deed.block, "a token that cannot be sold"))
        elif deed.verb in ("rug pulled", "pulled liquidity"):
            role = deed.subject.partition("/")[0]
            found.setdefault(tokens.get(f"{role} token", deed.actor), (deed.block, "liquidity pulled by its maker"))
    return found
