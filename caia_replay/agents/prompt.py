"""Prompt files: rendered strictly, known by the digest of their bytes."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from string import Template

from caia_replay.canonical import digest, digest_bytes
from caia_replay.errors import BadInput

FOLDER = Path(__file__).parent / "prompts"


@dataclass(frozen=True, slots=True)
class Prompt:
    """One prompt file. Its placeholders are ``$name``; a literal dollar sign is ``$$``."""

    name: str
    text: str
    digest: str

    def render(self, **values: str) -> str:
        """The text with every placeholder replaced.

        Raises ``BadInput`` when a placeholder has no value or a value no placeholder: a prompt that lost
        a variable would silently tell the model less.
        """
        template = Template(self.text)
        wanted = set(template.get_identifiers())
        if not template.is_valid() or wanted != values.keys():
            raise BadInput(f"placeholders {sorted(wanted)} do not fit values {sorted(values)}", where=self.name)
        return template.substitute(values)


def load_prompt(name: str, folder: Path = FOLDER) -> Prompt:
    """The prompt file ``name``, its last newline dropped. Raises ``BadInput`` when it is missing or not UTF-8."""
    try:
        data = (folder / name).read_bytes()
        return Prompt(name, data.decode("utf-8").rstrip("\n"), digest_bytes(data))
    except (OSError, UnicodeDecodeError) as fault:
        raise BadInput(f"prompt does not read: {fault}", where=name) from fault


def prompt_digest(*prompts: Prompt) -> str:
    """One digest over the bytes of several prompt files, whatever their order."""
    return digest({prompt.name: prompt.digest for prompt in prompts})
