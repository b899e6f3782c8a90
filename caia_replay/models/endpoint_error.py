"""An endpoint's error, read: vendors say the same few things in many shapes and words."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any, Literal

from caia_replay.errors import CaiaReplayError, one_line

Verdict = Literal["key", "credit", "model", "filter", "context_overflow", "rate_limit", "server"]
"""key: it is not accepted; credit: the account has none left; model: no such model, or path; filter: the provider
will not answer this; context_overflow: the conversation is too long; rate_limit: too many requests; server: any
other."""

_LONGEST = 20_000
"""Characters of an error's text that are looked through."""
# In the vendors' own words: OpenAI, vLLM, DeepSeek and OpenRouter; Anthropic; Gemini; xAI; Together and TGI;
# Mistral; llama.cpp; SGLang; Moonshot; DashScope; Bedrock; Zhipu; Groq.
_OVERFLOW = re.compile(
    r"context_length_exceeded|exceed_context_size|context_window_exceeded|request_too_large"
    r"|maximum context length|maximum model length|exceeds? the context window|context length exceeded"
    r"|prompt is too long|exceed(?:s|ed)? (?:the )?context (?:limit|length|size|window)|longer than the model's context"
    r"|input token count.{0,60}exceeds|exceeds the maximum number of (?:input )?tokens"
    r"|maximum prompt length|`?inputs`? (?:tokens \+|must have less than)|max_new_tokens`? must be <="
    r"|too large for model|exceeds the (?:available|model's|maximum) (?:maximum )?context|(?:input|prompt) is too long"
    r"|exceeded model token limit|range of input length|prompt exceeds max length|too many tokens"
    r"|reduce (?:the|your) (?:length|size) of (?:the |your )?(?:messages?|prompt|input|conversation)"
    r"|reduce your (?:prompt|message size)"
)
_FILTER = re.compile(
    r"content_filter|content_policy_violation|content management policy|content exists risk|data_inspection_failed"
    r"|content violates usage guidelines|flagged (?:as|by|for)|moderation|prohibited_content"
)
_KEY = re.compile(r"api key not valid|incorrect api key|invalid api key|invalid_api_key|api_key_invalid")
_CREDIT = re.compile(r"insufficient_quota|insufficient balance|insufficient credits|credit balance is too low")
_MODEL = re.compile(r"model_not_found|model not exist|invalid model\b|unknown model\b|model .{0,80}does not exist")
_RATE = re.compile(r"rate_limit|rate limit|too many requests|resource_exhausted")
_WRONG = re.compile(r"invalid_request|invalid_argument|bad request")


class EndpointError(CaiaReplayError):
    """What an endpoint said instead of a completion.

    ``status`` is HTTP's; an error that came with status 200 has the one it names, or else what it amounts to.
    ``param`` is the parameter it blames, empty for none; ``words`` are its code, type and message in lower case, and
    ``message`` is the message alone, as it came. ``retry_after_s`` is the wait it asked for.
    """

    def __init__(self, status: int, body: bytes | Any, retry_after_s: float | None = None) -> None:
        found = _parsed(body) if isinstance(body, bytes) else body
        error = _error_of(found)
        message = error.get("message", error.get("detail", error.get("error")))
        self.param = error["param"] if isinstance(error.get("param"), str) else _blamed(error)
        labels = [str(error.get(name)) for name in ("code", "type", "status") if error.get(name) is not None]
        text = message if isinstance(message, str) else json.dumps(message) if message else ""
        text = text or (body.decode("utf-8", "replace") if isinstance(body, bytes) else json.dumps(body))
        self.words = " ".join([*labels, text])[:_LONGEST].lower()
        self.status = status if status != 200 else self._meant(error)
        self.retry_after_s = retry_after_s
        self.message = text if text.strip() else "it said nothing"
        super().__init__(one_line(self.message))

    def _meant(self, error: Mapping[str, Any]) -> int:
        code = error.get("code")
        code = int(code) if isinstance(code, str) and code.isdecimal() and len(code) == 3 else code
        if isinstance(code, int) and 400 <= code <= 599:
            return code
        if _RATE.search(self.words):
            return 429
        return 400 if _WRONG.search(self.words) or _OVERFLOW.search(self.words) else 500

    @property
    def verdict(self) -> Verdict:
        """What it comes down to."""
        if self.status in (400, 403, 422) and _FILTER.search(self.words):
            return "filter"
        if self.status in (401, 403) or (self.status == 400 and _KEY.search(self.words)):
            return "key"
        if self.status in (402, 429) and (self.status == 402 or _CREDIT.search(self.words)):
            return "credit"
        if self.status == 404 or (self.status == 400 and _MODEL.search(self.words)):
            return "model"
        if self.status == 413 or (self.status in (400, 422, 500) and _OVERFLOW.search(self.words)):
            return "context_overflow"
        return "rate_limit" if self.status == 429 else "server"

    @property
    def passes(self) -> bool:
        """Whether asking again may help."""
        lasting = self.verdict not in ("server", "rate_limit")
        return not lasting and (self.status in (408, 409, 429) or self.status >= 500)


def _parsed(body: bytes) -> Any:
    try:
        return json.loads(body)
    except (ValueError, RecursionError):
        return None


def _error_of(found: Any) -> Mapping[str, Any]:
    """The innermost object that describes the error; one vendor wraps it in a list."""
    if isinstance(found, list) and found:
        found = found[0]
    if not isinstance(found, Mapping):
        return {"message": found} if isinstance(found, str) else {}
    inner = found.get("error")
    return inner if isinstance(inner, Mapping) else found


def _blamed(error: Mapping[str, Any]) -> str:
    """The field a validator's list of details blames first: ``{"detail": [{"loc": ["body", "seed"], ...}]}``."""
    details = error.get("detail", error.get("details", error.get("message")))
    details = details.get("detail") if isinstance(details, Mapping) else details
    first = details[0] if isinstance(details, list) and details else None
    place = first.get("loc") if isinstance(first, Mapping) else None
    return ".".join(map(str, place)) if isinstance(place, list) else ""
