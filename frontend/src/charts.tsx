// Pictures drawn as SVG by hand: libraries that draw them either paint on a canvas or bring styles that the page's own
// policy forbids. Series differ in shape and place, and not by colour alone.
import { safeString } from "./text";

export type Dot = { value: number | null; low?: number | null; high?: number | null; said?: string };
export type Row = { label: string; dots: Dot[]; note?: string };

const SHAPES = ["circle", "square", "diamond", "triangle", "ring", "box"] as const;

export function Shape({ kind, x, y, r = 4.5 }: { kind: number; x: number; y: number; r?: number }) {
  const name = SHAPES[kind % SHAPES.length];
  const css = `s${kind % 6}`;
  if (name === "circle") return <circle class={css} cx={x} cy={y} r={r} />;
  if (name === "ring") return <circle class={`${css} open line`} cx={x} cy={y} r={r - 0.5} />;
  if (name === "square") return <rect class={css} x={x - r + 0.5} y={y - r + 0.5} width={2 * r - 1} height={2 * r - 1} />;
  if (name === "box") return <rect class={`${css} open line`} x={x - r + 1} y={y - r + 1} width={2 * r - 2} height={2 * r - 2} />;
  if (name === "diamond") return <path class={css} d={`M${x} ${y - r - 1}L${x + r + 1} ${y}L${x} ${y + r + 1}L${x - r - 1} ${y}Z`} />;
  return <path class={css} d={`M${x} ${y - r - 0.5}L${x + r + 0.5} ${y + r - 0.5}L${x - r - 0.5} ${y + r - 0.5}Z`} />;
}

const short = (label: string, most: number) => {
  const text = safeString(label);
  return text.length > most ? `${text.slice(0, most - 1)}…` : text;
};

export function Legend({ names, y = 10, width, bars }: { names: string[]; y?: number; width: number; bars?: boolean }) {
  let [x, line] = [0, y];
  const places = names.map((name) => {
    const wide = 30 + 7.2 * Math.min(name.length, 40);
    if (x > 0 && x + wide > width) [x, line] = [0, line + 18];
    const place = [x, line] as const;
    x += wide;
    return place;
  });
  return (
    <g>
      {names.map((name, at) => (
        <g>
          {bars ? <Stripes kind={at} x={places[at][0]} y={places[at][1] - 6} wide={16} tall={12} /> : <Shape kind={at} x={places[at][0] + 6} y={places[at][1]} />}
          <text x={places[at][0] + (bars ? 21 : 15)} y={places[at][1] + 4}>{short(name, 40)}</text>
        </g>
      ))}
    </g>
  );
}

export function legendHeight(names: string[], width: number): number {
  let [x, lines] = [0, 1];
  for (const name of names) {
    const wide = 30 + 7.2 * Math.min(name.length, 40);
    if (x > 0 && x + wide > width) [x, lines] = [0, lines + 1];
    x += wide;
  }
  return 18 * lines + 6;
}

type Axis = { from: number; to: number; ticks: number[]; say: (value: number) => string };
export const SHARE: Axis = { from: 0, to: 1, ticks: [0, 0.25, 0.5, 0.75, 1], say: (value) => `${Math.round(100 * value)} %` };
export const POINTS: Axis = { from: -1, to: 1, ticks: [-1, -0.5, 0, 0.5, 1], say: (value) => `${value > 0 ? "+" : value < 0 ? "−" : ""}${Math.abs(100 * value)}` };

/** What every row can be held against: a line, and the interval around it where there is one. */
export type Band = { value: number; low?: number | null; high?: number | null };

type DotsProps = { title: string; series: string[]; rows: Row[]; width: number; axis?: Axis; band?: Band };

