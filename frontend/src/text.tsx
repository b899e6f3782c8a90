// Text that anybody may have written: always a text node, what is invisible or turns lines around shown as an escape.
import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";

const ODD = /[\p{C}\u2028\u2029\u115f\u1160\u3164\uffa0\u2800]/u;
const ODDS = new RegExp(`(?![\\n\\t])${ODD.source}`, "gu");

/** The text as strings and escapes, such as \u{202e}. */
export function safe(text: string): ComponentChildren {
  if (!ODD.test(text)) return text;
  const parts: ComponentChildren[] = [];
  let from = 0;
  for (const found of text.matchAll(ODDS)) {
    parts.push(text.slice(from, found.index));
    parts.push(<span class="odd">{escape(found[0])}</span>);
    from = found.index + found[0].length;
  }
  parts.push(text.slice(from));
  return parts;
}

const escape = (letter: string) => `\\u{${letter.codePointAt(0)!.toString(16)}}`;

/** The same as a plain string, for titles, labels and files. */
export const safeString = (text: string) => text.replace(ODDS, escape);

export type Mark = { value: string; kind: "lie" | "truth" | "placebo" };

const LETTER = /[\p{L}\p{N}]/u;

/** Where the marked values stand in a text, whole words alone, the longest first. */
function spans(text: string, marks: Mark[]): [number, number, Mark["kind"]][] {
  const found: [number, number, Mark["kind"]][] = [];
  const taken = (from: number, to: number) => found.some(([a, b]) => from < b && a < to);
  for (const { value, kind } of [...marks].sort((a, b) => b.value.length - a.value.length)) {
    if (!value) continue;
    for (let at = text.indexOf(value); at >= 0 && found.length < 500; at = text.indexOf(value, at + value.length)) {
      const [before, after] = [text[at - 1] ?? "", text[at + value.length] ?? ""];
      const inside =
        (LETTER.test(before) && LETTER.test(value[0])) || (LETTER.test(after) && LETTER.test(value[value.length - 1])) ||
        (/\d/.test(value[0]) && /[.,]/.test(before) && /\d/.test(text[at - 2] ?? "")) ||
        (/\d$/.test(value) && /[.,]/.test(after) && /\d/.test(text[at + value.length + 1] ?? ""));
      if (!inside && !taken(at, at + value.length)) found.push([at, at + value.length, kind]);
    }
  }
  return found.sort((a, b) => a[0] - b[0]);
}

const SAID = { lie: "planted", truth: "right answer", placebo: "placebo, nothing false" };

export function marked(text: string, marks: Mark[]): ComponentChildren {
  const parts: ComponentChildren[] = [];
  let from = 0;
  for (const [start, end, kind] of spans(text, marks)) {
    parts.push(safe(text.slice(from, start)));
    parts.push(<mark class={kind} title={SAID[kind]}>{safe(text.slice(start, end))}<span class="sr"> ({SAID[kind]})</span></mark>);
    from = end;
  }
  parts.push(safe(text.slice(from)));
  return parts;
}

const MORE = 100_000;

/** A long text, cut until somebody wants more of it: a megabyte at once would hold the page up. */
export function Long({ text, marks = [], first = 1_500, label }: { text: string; marks?: Mark[]; first?: number; label: string }) {
  const [most, setMost] = useState(first);
  const cut = text.length > most * 1.2 ? cutAt(text, most) : text.length;
  return (
    <>
      <pre class="text" dir="auto">{marked(text.slice(0, cut), marks)}</pre>
      {cut < text.length && (
        <button class="more" onClick={() => setMost(most + MORE)}>
          {text.length - cut > MORE ? `Show ${MORE.toLocaleString("en-US")} more` : "Show all"} of {text.length.toLocaleString("en-US")} characters
          <span class="sr"> of {label}</span>
        </button>
      )}
    </>
  );
}

const cutAt = (text: string, at: number) => (/[\ud800-\udbff]/.test(text[at - 1]) ? at + 1 : at); // never half a letter
