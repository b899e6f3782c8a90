"""A fleet's file: what it may say, and what comes of it."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path

import pytest

from caia_replay.errors import BadInput
from caia_replay.fleet.matrix import Fleet, read_fleet
from caia_replay.models.request_limit import Allowance

LIVE = '[model."m"]\nbase_url = "http://127.0.0.1:9/v1"\n'


@pytest.fixture
def root(mini: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(mini)
    return mini


def read(root: Path, text: str, suites: str = '["mini-6"]', **environ: str) -> Fleet:
    path = root / "paper.toml"
    path.write_text(f"suites = {suites}\n{text}")
    return read_fleet(path, environ)


def test_an_entry_is_a_replay_of_its_own(root: Path) -> None:
    """Models, agents and suites multiply; an entry's plan has the file's options, its folder a name of its own."""
    fleet = read(root, 'models = ["policy/oracle", "m"]\nagents = ["react", "plan-execute"]\nruns = 2\n' + LIVE)
    assert [entry.out.as_posix() for entry in fleet.entries] == [
        f"runs/paper/{model}-{agent}-mini-6" for model in ("policy-oracle", "m") for agent in ("react", "plan-execute")
    ]
    assert {(entry.plan.runs, entry.plan.arms, entry.plan.size) for entry in fleet.entries} == {
        (2, ("clean", "attacked"), 24)
    }


def test_models_at_one_endpoint_share_it(root: Path) -> None:
    """Each gets its part of what is asked at once, but for one that says how much; minutes are a model's own."""
    own = '[model."{}"]\nbase_url = "http://127.0.0.1:9/v1"\n{}\n'
    tables = own.format("a", "requests_a_minute = 7") + own.format("b", "") + own.format("c", "concurrency = 3")
    fleet = read(root, 'models = ["a", "b", "c", "policy/oracle"]\nconcurrency = 30\n' + tables)
    assert [model.concurrency for model in fleet.models] == [10, 10, 3, None]
    assert fleet.models[0].allowance == Allowance(requests_a_minute=7) and not fleet.models[3].is_live
    fleet = read(root, 'models = ["a", "b", "c"]\n' + tables)
    assert [(model.concurrency, model.share) for model in fleet.models] == [(None, 3), (None, 3), (3, 1)]


def test_each_model_has_its_own_key_and_price(root: Path) -> None:
    """The variable that holds a key is named; the fleet's price goes before the registry's; a ceiling needs one."""
    table = LIVE.replace("127.0.0.1", "m.example") + 'key_variable = "M_KEY"\n'
    priced = table + "price = { prompt = 1, completion = 2.5 }\n"
    fleet = read(root, 'models = ["m"]\nmax_usd = 1.5\n' + priced, M_KEY="secret", OPENAI_API_KEY="other")
    model = fleet.models[0]
    assert (model.environ["OPENAI_API_KEY"], fleet.ceiling) == ("secret", Decimal("1.5"))
    assert model.price is not None and (model.price.prompt, model.price.completion) == ("1", "2.5")
    fleet.require_ready()
    for text, environ, says in (
        (table, {"M_KEY": "secret"}, "no price of 'm' is known, so max_usd cannot be kept"),
        (priced, {}, "model 'm' needs M_KEY in the environment; next: export M_KEY"),
        (priced.replace("m.example", "127.0.0.1"), {}, "model 'm' needs M_KEY in the environment; next: export M_KEY"),
    ):
        with pytest.raises(BadInput, match=says):
            read(root, 'models = ["m"]\nmax_usd = 1\n' + text, **environ).require_ready()


