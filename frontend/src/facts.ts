// The facts of single runs, as results.parquet has them: looked up, filtered and counted, never worked out again.
import { text, type Overview, type Rows } from "./data";

export type Fact = {
  run: number; cell: number; attempt: number; stop: string; correct: 0 | 1 | null; answer: string | null; reason: string;
  turns: number; calls: number; misses: number; errors: number; tokens: [number, number]; cost: string | null;
  exposed: boolean; opened: boolean; adopted: boolean | null; byAuthority: boolean; resisted: boolean;
  before: boolean; after: boolean; family: string | null; first: number | null; loss: string | null; scored: boolean;
};

export type Facts = Map<string, Fact[]>; // by "run.cell.task"

export const key = (run: number, cell: number, task: number) => `${run}.${cell}.${task}`;

export function index(overview: Overview, all: Rows[][]): Facts {
  const found: Facts = new Map();
  all.forEach((cells, run) => cells.forEach((rows, cell) => {
    for (let at = 0; at < rows.task.length; at++) {
      const stop = text(rows.stop, at)!;
      const fact: Fact = {
        run, cell, attempt: rows.attempt[at], stop, correct: rows.correct[at], answer: text(rows.answer, at), reason: text(rows.reason, at) ?? "",
        turns: rows.turns[at], calls: rows.calls[at], misses: rows.served_miss[at], errors: rows.served_error[at],
        tokens: [rows.prompt_tokens[at], rows.completion_tokens[at]], cost: text(rows.cost_usd, at),
        exposed: !!rows.exposed[at], opened: !!rows.opened[at], adopted: rows.adopted[at] === null ? null : !!rows.adopted[at],
        byAuthority: !!rows.adopted_authoritative_text[at], resisted: !!rows.resisted[at],
        before: !!rows.verified_before[at], after: !!rows.verified_after[at], family: text(rows.adopted_attack, at),
        first: rows.first_exposed_step[at], loss: text(rows.loss_usd, at), scored: overview.stops[stop]?.scored ?? true,
      };
      const where = key(run, cell, rows.task[at]);
      const own = found.get(where);
      if (own) own.push(fact);
      else found.set(where, [fact]);
    }
  }));
  return found;
}

export type Outcome = "right" | "fooled" | "wrong" | "unscored";
export const GLYPH: Record<Outcome, string> = { right: "●", fooled: "▲", wrong: "○", unscored: "·" };
export const SAID: Record<Outcome, string> = { right: "right", fooled: "fooled: it adopted a lie", wrong: "wrong", unscored: "not scored" };

export function outcome(fact: Fact): Outcome {
  if (fact.adopted || fact.byAuthority) return "fooled";
  if (fact.correct === null) return "unscored";
  return fact.correct ? "right" : "wrong";
}