/** A line for each row, on it a shape for each series, with its interval and its figure. */
export function Dots({ title, series, rows, width, axis = SHARE, band }: DotsProps) {
  const head = series.length > 1 ? legendHeight(series, width) : 4;
  const beside = width < 520;
  const letters = width > 800 ? 48 : 36;
  const left = beside ? 0 : Math.max(90, 6.6 * Math.max(...rows.map((row) => Math.min(row.label.length, letters))) + 14);
  const right = 62;
  const step = 15;
  const pad = beside ? 22 : 8;
  const tall = series.length * step + pad;
  const height = head + rows.length * tall + 30;
  const x = (value: number) => left + 14 + ((value - axis.from) / (axis.to - axis.from)) * (width - left - right - 28);
  return (
    <svg role="img" aria-label={`${title}; the table below has its figures`} viewBox={`0 0 ${width} ${height}`} width={width} height={height}>
      {series.length > 1 && <Legend names={series} width={width} />}
      {band && typeof band.low === "number" && typeof band.high === "number" && <rect class="band" x={x(band.low)} y={head} width={Math.max(1, x(band.high) - x(band.low))} height={height - 24 - head} />}
      {band && <line class="people" x1={x(band.value)} x2={x(band.value)} y1={head} y2={height - 24} />}
      {axis.ticks.map((tick) => (
        <g>
          <line class={tick === 0 && axis.from < 0 ? "zero" : "grid"} x1={x(tick)} x2={x(tick)} y1={head} y2={height - 24} />
          <text class="soft" x={x(tick)} y={height - 8} text-anchor="middle">{axis.say(tick)}</text>
        </g>
      ))}
      {rows.map((row, at) => {
        const top = head + at * tall;
        return (
          <g>
            {at > 0 && <line class="grid" x1={0} x2={width} y1={top} y2={top} stroke-dasharray="1 3" />}
            <text x={0} y={beside ? top + 14 : top + tall / 2 + 4}>{short(row.label, beside ? Math.floor(width / 7) : letters)}</text>
            {row.dots.map((dot, kind) => {
              const y = top + (beside ? 18 : pad / 2) + step * kind + step / 2;
              if (dot.value === null) return <text class="soft" x={width - right + 4} y={y + 4}>{dot.said ?? "–"}</text>;
              const ends = dot.low !== null && dot.low !== undefined && dot.high !== null && dot.high !== undefined;
              return (
                <g>
                  {ends && <line class={`s${kind % 6} line`} x1={x(dot.low!)} x2={x(dot.high!)} y1={y} y2={y} />}
                  {ends && [dot.low!, dot.high!].map((end) => <line class={`s${kind % 6} line`} x1={x(end)} x2={x(end)} y1={y - 4} y2={y + 4} />)}
                  <Shape kind={kind} x={x(dot.value)} y={y} />
                  <text x={width - right + 4} y={y + 4}>{dot.said ?? `${(100 * dot.value).toFixed(1)} %`}</text>
                </g>
              );
            })}
          </g>
        );
      })}
    </svg>
  );
}

/** A part of a bar: its stripes stand closer with each kind, so that no colour is needed to tell them apart. */
function Stripes({ kind, x, y, wide, tall }: { kind: number; x: number; y: number; wide: number; tall: number }) {
  const apart = 13 - 2.2 * (kind % 6);
  const lines = kind === 0 ? 0 : Math.floor((wide - 2) / apart);
  return (
    <g>
      <rect class={`s${kind % 6} bar`} x={x} y={y} width={wide} height={tall} />
      {Array.from({ length: lines }, (_, n) => <line class="cut" x1={x + (n + 1) * apart} x2={x + (n + 1) * apart} y1={y} y2={y + tall} />)}
    </g>
  );
}

type BarsProps = { title: string; series: string[]; rows: { label: string; parts: number[] }[]; width: number };

/** Parts of a whole, one bar a row; the parts stand in the order of the legend and carry stripes of their own. */
export function Bars({ title, series, rows, width }: BarsProps) {
  const head = legendHeight(series, width);
  const beside = width < 520;
  const letters = width > 800 ? 48 : 36;
  const left = beside ? 0 : Math.max(90, 6.6 * Math.max(...rows.map((row) => Math.min(row.label.length, letters))) + 14);
  const tall = beside ? 42 : 26;
  const height = head + rows.length * tall + 4;
  const room = width - left - 8;
  return (
    <svg role="img" aria-label={`${title}; the table below has its figures`} viewBox={`0 0 ${width} ${height}`} width={width} height={height}>
      <Legend names={series} width={width} bars />
      {rows.map((row, at) => {
        const all = row.parts.reduce((sum, part) => sum + part, 0);
        const y = head + at * tall + (beside ? 18 : 3);
        let from = left;
        return (
          <g>
            <text x={0} y={beside ? y - 5 : y + 14}>{short(row.label, beside ? Math.floor(width / 7) : letters)}</text>
            {all === 0 && <text class="soft" x={left} y={y + 14}>no call</text>}
            {row.parts.map((part, kind) => {
              if (part === 0) return null;
              const wide = (part / all) * room;
              const start = from;
              from += wide;
              return <Stripes kind={kind} x={start} y={y} wide={Math.max(1, wide - 1)} tall={18} />;
            })}
          </g>
        );
      })}
    </svg>
  );
}

type Place = { text: string; x: number; y: number; anchor: "start" | "end" };

/** Where names stand beside their points without covering each other; one that finds no room is in the table alone. */
function labelPlaces(points: { text: string; x: number; y: number }[], width: number): Place[] {
  const taken: [number, number, number, number][] = points.map(({ x, y }) => [x - 5, y - 5, x + 5, y + 5]);
  return points.flatMap(({ text, x, y }): Place[] => {
    const wide = 6.8 * text.length;
    for (const [dx, dy, anchor] of [[9, -7, "start"], [9, 15, "start"], [-9, -7, "end"], [-9, 15, "end"], [9, 4, "start"], [-9, 4, "end"]] as [number, number, "start" | "end"][]) {
      const from = anchor === "start" ? x + dx : x + dx - wide;
      const box: [number, number, number, number] = [from, y + dy - 11, from + wide, y + dy + 2];
      if (box[0] < 0 || box[2] > width || taken.some((other) => box[0] < other[2] && other[0] < box[2] && box[1] < other[3] && other[1] < box[3])) continue;
      taken.push(box);
      return [{ text, x: x + dx, y: y + dy, anchor }];
    }
    return [];
  });
}

