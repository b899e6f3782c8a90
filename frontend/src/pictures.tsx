// Every picture. Figures and intervals are read from the data; here they are only put in rows.
import { useEffect } from "preact/hooks";
import { Bars, Curve, Dots, POINTS, Scatter, type Row } from "./charts";
import { between, cellName, dollars, percent, points, type Cell, type Difference, type Overview, type Run } from "./data";
import { Figure, type Table, type Value } from "./figure";
import { cellOf, cells, order } from "./overview";
import { go, link, type Route } from "./route";
import { safe } from "./text";

const SOURCES = [["authoritative", "authoritative"], ["open-web", "open-web"], ["social", "social"], ["computed", "own calculation (computed)"]];
const ends = (interval: [number, number] | null | undefined): [Value, Value] => [interval?.[0] ?? null, interval?.[1] ?? null];
const MOST = 6;

type Own = { overview: Overview; shown: { at: number; run: Run; cell: Cell }[]; arm: string };

function Leaderboard({ overview }: Own) {
  const names = cells(overview);
  const sorted = order(overview).map((at) => overview.runs[at]);
  const rows: Row[] = sorted.map((run) => ({
    label: run.label,
    dots: names.map((name) => {
      const told = cellOf(run, name)?.summary;
      const interval = told?.confidence_intervals.pass_at_1;
      return { value: told?.pass_at_1 ?? null, low: interval?.[0], high: interval?.[1] };
    }),
  }));
  const table: Table = {
    head: ["run folder", "arm", "Pass@1", "lower 95 %", "upper 95 %", "scored runs", "tasks", "effective projects"],
    rows: [
      ...sorted.flatMap((run) => run.cells.map((cell) => {
        const told = cell.summary;
        return [run.label, cellName(cell), told.pass_at_1, ...ends(told.confidence_intervals.pass_at_1), told.scored.runs, told.scored.tasks, told.clusters.effective];
      })),
      ...overview.people.map((told) => [`people: ${told.names.length}`, cellName(told), told.pass_at_1, ...ends(told.interval), told.answers, told.tasks, null]),
    ],
  };
  // One line alone, where all rows are of one suite: what people score in the clean arm, or in the first they played.
  const people = overview.books.length > 1 ? undefined : overview.people.find((told) => cellName(told) === "clean") ?? overview.people[0];
  const line = people && people.pass_at_1 !== null ? { value: people.pass_at_1, low: people.interval?.[0], high: people.interval?.[1] } : undefined;
  return (
    <Figure id="leaderboard" title="How right: Pass@1" table={table}
      note={<>
        The mean over tasks of the share of right runs, with its 95 % interval over projects. Arms stand below each other.
        {people && line && <>{" "}The dashed line: {people.names.length === 1 ? "1 person" : `${people.names.length} people`}, {percent(people.pass_at_1)} right in {people.answers} answers ({cellName(people)}); {people.interval ? `the band is their 95 % interval over other tasks, not over other people, ${between(people.interval)}` : "they played too few projects for an interval"}.</>}
      </>}
      draw={(width) => <Dots title="Pass@1" series={names} rows={rows} width={width} band={line} />} />
  );
}

function Passes({ shown, arm }: Own) {
  const figures = [["Pass@1", "pass_at_1"], ["majority", "majority"], ["Pass@k", "pass_at_k"], ["pass^k", "pass_hat_k"]];
  const rows: Row[] = shown.map(({ run, cell }) => ({
    label: run.label,
    dots: figures.map(([, name]) => { const interval = cell.summary.confidence_intervals[name]; return { value: cell.summary[name], low: interval?.[0], high: interval?.[1] }; }),
  }));
  const table: Table = {
    head: ["run folder", "k", ...figures.map(([title]) => title), "whole tasks"],
    rows: shown.map(({ run, cell }) => [run.label, cell.summary.runs, ...figures.map(([, name]) => cell.summary[name]), cell.summary.scored.whole_tasks]),
  };
  return (
    <Figure id="passes" title={`One try, a vote, any, all: ${arm}`} table={table}
      note="Pass@1: a run is right. Majority: more than half of a task's runs agree on the right answer. Pass@k: at least one of the k runs is right. pass^k: all are. k, how often each task was tried, stands in the table: figures of different k cannot be compared."
      draw={(width) => <Dots title="Pass@1, majority, Pass@k, pass^k" series={figures.map(([title]) => title)} rows={rows} width={width} />} />
  );
}

