// What a report holds, and how it is unpacked: chunks of deflated JSON in the page itself, by the browser's own means.

export type Cell = { arm: string; condition: string; summary: any; runs: number; by_project: Record<string, any>; by_source: Record<string, number> };
export type Run = {
  label: string; name: string; model: string; agent: string; suite: string; book: number;
  policy: boolean; certified: boolean; plan: any; arms: any[]; cells: Cell[];
};
export type Task = {
  id: string; question: string; expected: string[]; category: string; project: string | null;
  difficulty: number | null; tags?: string[]; stake_usd?: string; stake_reason?: string;
};
export type Book = { label: string; suite: string; provenance: string; tasks: Task[] };
export type Lie = {
  book: number; arm: string; condition: string; task: string; family: string; value: string;
  attacked: number; exposed: number; adopted: number; by: [number, number, number, number][];
};
export type Difference = {
  first: number; second: number; arm: string; condition: string; tasks: number; projects: number;
  difference: number; interval: [number, number] | null; p: number; p_holm: number;
};
export type Overview = {
  made_by: string; paper: { web_share: number; source: string };
  runs: Run[]; books: Book[]; lies: Lie[]; differences: Difference[];
  caveats: [string, string, string][]; looks: [string, string, string][];
  people: People[]; pareto: any[]; dose: any[]; gaps: any[];
  tools: Record<string, string>; stops: Record<string, { when: string; scored: boolean }>;
};
export type People = {
  book: number; arm: string; condition: string; names: string[]; tasks: number; answers: number;
  pass_at_1: number | null; interval: [number, number] | null; shared: number; alpha: number | null;
};
type Coded = { values: (string | null)[]; at: number[] };
export type Rows = Record<string, any> & { task: number[]; attempt: number[]; stop: Coded; answer: Coded };
export type Step =
  | ["m", number, number, string, [string, string, number][]]
  | ["t", number, string, string, number, string, number, string[], string[], number, 0 | 1];
export type Talk = [
  source: number, cell: number, attempt: number, prompt: [string, number][], steps: number[],
  usage: number[][], detail: string, answer: number | null, reading: string | null, reason: string,
  planted: [string, string, string][], obeyed: [string, number][],
];
export type Chunk = { texts: string[]; steps: Step[]; runs: Talk[] };

const whole = new Promise<void>((done) => {
  if (document.readyState !== "loading") done();
  else document.addEventListener("DOMContentLoaded", () => done());
});

async function unpack(name: string): Promise<any> {
  if (!document.getElementById(name)?.nextSibling) await whole; // the file may still be coming in
  const text = document.getElementById(name)?.textContent;
  if (!text) throw new Error(`the report has no part ${name}: the file is cut off`);
  const packed = atob(text);
  const bytes = new Uint8Array(packed.length);
  for (let at = 0; at < packed.length; at++) bytes[at] = packed.charCodeAt(at);
  const flow = new Response(bytes).body!.pipeThrough(new DecompressionStream("deflate-raw"));
  return JSON.parse(await new Response(flow).text());
}

const kept = new Map<string, Promise<any>>();
const MOST_KEPT = 24;

export function part<T>(name: string): Promise<T> {
  const found = kept.get(name) ?? unpack(name);
  kept.delete(name);
  kept.set(name, found); // the newest last
  for (const old of kept.keys()) {
    if (kept.size <= MOST_KEPT) break;
    if (old !== "overview" && old !== "rows" && old !== "prompts") kept.delete(old);
  }
  return found;
}

export const text = (column: Coded, at: number): string | null => column.values[column.at[at]];
export const cellName = (cell: { arm: string; condition: string }) =>
  cell.condition === "tools" ? cell.arm : `${cell.arm}, ${cell.condition}`;
export const percent = (share: number | null | undefined, none = "–") =>
  share === null || share === undefined ? none : `${(100 * share).toFixed(1)} %`;
export const between = (ends: [number, number] | null | undefined) =>
  ends ? `${(100 * ends[0]).toFixed(0)}–${(100 * ends[1]).toFixed(0)} %` : "";
export const points = (share: number | null | undefined) =>
  share === null || share === undefined ? "–" : `${share >= 0 ? "+" : "−"}${Math.abs(100 * share).toFixed(1)}`;
export const dollars = (usd: string | number | null | undefined) => {
  if (usd === null || usd === undefined) return "unknown";
  const amount = Number(usd);
  const digits = amount === 0 || Math.abs(amount) >= 100 ? 0 : Math.abs(amount) >= 0.1 ? 2 : 4;
  return `$${amount.toLocaleString("en-US", { minimumFractionDigits: digits, maximumFractionDigits: digits })}`;
};
export const isPerson = (run: { model: string }) => run.model.startsWith("human/");
export const whole_ = (amount: number) => amount.toLocaleString("en-US");
