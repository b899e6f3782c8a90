"""What must not go on in a question: secrets, personal data, and the canaries of tasks that exist.

Found are keys that look drawn at random (``recording/secret_scanner.py``), e-mail addresses, telephone numbers in the
international form, bank accounts (IBAN, by their check digits) and payment cards (by theirs). Names of people are not:
a scanner cannot tell them from names of projects.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import partial
from typing import Final

from caia_replay.intake.question import Question
from caia_replay.recording.secret_scanner import key_like

_MAIL: Final = re.compile(r"[\w.+-]{1,64}@(?:[a-z0-9-]{1,63}\.){1,8}[a-z]{2,24}\b", re.IGNORECASE)
_PHONE: Final = re.compile(r"(?<![\w+])\+\d[\d ()./-]{6,20}\d(?!\w)")
_IBAN: Final = re.compile(r"\b[A-Z]{2}\d{2}(?: ?[A-Z0-9]{4}){2,7}(?: ?[A-Z0-9]{1,4})?\b")
_CARD: Final = re.compile(r"(?<![\w.])\d{4}[ -]\d{4}[ -]\d{4}[ -]\d{4}(?!\w)")
_IS_MAIL: Final = "an e-mail address"
CANARY: Final = re.compile(r"CAIA-REPLAY-CANARY-[0-9a-f]+")


def secrets_in(question: Question) -> Iterator[str]:
    """What looks like a key in any field, shortened so that a report does not spread it."""
    for text in _texts(question):
        yield from (f"{found[:4]}... ({len(found)} characters)" for found in key_like(text))


def personal_in(question: Question) -> Iterator[str]:
    """What kind of personal data stands in any field."""
    text = "\n".join(_texts(question))
    if _MAIL.search(text):
        yield _IS_MAIL
    for pattern, is_one, kind in _NUMBERS:
        if any(is_one(found[0]) for found in pattern.finditer(text)):
            yield kind


def masked(text: str) -> str:
    """A text as a list may show it: in the place of each secret and each piece of personal data its kind."""
    for key in sorted(set(key_like(text)), key=len, reverse=True):
        text = text.replace(key, "[a key]")
    text = _MAIL.sub(f"[{_IS_MAIL}]", text)
    for pattern, is_one, kind in _NUMBERS:
        text = pattern.sub(partial(_mask, is_one, kind), text)
    return text


def _mask(is_one: Callable[[str], bool], kind: str, found: re.Match[str]) -> str:
    return f"[{kind}]" if is_one(found[0]) else found[0]


def canaries_in(question: Question) -> list[str]:
    """The canaries of tasks that stand in any field."""
    return [found for text in _texts(question) for found in CANARY.findall(text)]


def _texts(question: Question) -> tuple[str, ...]:
    # An author's name is there because the author chose it.
    return (question.question, question.answer, question.category, question.source, *question.more.values())


def _is_phone(text: str) -> bool:
    return 8 <= sum(letter.isdigit() for letter in text) <= 15


def _is_iban(text: str) -> bool:
    flat = text.replace(" ", "")
    if not 15 <= len(flat) <= 34:
        return False
    return int("".join(str(int(letter, 36)) for letter in flat[4:] + flat[:4])) % 97 == 1


def _is_card(text: str) -> bool:
    digits = [int(letter) for letter in text if letter.isdigit()]
    doubled = [sum(divmod(2 * digit, 10)) for digit in digits[-2::-2]]
    return (sum(doubled) + sum(digits[-1::-2])) % 10 == 0


_NUMBERS: Final = (
    (_PHONE, _is_phone, "a telephone number"),
    (_IBAN, _is_iban, "a bank account"),
    (_CARD, _is_card, "a payment card"),
)
"""How each kind of number is found, held against its check digits, and called."""