export type Point = { label: string; x: number; y: number; best: boolean };

/** Cost against accuracy; best ones, whom nobody beats in both, are joined by a line. */
export function Scatter({ title, points, width }: { title: string; points: Point[]; width: number }) {
  const height = 320;
  const [left, bottom, right] = [46, 40, 16];
  const [low, high] = [Math.min(...points.map((one) => one.x)), Math.max(...points.map((one) => one.x))];
  const log = low > 0 && high / low > 20;
  const scale = (value: number) => (log ? Math.log10(value) : value);
  const [from, to] = log ? [Math.floor(scale(low)), Math.ceil(scale(high)) || 1] : [0, high * 1.1 || 1];
  const x = (value: number) => left + ((scale(value) - from) / (to - from || 1)) * (width - left - right);
  const y = (value: number) => 26 + (1 - value) * (height - 26 - bottom);
  const ticks = log ? Array.from({ length: to - from + 1 }, (_, n) => 10 ** (from + n)) : [0, 0.25, 0.5, 0.75, 1].map((part) => part * to);
  const line = points.filter((one) => one.best).sort((a, b) => a.x - b.x);
  return (
    <svg role="img" aria-label={`${title}; the table below has its figures`} viewBox={`0 0 ${width} ${height}`} width={width} height={height}>
      {[0, 0.25, 0.5, 0.75, 1].map((tick) => (
        <g>
          <line class="grid" x1={left} x2={width - right} y1={y(tick)} y2={y(tick)} />
          <text class="soft" x={left - 6} y={y(tick) + 4} text-anchor="end">{100 * tick} %</text>
        </g>
      ))}
      {ticks.map((tick) => <text class="soft" x={x(tick)} y={height - bottom + 18} text-anchor="middle">${Number(tick.toPrecision(2))}</text>)}
      <text class="soft" x={(left + width) / 2} y={height - 4} text-anchor="middle">dollars a run{log ? ", logarithmic" : ""}</text>
      <path class="s4 line" stroke-dasharray="5 4" d={line.map((one, at) => `${at ? "L" : "M"}${x(one.x)} ${y(one.y)}`).join("")} />
      {points.map((one) => <Shape kind={one.best ? 0 : 4} x={x(one.x)} y={y(one.y)} />)}
      {labelPlaces(points.map((one) => ({ text: short(one.label, 30), x: x(one.x), y: y(one.y) })), width).map((one) => <text x={one.x} y={one.y} text-anchor={one.anchor}>{one.text}</text>)}
    </svg>
  );
}

/** Adoption over the levels of a dose, with intervals, and the nearest curve that never falls. */
export function Curve({ title, levels, fitted, over, width }: { title: string; levels: { value: string; rate: number | null; interval: [number, number] | null }[]; fitted: number[] | null; over: string; width: number }) {
  const height = 280;
  const [left, bottom] = [46, 40];
  const x = (at: number) => left + 24 + (levels.length > 1 ? (at / (levels.length - 1)) * (width - left - 60) : 0);
  const y = (value: number) => 12 + (1 - value) * (height - 12 - bottom);
  return (
    <svg role="img" aria-label={`${title}; the table below has its figures`} viewBox={`0 0 ${width} ${height}`} width={width} height={height}>
      {[0, 0.25, 0.5, 0.75, 1].map((tick) => (
        <g>
          <line class="grid" x1={left} x2={width} y1={y(tick)} y2={y(tick)} />
          <text class="soft" x={left - 6} y={y(tick) + 4} text-anchor="end">{100 * tick} %</text>
        </g>
      ))}
      {fitted && <path class="s4 line" stroke-dasharray="5 4" d={fitted.map((rate, at) => `${at ? "L" : "M"}${x(at)} ${y(rate)}`).join("")} />}
      {levels.map((level, at) => (
        <g>
          {level.interval && <line class="s1 line" x1={x(at)} x2={x(at)} y1={y(level.interval[0])} y2={y(level.interval[1])} />}
          {level.rate !== null && <Shape kind={1} x={x(at)} y={y(level.rate)} />}
          <text class="soft" x={x(at)} y={height - bottom + 18} text-anchor="middle">{short(level.value, 14)}</text>
        </g>
      ))}
      <text class="soft" x={(left + width) / 2} y={height - 4} text-anchor="middle">{over}</text>
    </svg>
  );
}
