"""Any server that speaks OpenAI chat completions, through the openai client itself.

The client is imported when the first session opens (it costs the better part of a second) and shared by all
sessions of a model. ``client.post`` is used instead of ``completions.create``: the same client, without re-validating
23 tool schemas on every call.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cached_property
from threading import Lock
from typing import TYPE_CHECKING, Any

from caia_replay.core.model import PolicyHints, Price, RunKey
from caia_replay.models.address import credentials_of
from caia_replay.models.chat_session import ChatSession
from caia_replay.models.key_hiding import Hiding
from caia_replay.models.parameter import Quirks, optional_fields
from caia_replay.models.request_limit import Allowance, RequestLimit
from caia_replay.models.retry import Patience

if TYPE_CHECKING:
    import httpx2
    from openai import OpenAI

OPENAI_BASE_URL = "https://api.openai.com/v1"
SHORTEST_SECRET = 12
"""Characters, of a key or user. Shorter ones ("none", "EMPTY") are what local servers are given: ordinary words."""
TIMEOUT_S = 600.0
MOST_RETRIES = 6
MOST_REDIRECTS = 5


class OpenAICompatibleModel:
    """A live model.

    ``api_name`` is what its server calls it, ``name`` otherwise; ``key_variable`` is where the user keeps its key.
    ``temperature`` is 0 and ``seed`` goes up with the attempt, so that five attempts are five samples; ``quirks``
    say what else is sent. An optional parameter that its server refuses is left out from then on, or exchanged;
    ``refused_parameters`` says which. ``timeout_s`` bounds each try as a whole, ``max_retries`` and ``patience`` the
    tries of a completion: after lost connections, 408, 409, 429, 5xx, and once after silence.

    ``allowance`` is what may be asked a minute, and what that is paid from.

    ``transport`` replaces the network (an ``httpx2.BaseTransport``) and the bounds of time and size with it. With
    ``keyed`` every request names its run and turn (``session_header``): for transports on this machine.
    """

    is_policy = False
    needs_gold = False
    at_once: int | None = None
    """Requests that it is sent at once where nobody says; None for as many as its endpoint bears."""

    def __init__(
        self,
        name: str,
        base_url: str,
        api_key: str,
        *,
        api_name: str | None = None,
        key_variable: str = "OPENAI_API_KEY",
        price: Price | None = None,
        quirks: Quirks | None = None,
        transport: httpx2.BaseTransport | None = None,
        keyed: bool = False,
        timeout_s: float = TIMEOUT_S,
        max_retries: int = MOST_RETRIES,
        patience: Patience | None = None,
        seed: int = 0,
        allowance: Allowance | None = None,
    ) -> None:
        self.name = name
        self.api_name = api_name or name
        self.key_variable = key_variable
        self.price = price
        self.quirks = quirks or Quirks()
        self.keyed = keyed
        self.max_retries = max_retries
        self.patience = patience or Patience()
        self.seed = seed
        self.refused_parameters: frozenset[str] = frozenset()
        self.allowance = allowance or Allowance()
        self.limit = RequestLimit(allowance=allowance)
        self.base_url = base_url
        self._api_key = api_key
        self._transport = transport
        self._on_network = transport is None
        self._timeout_s = timeout_s
        self._client: OpenAI | None = None
        self._lock = Lock()

    @property
    def identity(self) -> Mapping[str, Any]:
        """Its name, and what its requests ask for, whatever a server refuses of it; of the seed, which goes up with
        the attempt, whether it is sent. Where the endpoint is says nothing of the model, and may be private."""
        fields = optional_fields(self.quirks, 0, frozenset())
        told = {"model": self.api_name, "strict": self.quirks.strict_tools, "system_role": self.quirks.system_role}
        return {"name": self.name, "parameters": {**fields, **told, "seed": "seed" in fields}}

    def session(self, key: RunKey, brief: PolicyHints) -> ChatSession:
        """A run's conversation; a live model is told nothing of the brief."""
        return self.open_session(key, {})

    def open_session(
        self, key: RunKey, headers: Mapping[str, str], closed: Callable[[], None] = lambda: None
    ) -> ChatSession:
        """A conversation whose requests all carry ``headers``; ``closed`` is called when it is over."""
        return ChatSession(self, key, headers, closed)

    def client(self) -> OpenAI:
        """The one client of this model, built on first use; safe to share between threads."""
        with self._lock:
            if self._client is None:
                import httpx2
                from openai import OpenAI

                http_client = httpx2.Client(
                    transport=self.transport(),
                    trust_env=False,  # a proxy from the environment must never sit in front of a given transport
                    follow_redirects=True,
                    max_redirects=MOST_REDIRECTS,
                )
                self._client = OpenAI(
                    api_key=self._api_key,
                    base_url=self.base_url,
                    timeout=self._timeout_s,
                    max_retries=0,  # the session retries, and knows when to stop
                    http_client=http_client,
                )
            return self._client

    def transport(self) -> httpx2.BaseTransport:
        """The way to the endpoint: the given one, or a new one over the network."""
        if self._transport is not None:
            return self._transport
        from caia_replay.models.network import NetworkTransport, proxy_for

        return NetworkTransport(timeout_s=self._timeout_s, proxy=proxy_for(self.base_url))

    def reroute(self, transport: httpx2.BaseTransport) -> None:
        """Ask through ``transport`` from now on, which is told run and turn; before the first session."""
        self._transport = transport
        self.keyed = True

    def hide_key(self, text: str) -> str:
        """``text`` without what some servers repeat of what they are sent: what they say is kept in run folders.

        That is the key, and users and passwords in the addresses of the endpoint and of the environment's proxies.
        """
        return self._hiding(text)

    @cached_property
    def _hiding(self) -> Hiding:
        addresses = [self.base_url]
        if self._on_network:  # what a tape plays must not depend on the proxies of the machine that plays it
            from caia_replay.models.network import proxies

            addresses += proxies().values()
        pairs = list(map(credentials_of, addresses))
        names = [name for name in (self._api_key, *(user for user, _ in pairs)) if len(name) >= SHORTEST_SECRET]
        words = [word for user, password in pairs if password for word in (password, f"{user}:{password}")]
        return Hiding(names + words)

    def refuse(self, parameter: str) -> None:
        """Remember that the server will not have this parameter."""
        with self._lock:
            self.refused_parameters |= {parameter}

    def close(self) -> None:
        """Close the client's connections and end all sessions; a later one opens new ones."""
        self.limit.stop()
        self.limit = RequestLimit(allowance=self.allowance)
        with self._lock:
            client, self._client = self._client, None
        if client is not None:
            client.close()
