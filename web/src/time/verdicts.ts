/** The verdicts of a person on changes. They are stored beside the log, where `graph-memory review` finds them. */

import { call } from "../api";
import type { LogEntry, Reviews, Verdict } from "../results";
import { plural } from "../words";
import { notify, notifyFailure } from "../writes";

type VerdictOf = (entry: LogEntry) => Verdict | undefined;

/** Store a verdict on changes, or remove the verdicts. Returns whether this succeeded; a notice shows a failure. */
export async function storeVerdict(
  domain: string,
  entries: LogEntry[],
  verdict: Verdict | undefined,
): Promise<boolean> {
  if (!entries.length) return true;
  const changes = entries.map((entry) => entry.seq);
  return call<Reviews>("mark_reviewed", { domain, changes, ...(verdict && { verdict }) }).then(
    () => window.dispatchEvent(new Event("written")),
    (error: unknown) => {
      notifyFailure(error);
      return false;
    },
  );
}

/** Store the verdicts again that changes had before. */
export async function restoreVerdicts(domain: string, entries: LogEntry[], before: VerdictOf): Promise<void> {
  for (const verdict of new Set(entries.map(before))) {
    await storeVerdict(
      domain,
      entries.filter((entry) => before(entry) === verdict),
      verdict,
    );
  }
}

/** Accept changes. A notice offers to undo it. */
export async function acceptChanges(domain: string, entries: LogEntry[], before: VerdictOf): Promise<void> {
  if (!(await storeVerdict(domain, entries, "accept"))) return;
  notify({
    text: `Accepted ${plural(entries.length, "change")}`,
    undo: () => restoreVerdicts(domain, entries, before),
    needs: "mark_reviewed",
  });
}
