// The first screen: what was run, whether it counts, how right, how often fooled, at what cost, and where to look next.
import { between, cellName, dollars, isPerson, percent, whole_, type Cell, type Overview, type Run } from "./data";
import { link } from "./route";
import { safe } from "./text";

const LIES = ["attacked", "labelled", "authority-only"];
const count = (many: number, thing: string) => `${whole_(many)} ${many === 1 ? thing : thing.split(" or ").map((word) => (word === "person" ? "people" : `${word}s`)).join(" or ")}`;

export function order(overview: Overview): number[] {
  const score = (run: Run) => run.cells[0].summary.pass_at_1 ?? -1;
  return overview.runs.map((_, at) => at).sort((a, b) => overview.runs[a].book - overview.runs[b].book || score(overview.runs[b]) - score(overview.runs[a]) || a - b);
}

export function cells(overview: Overview): string[] {
  return [...new Set(overview.runs.flatMap((run) => run.cells.map(cellName)))];
}

export const cellOf = (run: Run, name: string): Cell | undefined => run.cells.find((cell) => cellName(cell) === name);

function Share({ value, ends, fooled, of }: { value: number | null; ends: [number, number] | null; fooled?: boolean; of?: string }) {
  if (value === null || value === undefined) return <td class="n">–</td>;
  return (
    <td class="n share">
      <b>{percent(value)}</b> <span class="soft">{of} {between(ends)}</span>
      <svg class="mini" viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true">
        <rect class="track" x="0" y="3" width="100" height="2" />
        {ends && <rect class={fooled ? "s1" : "s0"} opacity="0.35" x={100 * ends[0]} y="1" width={Math.max(0.5, 100 * (ends[1] - ends[0]))} height="6" />}
        <rect class={fooled ? "s1" : "s0"} x={Math.min(98, Math.max(0, 100 * value - 1))} y="0" width="2" height="8" />
      </svg>
    </td>
  );
}

// Of the runs that met a lie first, with their number; of all attacked runs beside it.
function Fooled({ told }: { told?: Cell["summary"]["attack_rates"] }) {
  if (!told) return <td class="n">–</td>;
  const [met, all] = [told.if_exposed, told.intention_to_treat];
  if (met.rate === null) return <td class="n">–{all.runs > 0 && <span class="soft"> none of {all.runs} exposed</span>}</td>;
  return <Share value={met.rate} ends={met.interval} of={`of ${met.runs}; ${percent(all.rate)} of ${all.runs} attacked`} fooled />;
}

function Cost({ run }: { run: Run }) {
  const known = run.cells.map((cell) => cell.summary.cost_usd).filter((usd) => usd !== null);
  const tokens = run.cells.reduce((sum, cell) => sum + cell.summary.tokens.prompt + cell.summary.tokens.completion, 0);
  const runs = run.cells.reduce((sum, cell) => sum + cell.runs, 0);
  const total = known.reduce((sum, usd) => sum + Number(usd), 0);
  const about = run.cells.some((cell) => cell.summary.cost_estimated) ? "~" : "";
  return (
    <td class="n" title={run.cells[0].summary.cost_reason ?? ""}>
      {known.length ? <><b>{about}{dollars(total)}</b> <span class="soft">{about}{dollars(total / runs)} a run</span></> : <b>{run.policy ? "none (a script)" : isPerson(run) ? "none (a person)" : "unknown"}</b>}
      {!isPerson(run) && <><br /><span class="soft">{whole_(Math.round(tokens / runs))} tokens a run</span></>}
    </td>
  );
}

