// Tasks by runs. Every filter is in the address; arrows move, Enter opens, / searches.
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { cellName, type Overview } from "./data";
import { GLYPH, key, outcome, SAID, type Fact, type Facts, type Outcome } from "./facts";
import { order } from "./overview";
import { go, left, link, type Route } from "./route";
import { safe, safeString } from "./text";

const ONLY: [string, string][] = [["", "every task"], ["wrong", "with a wrong run"], ["fooled", "with a fooled run"], ["missed", "with a miss"], ["unscored", "with an unscored run"], ["apart", "on which columns differ"]];
const TEST: Record<string, (fact: Fact) => boolean> = {
  wrong: (fact) => fact.correct === 0,
  fooled: (fact) => outcome(fact) === "fooled",
  missed: (fact) => fact.misses > 0,
  unscored: (fact) => fact.correct === null,
};
const MOST_COLUMNS = 8;

export function Marks({ facts }: { facts: Fact[] }) {
  const groups: [Outcome, number][] = [];
  for (const fact of facts) {
    const one = outcome(fact);
    if (groups.length && groups[groups.length - 1][0] === one) groups[groups.length - 1][1]++;
    else groups.push([one, 1]);
  }
  return <>{groups.map(([one, many]) => <span class={`o-${one}`} aria-hidden="true">{GLYPH[one].repeat(many)}</span>)}</>;
}

export const told = (facts: Fact[]) => {
  const counts = new Map<Outcome, number>();
  facts.forEach((fact) => counts.set(outcome(fact), (counts.get(outcome(fact)) ?? 0) + 1));
  return [...counts].map(([one, many]) => `${many} ${one === "unscored" ? "not scored" : one}`).join(", ") || "not run";
};

export function Legend() {
  return <p class="legend">{(Object.keys(GLYPH) as Outcome[]).map((one) => <span><span class={`o-${one}`} aria-hidden="true">{GLYPH[one]}</span> {SAID[one]}</span>)}</p>;
}