function Money({ overview, arm }: Own) {
  const known = overview.pareto.filter((one) => cellName(one) === arm);
  const table: Table = {
    head: ["run folder", "arm", "Pass@1", "dollars", "dollars a run", "dollars a right run", "estimated", "prompt tokens", "completion tokens", "why unknown"],
    rows: order(overview).flatMap((at) => overview.runs[at].cells.map((cell) => {
      const told = cell.summary;
      const each = told.cost_usd === null ? null : Number(told.cost_usd) / cell.runs;
      return [overview.runs[at].label, cellName(cell), told.pass_at_1, told.cost_usd, each, told.cost_per_score, told.cost_estimated ? "yes" : told.cost_usd === null ? null : "no", told.tokens.prompt, told.tokens.completion, told.cost_reason];
    })),
  };
  const of = (run: number) => overview.runs[run].label;
  return (
    <Figure id="cost" title={`What it costs: ${arm}`} table={table} open={known.length === 0}
      note={known.length ? "Dollars of a run against Pass@1. Nobody is both cheaper and better than those on the dashed line." : "No price is known for any of these models, or a script answered and nobody was paid: there is no picture. The table has the tokens."}
      draw={known.length ? (width) => <Scatter title="Cost against accuracy" width={width} points={known.map((one) => ({ label: of(one.source), x: one.usd, y: one.pass_at_1, best: one.best }))} /> : undefined} />
  );
}

function Tools({ overview, shown, arm }: Own) {
  const names = SOURCES.map(([, title]) => title);
  const parts = (cell: Cell) => SOURCES.map(([name]) => cell.by_source[name] ?? 0);
  const used = [...new Set(shown.flatMap(({ cell }) => Object.keys(cell.summary.tool_share)))].sort();
  const table: Table = {
    head: ["run folder", "calls", ...names, "web_search + twitter_search", ...used],
    rows: shown.map(({ run, cell }) => [run.label, cell.summary.calls, ...parts(cell), cell.summary.caia_web_share, ...used.map((name) => cell.summary.tool_share[name] ?? 0)]),
  };
  return (
    <Figure id="tools" title={`Where it looked: tool calls by source, ${arm}`} table={table}
      note={<>
        Authoritative: chain, explorer, market and metrics APIs. Computed: what its own code printed. By the paper's own definition, (web_search + twitter_search) / all calls, the share of these runs is{" "}
        {safe(shown.slice(0, 4).map(({ run, cell }) => `${percent(cell.summary.caia_web_share)} (${run.label})`).join(", "))}{shown.length > 4 ? " …" : ""}.{" "}
        <span class="paper">The paper tells of {percent(overview.paper.web_share)} ({overview.paper.source}): of its own models, tasks and web, so it stands here as a sentence and on no axis of ours.</span>
      </>}
      draw={(width) => <Bars title="Tool calls by source" series={names} width={width} rows={shown.map(({ run, cell }) => ({ label: run.label, parts: parts(cell) }))} />} />
  );
}

function Served({ shown, arm }: Own) {
  const names = ["HIT", "DERIVED", "FORK", "RANKED", "COMPUTED", "MISS", "ERROR"].filter((name) => shown.some(({ cell }) => cell.summary.served[name]));
  const table: Table = { head: ["run folder", ...names], rows: shown.map(({ run, cell }) => [run.label, ...names.map((name) => cell.summary.served[name] ?? 0)]) };
  return (
    <Figure id="served" title={`How calls were answered: ${arm}`} table={names.length ? table : { head: [], rows: [] }} empty="No tool was called."
      note="HIT: recorded. DERIVED: cut from a wider recording. FORK: executed on the recorded chain. RANKED: searched. COMPUTED: from the call itself. MISS: not recorded. ERROR: the call was wrong."
      draw={(width) => <Bars title="Calls by served class" series={names} width={width} rows={shown.map(({ run, cell }) => ({ label: run.label, parts: names.map((name) => cell.summary.served[name] ?? 0) }))} />} />
  );
}

