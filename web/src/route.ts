/** The address: its fragment holds the page and the state of what it shows, so that it can be shared. */

import { useEffect, useState } from "preact/hooks";

export const PAGES = ["home", "nodes", "graph", "time", "recall"] as const;
export type Page = (typeof PAGES)[number];
export type Parameters = Record<string, string>;

export interface Route {
  page: Page;
  parameters: Parameters;
}

const KEPT = ["domain"];

export function readRoute(hash: string = location.hash): Route {
  const [, path = "", query = ""] = /^#?\/?([^?]*)\??(.*)$/s.exec(hash) ?? [];
  const page = PAGES.find((name) => name === path) ?? "home";
  return { page, parameters: Object.fromEntries(new URLSearchParams(query)) };
}

/** Return the address of a page. It keeps the domain; empty parameters are left out. */
export function addressOf(page: Page, parameters: Parameters = {}): string {
  const current = readRoute().parameters;
  const kept = Object.fromEntries(KEPT.filter((name) => current[name]).map((name) => [name, current[name]!]));
  const wanted = Object.entries({ ...kept, ...parameters }).filter(([, value]) => value !== "");
  const query = new URLSearchParams(wanted).toString();
  return `#/${page}${query ? `?${query}` : ""}`;
}

export function go(page: Page, parameters: Parameters = {}): void {
  location.hash = addressOf(page, parameters);
}

/** Change some parameters of the current page. Without `push`, the browser's history gets no new entry. */
export function setParameters(changes: Parameters, push = false): void {
  const { page, parameters } = readRoute();
  const address = addressOf(page, { ...parameters, ...changes });
  if (address === location.hash) return;
  if (push) location.hash = address;
  else {
    history.replaceState(null, "", address);
    window.dispatchEvent(new HashChangeEvent("hashchange"));
  }
}

export function useRoute(): Route {
  const [route, setRoute] = useState(readRoute);
  useEffect(() => {
    const update = () => setRoute(readRoute());
    window.addEventListener("hashchange", update);
    return () => window.removeEventListener("hashchange", update);
  }, []);
  return route;
}