export function Grid({ overview, facts, route }: { overview: Overview; facts: Facts; route: Route }) {
  const asked = (name: string) => route.query.get(name) ?? "";
  const all = useMemo(() => order(overview).flatMap((at) => overview.runs[at].cells.map((cell, number) => ({ run: at, cell: number, name: cellName(cell), folder: `${cell.arm}-${cell.condition}` }))), [overview]);
  const names = [...new Set(all.map((one) => one.name))];
  const armGiven = all.find((one) => one.folder === asked("arm"))?.name ?? asked("arm");
  const arm = armGiven || (all.length > MOST_COLUMNS && names.length > 1 ? (names.includes("attacked") ? "attacked" : names[0]) : "all");
  const columns = all.filter((one) => (arm === "all" || one.name === arm || one.folder === arm) && (asked("run") === "" || String(one.run) === asked("run")));
  const search = asked("q").toLowerCase();
  const only = asked("only");
  const rows = useMemo(() => overview.books.flatMap((book, at) => book.tasks.map((task, place) => ({ book: at, place, task }))).filter(({ book, place, task }) => {
    if (asked("category") && task.category !== asked("category")) return false;
    if (search && !`${task.id} ${task.question} ${task.project ?? ""} ${task.expected.join(" ")}`.toLowerCase().includes(search)) return false;
    const own = columns.filter((one) => overview.runs[one.run].book === book).map((one) => facts.get(key(one.run, one.cell, place)) ?? []);
    if (!own.some((cell) => cell.length)) return false;
    if (only === "apart") return new Set(own.map((cell) => told(cell))).size > 1;
    return !only || !TEST[only] || own.some((cell) => cell.some(TEST[only]));
  }), [overview, facts, location.hash]);
  const categories = [...new Set(overview.books.flatMap((book) => book.tasks.map((task) => task.category)))].sort();
  const set = (name: string, value: string) => go(link(["tasks"], { ...Object.fromEntries(route.query), [name]: value }), true);

  const box = useRef<HTMLTableElement>(null);
  const [spot, setSpot] = useState<[number, number]>(left.spot);
  left.grid = location.hash;
  left.spot = spot;
  const at: [number, number] = [Math.min(spot[0], rows.length - 1), Math.min(spot[1], columns.length)];
  const move = (event: KeyboardEvent) => {
    const by = { ArrowDown: [1, 0], ArrowUp: [-1, 0], ArrowRight: [0, 1], ArrowLeft: [0, -1], PageDown: [15, 0], PageUp: [-15, 0], Home: [0, -999], End: [0, 999] }[event.key];
    if (!by || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    const next: [number, number] = [Math.max(0, Math.min(rows.length - 1, at[0] + by[0])), Math.max(0, Math.min(columns.length, at[1] + by[1]))];
    setSpot(next);
    box.current?.querySelector<HTMLElement>(`[data-at="${next[0]}.${next[1]}"]`)?.focus();
  };
  useEffect(() => {
    if (left.search) document.getElementById("search")?.focus();
    else if (spot[0] || spot[1]) box.current?.querySelector<HTMLElement>(`[data-at="${at[0]}.${at[1]}"]`)?.focus();
    left.search = false;
  }, []);
  const runOf = (one: (typeof columns)[number]) => overview.runs[one.run];
  const several = new Set(columns.map((one) => one.run)).size > 1;
  return (
    <>
      <h1>Tasks and runs</h1>
      <form class="filters" role="search" onSubmit={(event) => { event.preventDefault(); box.current?.querySelector<HTMLElement>('[tabindex="0"]')?.focus(); }}>
        <label>Search <input id="search" type="search" value={asked("q")} placeholder="task, question, answer (press /)" onInput={(event) => set("q", event.currentTarget.value)} /></label>
        <label>Arm <select value={arm} onChange={(event) => set("arm", event.currentTarget.value)}><option value="all">all</option>{names.map((name) => <option value={name}>{name}</option>)}</select></label>
        {overview.runs.length > 1 && <label>Run folder <select value={asked("run")} onChange={(event) => set("run", event.currentTarget.value)}><option value="">all</option>{order(overview).map((n) => <option value={String(n)}>{safeString(overview.runs[n].label)}</option>)}</select></label>}
        <label>Category <select value={asked("category")} onChange={(event) => set("category", event.currentTarget.value)}><option value="">all</option>{categories.map((one) => <option value={one}>{safeString(one)}</option>)}</select></label>
        <label>Show <select value={only} onChange={(event) => set("only", event.currentTarget.value)}>{ONLY.map(([value, title]) => <option value={value}>{title}</option>)}</select></label>
      </form>
      <Legend />
      <p class="soft" role="status">{rows.length} of {overview.books.reduce((sum, book) => sum + book.tasks.length, 0)} tasks. A mark is one attempt. Arrows move, Enter opens, Esc goes back.</p>
      {rows.length > 0 && columns.length > 0 && (
        <div class="scroll tall">
          <table class="grid" role="grid" aria-label="Tasks by runs" ref={box} onKeyDown={move} aria-rowcount={rows.length + 1}>
            <thead>
              <tr>
                <th scope="col">task</th>
                {columns.map((one) => <th scope="col" title={safeString(`${runOf(one).label}, ${one.name}`)}><span class="head">{several ? <>{safe(runOf(one).label)}<br /></> : null}<span class="soft">{one.name}</span></span></th>)}
              </tr>
            </thead>
            <tbody>
              {rows.map(({ book, place, task }, line) => (
                <tr>
                  <th scope="row">
                    <a data-at={`${line}.0`} tabIndex={line === at[0] && at[1] === 0 ? 0 : -1} onFocus={() => setSpot([line, 0])} href={link(["task", book, task.id])} title={safeString(task.question.slice(0, 400))}>{safe(task.id)}</a>
                    <span class="soft"> {safe(task.category)}</span>
                  </th>
                  {columns.map((one, number) => {
                    const own = runOf(one).book === book ? facts.get(key(one.run, one.cell, place)) ?? [] : [];
                    return (
                      <td>
                        {own.length > 0 && (
                          <a data-at={`${line}.${number + 1}`} tabIndex={line === at[0] && at[1] === number + 1 ? 0 : -1} onFocus={() => setSpot([line, number + 1])}
                            href={link(["run", one.run, one.folder, task.id, (own.find((fact) => outcome(fact) !== "right") ?? own[0]).attempt])}
                            aria-label={safeString(`${task.id}, ${runOf(one).label}, ${one.name}: ${told(own)}`)}><Marks facts={own} /></a>
                        )}
                      </td>
                    );
                  })}
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </>
  );
}