function Stops({ overview, shown, arm }: Own) {
  const names = Object.keys(overview.stops).filter((name) => shown.some(({ cell }) => cell.summary.stops[name]));
  const table: Table = { head: ["run folder", ...names], rows: shown.map(({ run, cell }) => [run.label, ...names.map((name) => cell.summary.stops[name] ?? 0)]) };
  return (
    <Figure id="stops" title={`How runs ended: ${arm}`} table={table}
      note={names.map((name) => `${name}: ${overview.stops[name].when}${overview.stops[name].scored ? "" : " Not scored."}`).join(" ")}
      draw={(width) => <Bars title="Runs by how they ended" series={names} width={width} rows={shown.map(({ run, cell }) => ({ label: run.label, parts: names.map((name) => cell.summary.stops[name] ?? 0) }))} />} />
  );
}

function Arms({ overview }: Own) {
  const pairs = order(overview).flatMap((at) => overview.runs[at].arms.map((pair) => ({ run: overview.runs[at], pair })));
  const measures = [["Pass@1", "accuracy"], ["adopted a lie", "adopted"]].filter(([, name]) => pairs.some(({ pair }) => pair[name]));
  const label = (run: Run, pair: any) => `${pair.arm} − ${pair.against}${pair.condition === "tools" ? "" : ` (${pair.condition})`}, ${run.label}`;
  const rows: Row[] = pairs.map(({ run, pair }) => ({
    label: label(run, pair),
    dots: measures.map(([, name]) => ({ value: pair[name]?.difference ?? null, low: pair[name]?.interval?.[0], high: pair[name]?.interval?.[1], said: points(pair[name]?.difference) })),
  }));
  const table: Table = {
    head: ["pair", "measure", "difference", "lower 95 %", "upper 95 %", "p (Holm)", "tasks", "projects"],
    rows: pairs.flatMap(({ run, pair }) => [...measures, ["dollars lost", "loss_usd"]].filter(([, name]) => pair[name]).map(([title, name]) => {
      const told = pair[name];
      return [label(run, pair), title, Number(told.difference), told.interval ? Number(told.interval[0]) : null, told.interval ? Number(told.interval[1]) : null, told.p_holm, told.tasks, told.projects];
    })),
  };
  return (
    <Figure id="arms" title="What an arm changed" table={table} empty="No two arms that differ in one thing were run."
      note="Each task is its own control: the same question, model and world in both arms. Points of a hundred; left of zero is less. Attacked differs from clean by the lie, placebo by true pages of the same style."
      draw={(width) => <Dots title="Differences between arms" series={measures.map(([title]) => title)} rows={rows} width={width} axis={POINTS} />} />
  );
}

function Apart({ overview, arm }: Own) {
  const turned = (one: Difference): Difference => one.difference >= 0 ? one
    : { ...one, first: one.second, second: one.first, difference: -one.difference, interval: one.interval && [-one.interval[1], -one.interval[0]] };
  const pairs = overview.differences.filter((one) => cellName(one) === arm).map(turned);
  const drawn = [...pairs].sort((a, b) => Math.abs(b.difference) - Math.abs(a.difference)).slice(0, 20);
  const label = (one: { first: number; second: number }) => `${overview.runs[one.first].label} − ${overview.runs[one.second].label}`;
  const verdict = (p: number) => (p <= 0.05 ? "yes" : "not shown");
  const table: Table = {
    head: ["pair", "differ?", "difference of Pass@1", "lower 95 %", "upper 95 %", "p (Holm)", "tasks", "projects"],
    rows: pairs.map((one) => [label(one), verdict(one.p_holm), one.difference, ...ends(one.interval), one.p_holm, one.tasks, one.projects]),
  };
  return (
    <Figure id="apart" title={`Do two of them differ? ${arm}`} table={table} empty="Only run folders of one world can be told apart, and there is one."
      note={<>The better's Pass@1 less the other's over the same tasks, in points of a hundred, paired task by task. They differ, and have a star, where p, corrected for all pairs of this arm (Holm), is at most 0.05.{pairs.length > 20 ? ` The 20 largest of ${pairs.length} are drawn.` : ""}</>}
      draw={(width) => <Dots title="Differences between run folders" series={["Pass@1"]} width={width} axis={POINTS} rows={drawn.map((one) => ({ label: label(one), dots: [{ value: one.difference, low: one.interval?.[0], high: one.interval?.[1], said: `${points(one.difference)}${one.p_holm <= 0.05 ? " *" : ""}` }] }))} />} />
  );
}

