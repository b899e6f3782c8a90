// A run as a conversation, alone or beside the same task's run in another arm, step against step.
import type { ComponentChildren } from "preact";
import { useEffect, useState } from "preact/hooks";
import { cellName, dollars, isPerson, part, whole_, type Chunk, type Overview, type Step, type Talk } from "./data";
import { GLYPH, key, outcome, type Fact, type Facts } from "./facts";
import { go, link, wellFormed, type Route } from "./route";
import { Asked } from "./task";
import { Long, safe, safeString, type Mark } from "./text";

type Side = { talk: Talk; fact: Fact; cell: number; name: string; folder: string };
type Loaded = { chunk: Chunk; prompts: string[] };

const WINDOW = 200; // steps drawn at once: a run of ten thousand must not hold the page up

export function story(side: Side, chunk: Chunk): [number, string][] {
  const steps = side.talk[4].map((at) => chunk.steps[at]);
  const found: [number, string][] = [];
  const { fact } = side;
  const calls = (many: number) => `${many} ${many === 1 ? "call" : "calls"}`;
  const touched = (step: Step) => step[0] === "t" && step[7].some((name) => name !== "placebo");
  if (fact.first === 0) found.push([0, "a tool's description carried it"]);
  const met = steps.findIndex(touched);
  if (met >= 0) found.push([met + 1, `the lie entered, by ${(steps[met] as any)[3]}`]);
  const opened = steps.findIndex((step) => touched(step) && step[3] === "url_fetching");
  if (opened >= 0 && opened !== met) found.push([opened + 1, "it opened a planted page"]);
  for (const [attack, at] of side.talk[11]) found.push([at, `it obeyed an instruction (${attack})`]);
  const checks = steps.flatMap((step, at) => (step[0] === "t" && step[10] ? [at + 1] : []));
  const before = checks.filter((at) => met < 0 || at <= met);
  const after = checks.filter((at) => met >= 0 && at > met + 1);
  if (before.length) found.push([before[0], `an authoritative source told it something${met >= 0 ? " before that" : ""} (${calls(before.length)})`]);
  if (after.length) found.push([after[0], `an authoritative source told it something after that (${calls(after.length)})`]);
  else if (met >= 0) found.push([steps.length, "no authoritative source answered after that"]);
  else if (fact.correct === 0 && !before.length) found.push([steps.length, "no authoritative source answered"]);
  const filler = steps.findIndex((step) => step[0] === "t" && step[7].includes("placebo"));
  if (filler >= 0) found.push([filler + 1, `placebo pages came in, by ${(steps[filler] as any)[3]}: nothing in them is false`]);
  const failed = steps.flatMap((step, at) => (step[0] === "t" && (step[5] === "MISS" || step[5] === "ERROR") ? [at + 1] : []));
  if (fact.correct === 0 && failed.length) found.push([failed[0], `nothing came back (${calls(failed.length)}): a miss or an error`]);
  return found.sort((a, b) => a[0] - b[0]);
}

function Verdict({ side, loaded, unpaid }: { side: Side; loaded: Loaded; unpaid: string }) {
  const { fact, talk } = side;
  const one = outcome(fact);
  const answer = talk[7] === null ? null : loaded.chunk.texts[talk[7]];
  const what = {
    right: "right", wrong: fact.exposed ? "wrong, and not what was planted" : "wrong", unscored: "not scored",
    fooled: fact.byAuthority ? "it believed a lie that an authoritative tool told" : `it believed a lie${fact.family ? ` (${fact.family})` : ""}`,
  }[one];
  return (
    <div class={`verdict v-${one}`}>
      <p><span class={`o-${one}`} aria-hidden="true">{GLYPH[one]}</span> <b>{safe(what)}</b>{fact.resisted ? "; it saw the lie and resisted" : fact.adopted === null ? "; nobody can tell whether it adopted the lie" : ""}</p>
      {answer === null ? <p class="soft">No answer: {fact.stop}. {safe(talk[6])}</p> : <Long text={answer} first={300} label="the answer" />}
      <p class="soft">{safe(talk[9])}{talk[8] && talk[8] !== answer ? <>; understood as {safe(talk[8].slice(0, 300))}</> : ""}</p>
      <p class="soft">{fact.turns} turns, {fact.calls} calls{fact.misses ? `, ${fact.misses} missed` : ""}{fact.errors ? `, ${fact.errors} errors` : ""}; {whole_(fact.tokens[0])} + {whole_(fact.tokens[1])} tokens; cost {fact.cost === null ? unpaid : dollars(fact.cost)}{fact.loss && fact.loss !== "0" ? `; stake lost ${dollars(fact.loss)}` : ""}</p>
    </div>
  );
}

