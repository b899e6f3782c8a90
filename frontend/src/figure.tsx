// A figure: its picture, the table behind it, and both as files.
import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { safe, safeString } from "./text";

export type Value = string | number | null;
export type Table = { head: string[]; rows: Value[][]; links?: (string | null)[] };

/** One cell of a CSV file. A text that a spreadsheet would take for a formula gets an apostrophe before it. */
function csvCell(value: Value): string {
  if (value === null) return "";
  if (typeof value === "number") return String(value);
  const text = safeString(value);
  const guarded = /^[\s]*[=+\-@|%]/.test(text) ? `'${text}` : text;
  return /[",\n\r]/.test(guarded) ? `"${guarded.replaceAll('"', '""')}"` : guarded;
}

export const csv = (table: Table) => [table.head, ...table.rows].map((row) => row.map(csvCell).join(",") + "\r\n").join("");

/** How a picture looks as a file of its own: on paper, by the same classes as on the page. */
const PAPER = `text{font:12px system-ui,sans-serif;fill:#1c2330}.soft{fill:#5a6472}.grid{stroke:#d9dee5}.zero{stroke:#5a6472}
.s0{fill:#1f5fbf;stroke:#1f5fbf}.s1{fill:#c2410c;stroke:#c2410c}.s2{fill:#0f766e;stroke:#0f766e}.s3{fill:#7c3aed;stroke:#7c3aed}
.s4{fill:#57606c;stroke:#57606c}.s5{fill:#a16207;stroke:#a16207}.open{fill:#fff}.line{fill:none;stroke-width:1.6}.bar{stroke:none}.cut{stroke:#fff;fill:none}
.band{fill:#5a6472;opacity:.16}.people{stroke:#1c2330;stroke-width:1.5;stroke-dasharray:5 4}`;

function save(name: string, kind: string, content: string): void {
  const made = document.createElement("a");
  made.download = name;
  made.href = `data:${kind};charset=utf-8,${encodeURIComponent(content)}`;
  made.click();
}

async function copy(content: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(content);
  } catch {
    const field = document.createElement("textarea");
    field.value = content;
    document.body.append(field);
    field.select();
    document.execCommand("copy");
    field.remove();
  }
}

function svgText(picture: SVGElement): string {
  const alone = picture.cloneNode(true) as SVGElement;
  alone.setAttribute("xmlns", "http://www.w3.org/2000/svg");
  const style = document.createElementNS("http://www.w3.org/2000/svg", "style");
  style.textContent = PAPER;
  alone.prepend(style);
  return new XMLSerializer().serializeToString(alone);
}

export function Rows({ table, caption }: { table: Table; caption: string }) {
  const numeric = table.head.map((_, at) => table.rows.every((row) => typeof row[at] !== "string" || /^[-–+−$~]?[\d.,]*[ %–\d.]*$/.test(row[at] as string)));
  return (
    <div class="scroll" tabIndex={0} role="region" aria-label={caption}>
      <table>
        <caption class="sr">{caption}</caption>
        <thead><tr>{table.head.map((one, at) => <th scope="col" class={numeric[at] ? "n" : ""}>{safe(one)}</th>)}</tr></thead>
        <tbody>
          {table.rows.map((row, at) => (
            <tr>
              {row.map((one, column) => {
                const shown = one === null ? "–" : typeof one === "number" ? one.toLocaleString("en-US", { maximumFractionDigits: 6 }) : safe(one);
                const href = column === 0 ? table.links?.[at] : null;
                const inner = href ? <a href={href}>{shown}</a> : shown;
                return column === 0 ? <th scope="row">{inner}</th> : <td class={numeric[column] ? "n" : ""}>{inner}</td>;
              })}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

type Props = {
  id: string; title: string; note?: ComponentChildren; table: Table; open?: boolean;
  draw?: (width: number) => ComponentChildren; empty?: string;
};

export function Figure({ id, title, note, table, draw, empty, open }: Props) {
  const box = useRef<HTMLDivElement>(null);
  const [width, setWidth] = useState(720);
  const [said, setSaid] = useState("");
  useEffect(() => {
    const seen = new ResizeObserver(() => box.current && setWidth(Math.max(300, Math.round(box.current.clientWidth))));
    if (box.current) seen.observe(box.current);
    return () => seen.disconnect();
  }, []);
  const is_empty = table.rows.length === 0;
  return (
    <section class="figure" id={`figure-${id}`} aria-labelledby={`title-${id}`} tabIndex={-1}>
      <h2 id={`title-${id}`}>{safe(title)}</h2>
      {note && <p class="note">{typeof note === "string" ? safe(note) : note}</p>}
      {is_empty ? <p class="none">{safe(empty ?? "Nothing of this kind was run.")}</p> : (
        <>
          <div ref={box} class="picture">{draw?.(width)}</div>
          <details open={open}>
            <summary>Table ({table.rows.length} {table.rows.length === 1 ? "row" : "rows"})</summary>
            <Rows table={table} caption={title} />
          </details>
          <p class="tools">
            <button onClick={() => copy(csv(table)).then(() => setSaid("Copied."))}>Copy CSV<span class="sr"> of {title}</span></button>
            <button onClick={() => save(`${id}.csv`, "text/csv", csv(table))}>Save CSV<span class="sr"> of {title}</span></button>
            {draw && (
              <button onClick={() => { const svg = box.current?.querySelector("svg"); if (svg) save(`${id}.svg`, "image/svg+xml", svgText(svg)); }}>
                Save SVG<span class="sr"> of {title}</span>
              </button>
            )}
            <span role="status">{said}</span>
          </p>
        </>
      )}
    </section>
  );
}
