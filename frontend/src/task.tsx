// One task: what was asked, what is right, what was planted, and what every run made of it.
import { cellName, dollars, type Lie, type Overview, type Task } from "./data";
import { key, outcome, SAID, GLYPH, type Facts } from "./facts";
import { Legend, Marks, told } from "./grid";
import { order } from "./overview";
import { link, wellFormed } from "./route";
import { Long, safe, safeString } from "./text";

/** What a task asks, and what was planted against it: in one run folder, or in any of them. */
export function Asked({ overview, book, task, source }: { overview: Overview; book: number; task: Task; source?: number }) {
  const against = (lie: Lie) => source === undefined ? lie.attacked : lie.by.some(([at, attacked]) => at === source && attacked);
  const lies = overview.lies.filter((lie) => lie.book === book && lie.task === task.id && against(lie) && lie.family !== "placebo");
  const planted = [...new Map(lies.map((lie) => [`${lie.value}.${lie.family}`, lie])).values()];
  return (
    <dl class="asked">
      <dt>Question</dt><dd><Long text={task.question} label="the question" /></dd>
      <dt>Right answer</dt><dd><mark class="truth">{safe(task.expected.join("; "))}</mark></dd>
      {planted.length > 0 && <><dt>Planted</dt><dd>{planted.map((lie) => <span class="item"><mark class="lie">{lie.value ? safe(lie.value) : "an instruction"}</mark> <span class="soft">{safe(lie.family)}</span></span>)}</dd></>}
      <dt>About</dt><dd>{safe(task.category)}{task.project ? <>, project {safe(task.project)}</> : ""}{task.difficulty !== null ? `, difficulty ${task.difficulty}` : ""}{task.stake_usd && task.stake_usd !== "0" ? <>, stake {dollars(task.stake_usd)} <span class="soft">({safe(task.stake_reason ?? "")})</span></> : ""}</dd>
    </dl>
  );
}

export function TaskPage({ overview, facts, book, id }: { overview: Overview; facts: Facts; book: number; id: string }) {
  const place = overview.books[book]?.tasks.findIndex((one) => wellFormed(one.id) === id) ?? -1;
  const task = overview.books[book]?.tasks[place];
  if (!task) return <p class="none">The report has no such task.</p>;
  return (
    <>
      <p class="crumbs"><a href={link(["tasks"])}>Tasks</a></p>
      <h1>{safe(task.id)}</h1>
      <Asked overview={overview} book={book} task={task} />
      <h2>What every run made of it</h2>
      <Legend />
      <div class="scroll" tabIndex={0} role="region" aria-label="Runs of this task">
        <table>
          <thead><tr><th scope="col">run folder</th><th scope="col">arm</th><th scope="col">attempts</th><th scope="col">answers</th></tr></thead>
          <tbody>
            {order(overview).flatMap((at) => overview.runs[at].cells.map((cell, number) => {
              const run = overview.runs[at];
              const own = run.book === book ? facts.get(key(at, number, place)) ?? [] : [];
              if (!own.length) return null;
              const answers = new Map<string, typeof own>();
              own.forEach((fact) => { const said = fact.answer ?? `(${fact.stop})`; answers.set(said, [...(answers.get(said) ?? []), fact]); });
              const folder = `${cell.arm}-${cell.condition}`;
              return (
                <tr>
                  <th scope="row"><a href={link(["run", at, folder, id, own[0].attempt])} aria-label={safeString(`${run.label}, ${cellName(cell)}: ${told(own)}`)}>{safe(run.label)}</a></th>
                  <td>{cellName(cell)}</td>
                  <td><Marks facts={own} /><span class="sr">{told(own)}</span></td>
                  <td>
                    {[...answers].map(([said, those]) => (
                      <span class="item">
                        <span class={`o-${outcome(those[0])}`} title={SAID[outcome(those[0])]}>{GLYPH[outcome(those[0])]}</span>{" "}
                        <a href={link(["run", at, folder, id, those[0].attempt])}>{safe(said)}</a>
                        {those.length > 1 && <span class="soft"> × {those.length}</span>}
                      </span>
                    ))}
                  </td>
                </tr>
              );
            }))}
          </tbody>
        </table>
      </div>
    </>
  );
}
