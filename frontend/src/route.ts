// Where a reader is: location.hash alone, so that every view, filter and step can be linked to.
import { useEffect, useState } from "preact/hooks";

export type Route = { path: string[]; query: URLSearchParams };

export function read(): Route {
  const [path, query = ""] = location.hash.replace(/^#\/?/, "").split("?");
  return { path: path.split("/").filter(Boolean).map(decoded), query: new URLSearchParams(query) };
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

/** A text as an address can hold it: half letters, which none can, as the sign for what is none. */
export const wellFormed = (text: string) => text.replace(/\p{Surrogate}/gu, "\ufffd");

export function link(path: (string | number)[], query: Record<string, string | number | null | undefined> = {}): string {
  const set = Object.entries(query).filter(([, value]) => value !== null && value !== undefined && value !== "");
  const after = new URLSearchParams(set.map(([name, value]) => [name, String(value)])).toString();
  return `#/${path.map((one) => encodeURIComponent(wellFormed(String(one)))).join("/")}${after ? `?${after}` : ""}`;
}

/** Go on, or with `instead` put the address right without a step in the history. */
export function go(where: string, instead = false): void {
  if (instead) {
    history.replaceState(null, "", where);
    dispatchEvent(new HashChangeEvent("hashchange"));
  } else location.hash = where;
}

export function useRoute(): Route {
  const [route, setRoute] = useState(read);
  useEffect(() => {
    const listen = () => setRoute(read());
    addEventListener("hashchange", listen);
    listen(); // the address may have changed since the first drawing
    return () => removeEventListener("hashchange", listen);
  }, []);
  return route;
}

/** The grid as a reader left it: where Esc leads back to, the cell they were on, and whether they asked for its search. */
export const left = { grid: link(["tasks"]), spot: [0, 0] as [number, number], search: false };
