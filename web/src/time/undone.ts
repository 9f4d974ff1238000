/** Which changes of a session are undone. The log does not mark reverts, so this compares the states of the subjects. */

import type { LogEntry } from "../results";
import { changedValues, isErased } from "../words";
import type { SessionOfLog } from "./sessions_of_log";

/** The last change of each subject. */
export type LatestChanges = ReadonlyMap<string, LogEntry>;

export function latestChanges(entries: LogEntry[]): LatestChanges {
  return new Map(entries.toReversed().map((entry) => [entry.subject, entry]));
}

/** Return whether a later change gave the subject the state that it had before this change, or before an earlier one of
 *  the session. */
export function isUndone(entry: LogEntry, session: SessionOfLog, latest: LatestChanges): boolean {
  const last = latest.get(entry.subject);
  if (!last || last.seq <= session.last || isErased(last)) return false;
  const isBefore = ({ subject, seq }: LogEntry) => subject === entry.subject && seq <= entry.seq;
  return session.entries.some((earlier) => isBefore(earlier) && hasRestored(last, earlier));
}

/** Return whether the last change of a subject gave it the state that it had before an earlier change. */
function hasRestored({ operation, after }: LogEntry, { operation: earlier, before }: LogEntry): boolean {
  if (operation === "delete" || earlier === "create") return operation === "delete" && earlier === "create";
  if (!before || !after) return false;
  const hasSameContent = before["_content_sha256"] === after["_content_sha256"];
  return hasSameContent && !changedValues({ before, after }).length;
}

/** Return whether all changes that can be reverted are reverted. */
export function areReverted(
  entries: LogEntry[],
  isFixed: (entry: LogEntry) => boolean,
  isReverted: (entry: LogEntry) => boolean,
): boolean {
  const revertible = entries.filter((entry) => !isFixed(entry));
  return revertible.length > 0 && revertible.every(isReverted);
}
