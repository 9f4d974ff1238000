/** Numbers, times and values in words. */

import type { LogEntry, ValueChange } from "./results";

const ULID = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
const UNITS: [Intl.RelativeTimeFormatUnit, number][] = [
  ["year", 31_536_000],
  ["month", 2_592_000],
  ["day", 86_400],
  ["hour", 3_600],
  ["minute", 60],
];
const relative = new Intl.RelativeTimeFormat("en", { numeric: "auto" });
const absolute = new Intl.DateTimeFormat("en", { dateStyle: "medium", timeStyle: "short" });
const numbers = new Intl.NumberFormat("en");
const lists = new Intl.ListFormat("en-GB");

export const count = (value: number): string => numbers.format(value);

export function plural(value: number, noun: string): string {
  return `${count(value)} ${noun}${value === 1 ? "" : "s"}`;
}

/** Join texts with commas and a final "and". */
export const asList = (texts: string[]): string => lists.format(texts);

export function ago(time: string | number): string {
  const seconds = (new Date(time).getTime() - Date.now()) / 1000;
  for (const [unit, length] of UNITS) {
    if (Math.abs(seconds) >= length) return relative.format(Math.round(seconds / length), unit);
  }
  return "just now";
}

export const moment = (time: string | number): string => absolute.format(new Date(time));

/** Return whether a text contains each word of a query. */
export function hasWords(text: string, query: string): boolean {
  const words = query.toLowerCase().split(/[^\p{L}\p{N}]+/u).filter(Boolean);
  return words.length > 0 && words.every((word) => text.toLowerCase().includes(word));
}

/** Return the time at which an id was made, in milliseconds. Its ULID begins with it. */
export function createdAt(id: string): number {
  const digits = id.slice(id.indexOf("_") + 1).slice(0, 10);
  return [...digits].reduce((sum, digit) => sum * 32 + ULID.indexOf(digit), 0);
}

/** Split names like `open_question` or `WorksOn` into words. */
export function asWords(name: string): string {
  const words = name.replace(/_/g, " ").replace(/([\p{Ll}\d])(\p{Lu})/gu, "$1 $2");
  return words.charAt(0) + words.slice(1).toLowerCase();
}

export function asText(value: unknown): string {
  if (value === undefined || value === null) return "";
  return typeof value === "string" ? value : JSON.stringify(value);
}

const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d[\d.]*(Z|[+-]\d\d:\d\d)$/;

export const isTime = (value: unknown): value is string => typeof value === "string" && TIME.test(value);

/** Return a value as text for readers: times in words, lists with commas, and maps with one line for each name. */
export function asReadable(value: unknown): string {
  if (isTime(value)) return moment(value);
  const list = Array.isArray(value) ? value : listIn(value);
  if (list) return list.map(asReadable).join(", ");
  if (typeof value !== "object" || value === null) return asText(value);
  return Object.entries(value)
    .map(([name, part]) => `${name}: ${asReadable(part)}`)
    .join("\n");
}

/** Return the texts that a text contains as a JSON list, as aliases do. */
function listIn(text: unknown): string[] | undefined {
  if (typeof text !== "string" || !/^\s*\[.*\]\s*$/s.test(text)) return undefined;
  try {
    const list = JSON.parse(text) as unknown[];
    return list.every((item) => typeof item === "string") ? list : undefined;
  } catch {
    return undefined;
  }
}

/** Describe a protection, given its stored JSON or the text that `memory_diff` returns. */
export function protectionText(stored: unknown, actor: string): string {
  const text = asText(stored);
  if (!text.startsWith("{")) return text;
  const { locked_by: by, reason } = JSON.parse(text) as { locked_by: string; reason?: string };
  return `protected by ${by === actor ? "you" : by}${reason ? `: ${reason}` : ""}`;
}

/** The kinds of findings in the order in which they are shown, with their plurals. */
export const FINDINGS: Record<string, string> = {
  open_question: "Open questions",
  stale: "Stale entities",
  duplicate: "Duplicates",
  lost_premise: "Lost premises",
  misplaced_fact: "Misplaced facts",
  hub: "Hubs",
  orphan: "Orphans",
  unused_type: "Unused types",
};

/** Return a heading for findings of a kind. */
export const findingsTitle = (kind: string): string => FINDINGS[kind] ?? `${sentence(kind)}s`;

export function sentence(name: string): string {
  const words = asWords(name);
  return words.charAt(0).toUpperCase() + words.slice(1);
}

const HIDDEN = /^_(created|modified|content_sha256|derived_title|given_title|content_size|origin|time|asks|supersedes)$/;

/** Return the values that differ between the states of a change. */
export function changedValues(entry: Pick<LogEntry, "before" | "after">): ValueChange[] {
  const { before = {}, after = {} } = entry;
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  return names
    .filter((name) => !HIDDEN.test(name) && JSON.stringify(before[name]) !== JSON.stringify(after[name]))
    .map((name) => {
      const isSystem = name.startsWith("_");
      const shownName = isSystem ? name.slice(1).replaceAll("_", " ") : name;
      return { name: shownName, isSystem, before: before[name], after: after[name] } as ValueChange;
    });
}

/** Return whether the states of a change were erased, so that it cannot be reverted. */
export const isErased = ({ kind, before, after }: LogEntry): boolean => RECORDS.includes(kind) && !before && !after;

const RECORDS = ["node", "observation", "connection"];

/** Describe a change in words. The summary of an erased change contains only an id. */
export const changeText = (entry: LogEntry): string =>
  isErased(entry) ? `${sentence(entry.kind)} that was forgotten for good` : entry.summary;

/** Return whether a client has named a session. Others, such as the logins to this page, have a generated id. */
export const hasGivenName = (session: string): boolean => !/^session_[0-9a-f]+$/.test(session);

export function bytes(size: number): string {
  return size < 1024
    ? `${size} B`
    : size < 1_048_576
      ? `${(size / 1024).toFixed(1)} kB`
      : `${(size / 1_048_576).toFixed(1)} MB`;
}
