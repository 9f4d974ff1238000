/** The parts that every list of changes shows: who made a change and when, and the action that reverts it. */

import { useCallback } from "preact/hooks";

import { useMemory } from "./memory";
import type { LogEntry } from "./results";
import { addressOf } from "./route";
import { Action, Ago } from "./ui";
import { hasGivenName, isErased } from "./words";
import { tryWrite } from "./writes";

export function ChangeSource({ entry }: { entry: LogEntry }) {
  const { actor } = useMemory();
  const isOwn = entry.by === actor && entry.source === "user";
  const hasName = entry.session && hasGivenName(entry.session);
  const by = isOwn ? "you" : entry.by;
  return (
    <p class="reason">
      <Ago time={entry.at} /> · {entry.session && !hasName ? <SessionLink session={entry.session}>{by}</SessionLink> : by}
      {entry.session && hasName && (
        <>
          {" · "}
          <SessionLink session={entry.session}>{entry.session}</SessionLink>
        </>
      )}
    </p>
  );
}

function SessionLink({ session, children }: { session: string; children: string }) {
  return <a href={addressOf("time", { show: "sessions", session })}>{children}</a>;
}

/** Return the title of a session: its name, or who made its changes. */
export function titleOfSession(name: string, by: string, actor: string): string {
  if (hasGivenName(name)) return name;
  return by === actor ? "You" : by;
}

/** Return a function that tells whether the domain cannot undo a change: it created the domain, or a branch inherited it. */
export function useFixed(): (entry: LogEntry) => boolean {
  const { domain, domains } = useMemory();
  const inheritedTo = domains.value?.find(({ name }) => name === domain)?.forked_at ?? 0;
  return useCallback(
    ({ seq, kind, operation }) => seq <= inheritedTo || (kind === "domain" && operation === "create"),
    [inheritedTo],
  );
}

interface RevertProps {
  /** The changes to revert together, which one call made. */
  entries: LogEntry[];
  text: string;
  label?: string;
}

export function RevertAction({ entries, text, label = "Revert" }: RevertProps) {
  const { domain } = useMemory();
  const isFixed = useFixed();
  if (entries.some((entry) => isErased(entry) || isFixed(entry))) return null;
  const changes = entries.map(({ seq }) => seq);
  const revert = () => tryWrite(`Reverted: ${text}`, "memory_revert", { event_ids: changes, domain });
  const title = `Revert change ${changes.toReversed().join(", ")}`;
  return (
    <Action needs="memory_revert" kind="quiet" title={title} onClick={revert}>
      {label}
    </Action>
  );
}