export function FirstScreen({ overview }: { overview: Overview }) {
  const { runs, books } = overview;
  const names = cells(overview);
  const accuracy = names.filter((name) => runs.some((run) => cellOf(run, name)?.summary.pass_at_1 !== null));
  const lying = names.filter((name) => runs.some((run) => LIES.includes(cellOf(run, name)?.arm ?? "")));
  const total = runs.reduce((sum, run) => sum + run.cells.reduce((all, cell) => all + cell.runs, 0), 0);
  const groups = { stop: "Not a result", mind: "Mind", look: "Look" } as Record<string, string>;
  const models = [...new Set(runs.map((run) => run.model))];
  const scripts = runs.filter((run) => run.policy).length; // a policy is never called a model
  const people = runs.filter(isPerson).length; // nor is a person
  const kinds = [scripts + people < runs.length && "model", scripts && (scripts === runs.length ? "calibration script" : "script"), people && "person"];
  const kind = kinds.filter(Boolean).join(" or ");
  const first = runs[0];
  return (
    <>
      <section aria-labelledby="what">
        <h1 id="what">{models.length === 1 ? <>{safe(models[0])} on {safe(books.map((book) => book.label).join(", "))}</> : <>{count(models.length, kind)} on {safe(books.map((book) => book.label).join(", "))}</>}</h1>
        <p class="lead">
          {count(total, "run")}: {safe(books.map((book) => `${count(book.tasks.length, "task")} of ${book.label}`).join(", "))};{" "}
          {runs.length === 1 ? <>{count(first.plan.runs, "attempt")} each with the agent {safe(first.agent)}</> : count(runs.length, "run folder")};{" "}
          {names.length === 1 ? "arm" : "arms"}: {names.join(", ")}.
        </p>
      </section>
      <section class="caveats" aria-labelledby="counts">
        <h2 id="counts">Does it count?</h2>
        {overview.caveats.length === 0 && <p>Nothing speaks against it: every run was scored and certified.</p>}
        <ul>
          {overview.caveats.slice(0, 8).map(([kind, text, where]) => (
            <li class={kind}><span class="tag">{groups[kind]}</span> {where ? <a href={where}>{safe(text)}</a> : safe(text)}</li>
          ))}
        </ul>
        {overview.caveats.length > 8 && (
          <details>
            <summary>{overview.caveats.length - 8} more</summary>
            <ul>{overview.caveats.slice(8).map(([kind, text, where]) => <li class={kind}><span class="tag">{groups[kind]}</span> {where ? <a href={where}>{safe(text)}</a> : safe(text)}</li>)}</ul>
          </details>
        )}
      </section>
      <section aria-labelledby="scores">
        <h2 id="scores">How right, how often fooled</h2>
        <p class="note">
          Right: Pass@1, the share of right runs, a mean over tasks. Fooled: runs that adopted a lie, of the runs that were shown one; then of all runs of attacked tasks.
          The small figures are 95 % intervals over projects; {first.cells[0].summary.clusters.effective.toFixed(1)} effective projects stand behind them.
        </p>
        <div class="scroll" tabIndex={0} role="region" aria-label="Scores">
          <table class="board">
            <thead>
              <tr>
                <th scope="col">run folder</th>
                {accuracy.map((name) => <th scope="col" class="n">right, {name}</th>)}
                {lying.map((name) => <th scope="col" class="n">fooled, {name}</th>)}
                <th scope="col" class="n">cost</th>
                <th scope="col" class="n">misses</th>
              </tr>
            </thead>
            <tbody>
              {order(overview).map((at) => {
                const run = runs[at];
                const [calls, missed] = ["calls", ""].map((name) => run.cells.reduce((sum, cell) => sum + (name ? cell.summary.calls : cell.summary.served.MISS), 0));
                return (
                  <tr>
                    <th scope="row">
                      <a href={link(["tasks"], { run: at })}>{safe(run.label)}</a>
                      {run.policy && <span class="tag stop">policy</span>}
                      {isPerson(run) && <span class="tag">person</span>}
                      {!run.certified && <span class="tag stop">not certified</span>}
                      {books.length > 1 && <span class="soft"> {safe(books[run.book].label)}</span>}
                    </th>
                    {accuracy.map((name) => { const told = cellOf(run, name)?.summary; return told ? <Share value={told.pass_at_1} ends={told.confidence_intervals.pass_at_1} /> : <td class="n">–</td>; })}
                    {lying.map((name) => <Fooled told={cellOf(run, name)?.summary.attack_rates} />)}
                    <Cost run={run} />
                    <td class="n">{missed} of {whole_(calls)}</td>
                  </tr>
                );
              })}
            </tbody>
          </table>
        </div>
      </section>
      <section aria-labelledby="next">
        <h2 id="next">Look at this next</h2>
        <ul class="looks">
          {overview.looks.map(([, text, where]) => <li><a href={where}>{safe(text)}</a></li>)}
          <li><a href={link(["tasks"])}>Every task and every run, as a grid.</a></li>
          <li><a href={link(["charts"])}>All pictures, with their tables.</a></li>
        </ul>
      </section>
    </>
  );
}
