/** The sessions that made the changes of a log. */

import { useMemo } from "preact/hooks";

import { useResult, type Answer } from "../memory";
import type { LogEntry, LogPage } from "../results";

export const READ = 1_000;

export interface SessionOfLog {
  name: string;
  by: string;
  entries: LogEntry[];
  first: number;
  last: number;
  ended: string;
}

/** Return the newest part of the log, and its sessions, latest first. */
export function useSessionsOfLog(): { log: Answer<LogPage>; sessions: SessionOfLog[] } {
  const log = useResult<LogPage>("memory_log", { full: true, limit: READ });
  const sessions = useMemo(() => groupBySession(log.value?.entries ?? []), [log.value]);
  return { log, sessions };
}

export function groupBySession(entries: LogEntry[]): SessionOfLog[] {
  const sessions = new Map<string, SessionOfLog>();
  for (const entry of entries) {
    if (!entry.session) continue;
    const known = sessions.get(entry.session);
    if (known) {
      known.entries.push(entry);
      known.first = entry.seq;
    } else {
      sessions.set(entry.session, {
        name: entry.session,
        by: entry.by,
        entries: [entry],
        first: entry.seq,
        last: entry.seq,
        ended: entry.at,
      });
    }
  }
  return [...sessions.values()];
}