@pytest.mark.parametrize(
    ("text", "says"),
    [
        pytest.param('modells = ["m"]', "unknown field 'modells'; nearest: models", id="field"),
        pytest.param("", "field 'models' is missing", id="none"),
        pytest.param("models = []", "models names nothing", id="empty"),
        pytest.param('models = ["policy/oracle", "policy/oracle"]', "models names one twice", id="twice"),
        pytest.param('models = ["policy/oracel"]', "nearest: policy/oracle", id="policy"),
        pytest.param('models = ["gpt-6"]', "models: no model 'gpt-6'", id="model"),
        pytest.param(
            'models = ["policy/oracle"]\nagents = ["reacts"]',
            "agents: no agent 'reacts'; nearest: react; next: agents = ",
            id="agent",
        ),
        pytest.param(
            'models = ["policy/oracle"]\narms = ["claen"]',
            "arms: no 'claen'; nearest: clean; next: arms may be ",
            id="arm",
        ),
        pytest.param(
            'models = ["policy/oracle"]\ntasks = ["mini6-suply"]',
            "nearest: mini6-supply; next: caia-replay task list --suite mini-6",
            id="task",
        ),
        pytest.param('models = ["policy/oracle"]\nruns = "5"', "'runs' is the text '5', not a whole number", id="kind"),
        pytest.param('models = ["policy/oracle"]\nmax_usd = -1', "max_usd is -1; a number above zero", id="ceiling"),
        pytest.param('models = ["policy/oracle"]\nmax_usd = true', "max_usd is True", id="truth"),
        pytest.param('models = ["policy/oracle"]\nconcurrency = 0', "concurrency is 0", id="zero"),
        pytest.param('models = ["policy/oracle"]\nruns = 0', "runs is 0; at least one", id="runs"),
        pytest.param('models = ["policy/oracle"]\nmax_turns = 0', "max_turns is 0; at least one", id="turns"),
        pytest.param('models = ["policy/oracle"]\ncampaign = "seo"', "campaign: no campaign", id="campaign"),
        pytest.param(
            'models = ["policy/oracle"]\ndose = "itms=3"', "dose: a dose has no 'itms'; nearest: items", id="dose"
        ),
        pytest.param(
            'models = ["policy/oracle"]\ndefence = "sandwitch"', "defence: no defence 'sandwitch'", id="defence"
        ),
        pytest.param('models = ["m"]\n' + LIVE.replace(":9/", ":0/"), 'base_url under [model."m"]: ', id="port"),
        pytest.param('models = ["m"]\n' + LIVE + "tokens_a_minute = 0", "model.m.tokens_a_minute is 0", id="minute"),
        pytest.param('models = ["m"]\n[model.mm]\nconcurrency = 1', "of no model in models; nearest: m", id="table"),
        pytest.param('models = ["m"]\n' + LIVE + "prize = 1", "'model.m.prize'; nearest: price", id="prize"),
        pytest.param('models = ["m"]\n' + LIVE + 'price = { prompt = "1", completion = "a" }', "no number", id="price"),
        pytest.param(
            'models = ["policy/oracle"]\n[model."policy/oracle"]\nconcurrency = 1', "nobody is", id="policies"
        ),
        pytest.param('models = ["m"]\n[model.m]\nbase_url = "ftp://m.example"', "no http or https", id="address"),
        pytest.param("models = [", "not a TOML file", id="toml"),
    ],
)
def test_what_is_wrong_in_a_file_is_one_line(root: Path, text: str, says: str) -> None:
    """With the file, the field as it stands there, the nearest name there is and what is next."""
    with pytest.raises(BadInput) as caught:
        read(root, text)
    told = str(caught.value)
    assert says in told and "\n" not in told and told.startswith(str(root / "paper.toml")) and "; next: " in told
    assert not any(word in told for word in ("--runs", "--max", "--agent", "--dose", "--defence", "MODEL", "OPENAI_"))


def test_an_unknown_suite_names_the_file(root: Path) -> None:
    """And its field, as any other."""
    with pytest.raises(BadInput, match=r"paper\.toml: suites: no suite 'mini-7'; nearest: mini-6; next: "):
        read(root, 'models = ["policy/oracle"]\n', suites='["mini-7"]')