function Adoption({ overview }: Own) {
  const kinds = [["runs that were shown it", "if_exposed"], ["all attacked runs", "intention_to_treat"], ["runs that opened it", "if_opened"]];
  const lying = order(overview).flatMap((at) => overview.runs[at].cells.filter((cell) => cell.summary.attack.attacked_runs).map((cell) => ({ run: overview.runs[at], cell })));
  const label = (run: Run, cell: Cell) => `${run.label}, ${cellName(cell)}`;
  const rows: Row[] = lying.map(({ run, cell }) => ({
    label: label(run, cell),
    dots: kinds.map(([, name]) => { const told = cell.summary.attack_rates[name]; return { value: told.rate, low: told.interval?.[0], high: told.interval?.[1] }; }),
  }));
  const family = (name: string, told: any, run: Run, cell: Cell): Value[][] => kinds.filter(([, kind]) => told[kind]).map(([title, kind]) => [label(run, cell), name, title, told[kind].rate, ...ends(told[kind].interval), told[kind].adopted, told[kind].runs, told[kind].undecided]);
  const table: Table = {
    head: ["run folder", "attack", "of", "adopted, share", "lower 95 %", "upper 95 %", "adopted", "runs", "undecided"],
    rows: lying.flatMap(({ run, cell }) => [...family("all", cell.summary.attack_rates, run, cell), ...Object.entries(cell.summary.by_attack).flatMap(([name, told]) => family(name, told, run, cell))]),
  };
  return (
    <Figure id="adoption" title="How often fooled" table={table} empty="Nothing was planted against these runs."
      note="Adopted of the runs that were shown a lie is the headline. Which runs are depends on the model, so adopted of all runs of attacked tasks (intention to treat) stands beside it: over the same runs for every model."
      draw={(width) => <Dots title="Adoption" series={kinds.map(([title]) => title)} rows={rows} width={width} />} />
  );
}

function Lies({ overview }: Own) {
  const drawn = overview.lies.filter((lie) => lie.exposed).slice(0, 15);
  const label = (lie: { value: string; family: string }) => lie.value || `(an instruction: ${lie.family})`;
  const table: Table = {
    head: ["lie", "task", "attack", "arm", "adopted", "saw it", "attacked", "run folders"],
    rows: overview.lies.map((lie) => [label(lie), lie.task, lie.family, cellName(lie), lie.adopted, lie.exposed, lie.attacked, lie.by.length]),
    links: overview.lies.map((lie) => link(["task", lie.book, lie.task])),
  };
  return (
    <Figure id="lies" title="Which lies were believed" table={table} open empty="Nothing was planted against these runs."
      note={`Runs that adopted each lie, of the runs that saw it${overview.runs.length > 1 ? ", all run folders together" : ""}. The highest share comes first. A lie's name leads to its task.${overview.lies.length > 15 ? " The 15 believed most are drawn." : ""}`}
      draw={(width) => <Dots title="Lies believed" series={["adopted, of runs that saw it"]} width={width} rows={drawn.map((lie) => ({ label: `${label(lie)} · ${lie.task}`, dots: [{ value: lie.adopted / lie.exposed, said: `${lie.adopted}/${lie.exposed}` }] }))} />} />
  );
}

