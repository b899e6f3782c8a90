// The page: three views by the address, and the keys that work in all of them.
import { render } from "preact";
import { useEffect, useState } from "preact/hooks";
import { part, type Overview, type Rows } from "./data";
import { index, type Facts } from "./facts";
import { Grid } from "./grid";
import { FirstScreen } from "./overview";
import { Pictures } from "./pictures";
import { go, left, link, read, useRoute } from "./route";
import { RunPage } from "./run";
import { TaskPage } from "./task";
import { safeString } from "./text";

function back(): void {
  const { path, query } = read();
  if (path[0] === "run" || path[0] === "task") go(left.grid);
  else if (path[0] === "tasks" && [...query].length) go(link(["tasks"]));
  else go("#/");
}

function step(by: number): void {
  const { path, query } = read();
  const most = Number(document.querySelector<HTMLElement>("[data-steps]")?.dataset.steps ?? 0);
  const next = Math.max(1, Math.min(most, Number(query.get("step") ?? 0) + by));
  query.set("step", String(next));
  go(link(path, Object.fromEntries(query)), true);
}

const KEYS: Record<string, () => void> = {
  "/": () => {
    const field = document.getElementById("search");
    if (field) field.focus();
    else { left.search = true; go(link(["tasks"])); }
  },
  Escape: () => { const on = document.activeElement; if (on instanceof HTMLInputElement) on.blur(); else back(); },
  j: () => read().path[0] === "run" && step(1),
  k: () => read().path[0] === "run" && step(-1),
};

function Page({ overview }: { overview: Overview }) {
  const route = useRoute();
  const [facts, setFacts] = useState<Facts | null>(null);
  const view = route.path[0] ?? "";
  const needs = ["tasks", "task", "run"].includes(view);
  useEffect(() => {
    if (needs && !facts) part<Rows[][]>("rows").then((rows) => setFacts(index(overview, rows)));
  }, [needs]);
  useEffect(() => {
    const listen = (event: KeyboardEvent) => {
      const typing = event.target instanceof HTMLElement && /^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName);
      if (event.ctrlKey || event.metaKey || event.altKey || (typing && event.key !== "Escape")) return;
      const act = KEYS[event.key];
      if (act) { event.preventDefault(); act(); }
    };
    addEventListener("keydown", listen);
    return () => removeEventListener("keydown", listen);
  }, []);
  useEffect(() => {
    if (view !== "charts" && !route.query.get("step")) scrollTo(0, 0);
  }, [route.path.join("/")]);
  const tabs: [string, string][] = [["", "Overview"], ["charts", "Pictures"], ["tasks", "Tasks and runs"]];
  const current = view === "task" || view === "run" ? "tasks" : view;
  return (
    <>
      <a class="skip" href="#main" onClick={(event) => { event.preventDefault(); document.getElementById("main")?.focus(); }}>Skip to the content</a>
      <header class="top">
        <span class="brand">caia-replay</span>
        <nav aria-label="Report">{tabs.map(([name, title]) => <a href={link(name ? [name] : [])} aria-current={current === name ? "page" : undefined}>{title}</a>)}</nav>
      </header>
      <main id="main" tabIndex={-1} data-view={view || "overview"}>
        {view === "" && <FirstScreen overview={overview} />}
        {view === "charts" && <Pictures overview={overview} route={route} />}
        {needs && !facts && <p class="loading" role="status">Unpacking…</p>}
        {facts && view === "tasks" && <Grid overview={overview} facts={facts} route={route} />}
        {facts && view === "task" && <TaskPage overview={overview} facts={facts} book={Number(route.path[1])} id={route.path[2]} />}
        {facts && view === "run" && <RunPage overview={overview} facts={facts} route={route} />}
        {!["", "charts"].includes(view) && !needs && <p class="none">There is no such page. <a href="#/">To the overview</a></p>}
      </main>
      <footer class="soft">Made by {overview.made_by}. One file, no network. Keys: / search, arrows in the grid, Enter open, j k steps, Esc back.</footer>
    </>
  );
}

const root = document.getElementById("app")!;
part<Overview>("overview").then(
  (overview) => {
    document.title = safeString(overview.runs.length === 1 ? `${overview.runs[0].label}, ${overview.books[0].label}` : `${overview.runs.length} run folders, caia-replay`);
    root.replaceChildren();
    render(<Page overview={overview} />, root);
    document.documentElement.dataset.ready = String(Math.round(performance.now()));
  },
  (fault) => { root.textContent = `This report cannot be read: ${fault.message ?? fault}`; },
);