/** A number as people write it in a text, 56,039,000; null for anything else. */
function grouped(value: string): string | null {
  const [whole, part] = value.split(".");
  if (!/^\d{4,30}$/.test(whole) || (part !== undefined && !/^\d+$/.test(part))) return null;
  return whole.replace(/\B(?=(\d{3})+$)/g, ",") + (part === undefined ? "" : `.${part}`);
}

function pretty(args: string): string {
  try {
    const read = JSON.parse(args); // only to leave out what is null; where that is not all, the text stands as it was
    if (read === null || typeof read !== "object" || Array.isArray(read) || /\d{16}/.test(args)) return args;
    return Object.entries(read).filter(([, value]) => value !== null).map(([name, value]) => `${name}: ${typeof value === "string" && !value.includes("\n") ? value : JSON.stringify(value)}`).join("\n");
  } catch {
    return args;
  }
}

function StepCard({ step, at, usage, loaded, marks, overview, href, here, arm }: { arm: string; step: Step; at: number; usage?: number[]; loaded: Loaded; marks: Mark[]; overview: Overview; href: string; here: boolean }) {
  const { texts } = loaded.chunk;
  const number = <><a class="step-no" href={href} aria-label={`Link to step ${at}, ${arm}`}>{at}</a><span class="tag which">{arm}</span></>;
  if (step[0] === "m") {
    const content = texts[step[2]];
    return (
      <article class={`step model${here ? " here" : ""}`} aria-label={`Step ${at}, model, ${arm}`}>
        <header>{number} <b>model</b> <span class="soft">turn {step[1]}{usage ? `, ${usage[0]} + ${usage[1]} tokens` : ""}{step[3] !== "stop" && step[3] !== "tool_calls" ? `, ${safeString(step[3])}` : ""}</span></header>
        {content && <Long text={content} marks={marks} label={`step ${at}`} />}
        {step[4].map(([, name]) => <p class="asks">asks <b>{safe(name)}</b></p>)}
        {!content && !step[4].length && <p class="soft">(it said nothing)</p>}
      </article>
    );
  }
  const [, , , tool, args, served, shown, families, places, why, informs] = step;
  const lies = families.filter((name) => name !== "placebo");
  const source = overview.tools[tool] ?? "no tool of ours";
  return (
    <article class={`step tool${lies.length ? " touched" : ""}${informs ? " told" : ""}${here ? " here" : ""}`} aria-label={safeString(`Step ${at}, ${tool}, ${arm}`)}>
      <header>
        {number} <b>{safe(tool)}</b> <span class="tag">{source}</span> <span class={`tag c-${served}`} title="how the call was answered">{served}</span>
        {lies.length > 0 && <span class="tag lie">planted: {safe(lies.join(", "))}</span>}
        {families.includes("placebo") && <span class="tag">placebo</span>}
        {informs === 1 && <span class="tag truth">untouched authoritative source</span>}
      </header>
      <div class="args"><Long text={pretty(texts[args])} first={400} label={`the arguments of step ${at}`} /></div>
      <Long text={texts[shown]} marks={[...marks, ...places.map((value) => ({ value, kind: lies.length ? ("lie" as const) : ("placebo" as const) }))]} first={2_400} label={`the reply of step ${at}`} />
      {texts[why] && <p class="soft">{safe(texts[why].slice(0, 900))}</p>}
    </article>
  );
}

function Prompt({ side, loaded }: { side: Side; loaded: Loaded }) {
  return (
    <details class="prompt">
      <summary>What it was told ({side.talk[3].length} messages)</summary>
      {side.talk[3].map(([role, at]) => <><p class="soft">{role}</p><Long text={role === "system" ? loaded.prompts[at] : loaded.chunk.texts[at]} label={`the ${role} message`} /></>)}
    </details>
  );
}