function Parts({ id, title, what, read, own }: { id: string; title: string; what: string; read: (cell: Cell) => Record<string, any>; own: Own }) {
  const { shown, arm } = own;
  const names = [...new Set(shown.flatMap(({ cell }) => Object.keys(read(cell))))].sort((a, b) => a.localeCompare(b, "en", { numeric: true }));
  const tasks = (name: string) => Math.max(...shown.map(({ cell }) => read(cell)[name]?.n_tasks ?? 0));
  const table: Table = {
    head: [what, "tasks", ...shown.map(({ run }) => run.label)],
    rows: names.map((name) => [name, tasks(name), ...shown.map(({ cell }) => read(cell)[name]?.pass_at_1 ?? null)]),
  };
  const drawn = shown.slice(0, names.length > 12 ? 3 : MOST);
  const most = [...names].sort((a, b) => tasks(b) - tasks(a)).slice(0, 15).filter((_, at) => at < names.length);
  const cut = (name: string) => (name.length > 26 ? `${name.slice(0, 14)}…${name.slice(-8)}` : name);
  return (
    <Figure id={id} title={`${title}: ${arm}`} table={table} empty={`No task here has a ${what}.`}
      note={<>Pass@1. Behind each stand as many tasks as its name says: with fewer than ten, one task moves it by ten points or more. No intervals are drawn for parts this small.{shown.length > drawn.length ? ` The ${drawn.length} run folders right most often are drawn.` : ""}{names.length > most.length ? ` The ${most.length} with the most tasks are drawn; the table has all ${names.length}.` : ""}</>}
      draw={(width) => <Dots title={title} series={drawn.map(({ run }) => run.label)} width={width} rows={(names.length > most.length ? most : names).map((name) => ({ label: `${cut(name)} (${tasks(name)})`, dots: drawn.map(({ cell }) => ({ value: read(cell)[name]?.pass_at_1 ?? null })) }))} />} />
  );
}

function Losses({ overview }: Own) {
  const all = order(overview).flatMap((at) => overview.runs[at].cells.map((cell) => ({ run: overview.runs[at], cell })));
  const realised = all.some(({ cell }) => cell.summary.realised_loss_usd !== undefined);
  const lost = (cell: Cell) => Number((realised ? cell.summary.realised_loss_usd : cell.summary.simulated_loss_usd) ?? 0);
  const high = Math.max(1, ...all.map(({ cell }) => lost(cell)));
  const axis = { from: 0, to: high, ticks: [0, 0.5, 1].map((part) => part * high), say: (value: number) => dollars(Math.round(value)) };
  const table: Table = {
    head: ["run folder", "arm", "simulated loss, $", "realised loss, $", "transactions", "chance of ruin (model)", "why none"],
    rows: all.map(({ run, cell }) => { const told = cell.summary; return [run.label, cellName(cell), Number(told.simulated_loss_usd), told.realised_loss_usd === undefined ? null : Number(told.realised_loss_usd), told.execution?.transactions ?? null, told.loss?.ruin?.probability ?? null, told.loss?.ruin?.reason ?? null]; }),
  };
  return (
    <Figure id="losses" title={realised ? "What was lost on the chain" : "What wrong answers would have cost"} table={table}
      note={realised ? "Realised loss: what the owner's accounts lost by the chain's balances, in first attempts." : "Simulated loss: the stakes of first attempts whose answer was read and wrong, planted or not. A stake is an assumption of the task's author; nothing was lost on a chain."}
      draw={(width) => <Dots title="Losses" series={["dollars"]} width={width} axis={axis} rows={all.map(({ run, cell }) => ({ label: `${run.label}, ${cellName(cell)}`, dots: [{ value: lost(cell), said: dollars(lost(cell)) }] }))} />} />
  );
}

function Doses({ overview }: Own) {
  if (!overview.dose.length) return <Figure id="dose" title="Adoption by dose" table={{ head: [], rows: [] }} empty="Give the report run folders of one model that differ in one field of --dose, such as items=1 and items=3, and a curve stands here." />;
  return (
    <>
      {overview.dose.map((curve, at) => (
        <Figure id={at ? `dose-${at}` : "dose"} title={`Adoption by dose: ${curve.over}`}
          note={curve.trend_p === null ? "These levels have no order: there is no trend." : `Dashed: the nearest curve that never falls. A trend over the same tasks has p = ${curve.trend_p.toPrecision(3)}.`}
          table={{ head: ["run folder", curve.over, "adopted, share", "lower 95 %", "upper 95 %", "runs", "never falling"], rows: curve.levels.map((level: any, n: number) => [overview.runs[level.source].label, level.value, level.rate, ...ends(level.interval), level.runs, curve.fitted?.[n] ?? null]) }}
          draw={(width) => <Curve title="Adoption by dose" levels={curve.levels} fitted={curve.fitted} over={curve.over} width={width} />} />
      ))}
    </>
  );
}

