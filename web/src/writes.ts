/** Writes, each with a notice that can undo it. */

import { call, type Arguments } from "./api";
import { asApiError } from "./memory";

export interface Notice {
  id: number;
  text: string;
  hint?: string;
  failed?: boolean;
  undo?: () => Promise<void>;
  /** The operation that the undo calls. */
  needs?: string;
}

interface Receipt {
  version?: number;
  seq?: number;
  since?: number;
  until?: number;
  changes?: { seq?: number }[];
  more_changes?: number;
  changed?: boolean;
  decisions?: Receipt[];
}

const listeners = new Set<(notices: Notice[]) => void>();
let notices: Notice[] = [];
let lastId = 0;

export function followNotices(listener: (notices: Notice[]) => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export function dismiss(id: number): void {
  publish(notices.filter((notice) => notice.id !== id));
}

export function notify(notice: Omit<Notice, "id">): void {
  publish([...notices.slice(-2), { ...notice, id: ++lastId }]);
}

function publish(next: Notice[]): void {
  notices = next;
  listeners.forEach((listener) => listener(notices));
}

/** Call an operation that writes. A notice shows what happened, and offers to undo it. Throws ApiError.
 *  `onUndone` is called after the undo. */
export async function write<T>(
  done: string,
  operation: string,
  args: Arguments,
  onUndone?: () => Promise<unknown>,
): Promise<T> {
  const result = await call<T>(operation, args);
  const range = rangeOf(result as Receipt, args["expected_version"]);
  const domain = (args["domain"] ?? args["into"]) as string;
  notify(range ? { text: done, undo: () => undo(done, range, domain, onUndone) } : { text: done });
  window.dispatchEvent(new Event("written"));
  return result;
}

/** A function that writes as `tryWrite` does. */
export type Write = <T>(done: string, operation: string, args: Arguments) => Promise<T | undefined>;

/** Like `write`, but shows a failure as a notice, and then returns undefined. */
export async function tryWrite<T>(
  done: string,
  operation: string,
  args: Arguments,
  onUndone?: () => Promise<unknown>,
): Promise<T | undefined> {
  return write<T>(done, operation, args, onUndone).catch((error: unknown) => {
    notifyFailure(error);
    return undefined;
  });
}

export function notifyFailure(error: unknown): void {
  const { message, hint } = asApiError(error);
  notify({ text: message, hint, failed: true });
}

async function undo(
  done: string,
  range: Arguments,
  domain: string,
  onUndone?: () => Promise<unknown>,
): Promise<void> {
  const undone = await tryWrite(`Undone: ${done}`, "memory_revert", { ...range, domain });
  if (undone) await onUndone?.();
}

/** Return the arguments of memory_revert that undo a write. Undefined if nothing changed, or some changes are not listed.
 *  `before` is the subject's version before the write. */
function rangeOf(receipt: Receipt, before?: unknown): Arguments | undefined {
  const [first] = receipt.decisions ?? [];
  if (first) return rangeOf(first);
  if (receipt.changed === false || receipt.more_changes) return undefined;
  if (receipt.since !== undefined) return { since: receipt.since, until: receipt.until ?? receipt.since };
  const written = receipt.changes?.flatMap((change) => change.seq ?? []) ?? [];
  if (written.length && receipt.seq !== undefined) return { since: written[0], until: receipt.seq };
  if (written.length) return { event_ids: written };
  const { version } = receipt;
  return version === undefined || version === before ? undefined : { event_ids: [version] };
}