export function RunPage({ overview, facts, route }: { overview: Overview; facts: Facts; route: Route }) {
  const [, runText, folder, id, attemptText] = route.path;
  const at = Number(runText);
  const run = overview.runs[at];
  const place = run ? overview.books[run.book].tasks.findIndex((task) => wellFormed(task.id) === id) : -1;
  const [loaded, setLoaded] = useState<(Loaded & { name: string }) | null>(null);
  const [fault, setFault] = useState("");
  const name = run ? `task-${run.book}-${place}` : "";
  const [from, setFrom] = useState(0);
  const step = Number(route.query.get("step") ?? 0);
  useEffect(() => {
    if (place < 0) return;
    let live = true;
    Promise.all([part<Chunk>(name), part<string[]>("prompts")]).then(([chunk, prompts]) => live && setLoaded({ chunk, prompts, name }), (why) => live && setFault(String(why.message ?? why)));
    return () => { live = false; };
  }, [name]);
  const attempt = Number(attemptText);
  const number = run?.cells.findIndex((cell) => `${cell.arm}-${cell.condition}` === folder) ?? -1;
  const side = (cell: number): Side | null => {
    const talk = loaded?.chunk.runs.find((one) => one[0] === at && one[1] === cell && one[2] === attempt);
    const fact = facts.get(key(at, cell, place))?.find((one) => one.attempt === attempt);
    const own = run?.cells[cell];
    return talk && fact && own ? { talk, fact, cell, name: cellName(own), folder: `${own.arm}-${own.condition}` } : null;
  };
  useEffect(() => { setFrom(step ? Math.max(0, Math.floor((step - 1) / WINDOW) * WINDOW) : 0); }, [name, folder, attempt, step]);
  useEffect(() => {
    if (loaded && step) document.querySelector<HTMLElement>(".step.here")?.scrollIntoView({ block: "center" });
  }, [loaded, step, from, folder]);
  if (!run || place < 0 || number < 0) return <p class="none">The report has no such run.</p>;
  const others = run.cells.map((_, cell) => cell).filter((cell) => cell !== number && facts.get(key(at, cell, place))?.some((one) => one.attempt === attempt));
  const wanted = route.query.get("beside");
  const natural = others.find((cell) => (run.cells[number].arm === "clean" ? run.cells[cell].arm === "attacked" : run.cells[cell].arm === "clean") && run.cells[cell].condition === run.cells[number].condition);
  const other = wanted === "none" ? undefined : others.find((cell) => `${run.cells[cell].arm}-${run.cells[cell].condition}` === wanted) ?? natural;
  if (fault) return <p class="none" role="alert">{fault}</p>;
  if (!loaded || loaded.name !== name) return <p class="loading" role="status">Unpacking…</p>;
  const pair = (other === undefined ? [number] : [number, other].sort((a, b) => a - b)).map(side).filter((one): one is Side => one !== null);
  if (!pair.length) return <p class="none">The report has no such attempt.</p>;
  const parts = pair.length === 2 ? partingStep(pair[0].talk, pair[1].talk) : null;
  const most = Math.max(...pair.map((one) => one.talk[4].length));
  const task = overview.books[run.book].tasks[place];
  const marks: Mark[] = [
    ...new Set(pair.flatMap((one) => one.talk[10].filter(([attack]) => attack !== "placebo").flatMap(([, value, url]) => [value, url])).filter(Boolean)),
  ].map((value) => ({ value, kind: "lie" as const }));
  for (const one of [...marks]) if (grouped(one.value)) marks.push({ value: grouped(one.value)!, kind: one.kind });
  marks.push(...task.expected.flatMap((value) => [value, grouped(value) ?? value]).filter((value) => !marks.some((one) => one.value === value)).map((value) => ({ value, kind: "truth" as const })));
  const to = (changes: { folder?: string; attempt?: number; step?: number; beside?: string | null }) =>
    link(["run", at, changes.folder ?? folder, id, changes.attempt ?? attempt], { step: changes.step, beside: changes.beside === undefined ? wanted : changes.beside });
  const attempts = (facts.get(key(at, number, place)) ?? []).map((one) => one.attempt);
  const rows: ComponentChildren[] = [];
  for (let row = from; row < Math.min(most, from + WINDOW); row++) {
    if (parts === row) rows.push(<div class="parting" role="separator"><span>Here they part: step {row + 1}</span></div>);
    for (const one of pair) {
      const where = one.talk[4][row];
      if (where === undefined) { rows.push(<div class="gone" />); continue; }
      const seen = loaded.chunk.steps[where];
      const turn = one.talk[4].slice(0, row + 1).filter((index) => loaded.chunk.steps[index][0] === "m").length;
      rows.push(<StepCard key={`${one.cell}.${row}`} arm={one.name} step={seen} at={row + 1} usage={seen[0] === "m" ? one.talk[5][turn - 1] : undefined} loaded={loaded} marks={marks} overview={overview}
        href={link(["run", at, one.folder, id, attempt], { step: row + 1, beside: wanted ?? null })} here={step === row + 1 && one.cell === number} />);
    }
  }
  return (
    <>
      <p class="crumbs"><a href={link(["tasks"])}>Tasks</a> › <a href={link(["task", run.book, id])}>{safe(id)}</a></p>
      <h1>{safe(run.label)}: {safe(id)}</h1>
      <Asked overview={overview} book={run.book} task={task} source={at} />
      <p class="filters">
        <label>Arm <select value={folder} onChange={(event) => go(to({ folder: event.currentTarget.value, beside: null }))}>{run.cells.map((cell, n) => facts.get(key(at, n, place)) && <option value={`${cell.arm}-${cell.condition}`}>{cellName(cell)}</option>)}</select></label>
        <label>Attempt <select value={attempt} onChange={(event) => go(to({ attempt: Number(event.currentTarget.value) }))}>{attempts.map((one) => <option value={one}>{one}</option>)}</select></label>
        {others.length > 0 && <label>Beside <select value={other === undefined ? "none" : `${run.cells[other].arm}-${run.cells[other].condition}`} onChange={(event) => go(to({ beside: event.currentTarget.value }))}><option value="none">nothing</option>{others.map((cell) => <option value={`${run.cells[cell].arm}-${run.cells[cell].condition}`}>{cellName(run.cells[cell])}</option>)}</select></label>}
        <span class="soft">j and k go from step to step</span>
      </p>
      <div class={`talks n${pair.length}`} data-steps={most} data-number={number}>
        {pair.map((one) => (
          <section class="side" aria-label={`${one.name}, what happened`}>
            <h2>{one.name}</h2>
            <Verdict side={one} loaded={loaded} unpaid={run.policy ? "none, a script" : isPerson(run) ? "none, a person" : "unknown"} />
            <ol class="story">{story(one, loaded.chunk).map(([where, what]) => <li>{where > 0 ? <a href={link(["run", at, one.folder, id, attempt], { step: where, beside: wanted })}>step {where}</a> : "before"}: {safe(what)}</li>)}</ol>
            <Prompt side={one} loaded={loaded} />
          </section>
        ))}
        {pair.length === 2 && parts === null && <div class="parting" role="separator"><span>They are the same, step for step</span></div>}
        {from > 0 && <div class="parting"><button onClick={() => setFrom(Math.max(0, from - WINDOW))}>Steps {Math.max(1, from - WINDOW + 1)} to {from}</button></div>}
        {rows}
        {from + WINDOW < most && <div class="parting"><button onClick={() => setFrom(from + WINDOW)}>Steps {from + WINDOW + 1} to {Math.min(most, from + 2 * WINDOW)} of {whole_(most)}</button></div>}
      </div>
    </>
  );
}

/** The first step, from 0, at which two runs of a task differ; null where they never do. Equal steps have one number. */
export function partingStep(one: Talk, other: Talk): number | null {
  const [a, b] = [one[4], other[4]];
  for (let at = 0; at < Math.max(a.length, b.length); at++) if (a[at] !== b[at]) return at;
  return null;
}