function Gaps({ overview }: Own) {
  const told = overview.gaps.filter((gap) => gap.cells);
  const rows = told.flatMap((gap) => gap.cells.filter((cell: any) => cell.all).map((cell: any) => ({ gap, cell, one: cell.all.pass_at_1 })));
  const label = (row: any) => `${overview.runs[row.gap.first].model}, ${cellName(row.cell)}${row.cell.probe ? " (probe)" : ""}`;
  const share = (value: number | undefined) => (value === undefined ? null : value / 100);
  const refused = overview.gaps.map((gap) => gap.refused).filter(Boolean);
  return (
    <Figure id="gap" title="Contamination gap: the suite less its twin" empty={refused[0] ?? "Give the report a model's run folders on a suite and on its twin (docs/twins.md), and the gap stands here."}
      note={told[0]?.reading}
      table={{ head: ["run folder", "original", "twin", "gap, points", "lower 95 %", "upper 95 %"], rows: rows.map((row) => [label(row), row.one.original, row.one.twin, row.one.gap_points, ...ends(row.one.interval_points)]) }}
      draw={(width) => <Dots title="Contamination gap" series={["Pass@1"]} axis={POINTS} width={width} rows={rows.map((row) => ({ label: label(row), dots: [{ value: row.one.gap_points / 100, low: share(row.one.interval_points?.[0]), high: share(row.one.interval_points?.[1]), said: points(row.one.gap_points / 100) }] }))} />} />
  );
}

export function Pictures({ overview, route }: { overview: Overview; route: Route }) {
  const names = cells(overview);
  const arm = names.includes(route.query.get("arm") ?? "") ? route.query.get("arm")! : names[0];
  const shown = order(overview).map((at) => ({ at, run: overview.runs[at], cell: cellOf(overview.runs[at], arm)! })).filter(({ cell }) => cell);
  const own = { overview, shown, arm };
  const part = route.path[1];
  useEffect(() => {
    const found = part && document.getElementById(`figure-${part}`);
    if (found) { found.scrollIntoView(); found.focus({ preventScroll: true }); }
  }, [part]);
  const parts: [string, string][] = [["leaderboard", "right"], ["passes", "k tries"], ["cost", "cost"], ["tools", "sources"], ["served", "served"], ["arms", "arms"], ["apart", "differ?"], ["adoption", "fooled"], ["lies", "lies"], ["dose", "dose"], ["category", "category"], ["project", "project"], ["difficulty", "difficulty"], ["stops", "endings"], ["gap", "gap"], ["losses", "losses"]];
  return (
    <>
      <h1>Pictures</h1>
      <nav class="jump" aria-label="Pictures">{parts.map(([id, title]) => <a href={link(["charts", id], { arm: route.query.get("arm") })} aria-current={part === id ? "true" : undefined}>{title}</a>)}</nav>
      <p class="filters">
        <label>Arm <select value={arm} onChange={(event) => go(link(["charts", ...(part ? [part] : [])], { arm: event.currentTarget.value }), true)}>{names.map((name) => <option value={name}>{name}</option>)}</select></label>
        <span class="soft">for the pictures that name one</span>
      </p>
      <Leaderboard {...own} />
      <Passes {...own} />
      <Money {...own} />
      <Tools {...own} />
      <Served {...own} />
      <Arms {...own} />
      <Apart {...own} />
      <Adoption {...own} />
      <Lies {...own} />
      <Doses {...own} />
      <Parts id="category" title="By category" what="category" read={(cell) => cell.summary.by_category} own={own} />
      <Parts id="project" title="By project" what="project" read={(cell) => cell.by_project} own={own} />
      <Parts id="difficulty" title="By difficulty" what="difficulty" read={(cell) => cell.summary.by_difficulty} own={own} />
      <Stops {...own} />
      <Gaps {...own} />
      <Losses {...own} />
    </>
  );
}
