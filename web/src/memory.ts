/** State that all parts of the page share: the domain, the caller's operations, and results that follow changes. */

import { createContext } from "preact";
import { useContext, useEffect, useRef, useState } from "preact/hooks";

import { ApiError, call, type Arguments } from "./api";
import type { Protection } from "./protection";
import type { DomainSummary } from "./results";

export interface MemoryView {
  domain: string;
  /** The name under which the caller's changes are logged. */
  actor: string;
  /** Grows with each change of the domain's log. */
  revision: number;
  /** All domains. A failed read keeps the domains that were read before, so that no form is closed. */
  domains: Outcome<DomainSummary[]>;
  offers: (operation: string) => boolean;
  /** The protections that apply to this part of the page. */
  protections: Protection[];
}

export const MemoryContext = createContext<MemoryView>({
  domain: "default",
  actor: "",
  revision: 0,
  domains: { value: undefined, error: undefined },
  offers: () => false,
  protections: [],
});
export const useMemory = (): MemoryView => useContext(MemoryContext);

/** Operations that read all domains, or take the name of one. */
const ACROSS_DOMAINS = ["list_domains", "get_domain"];

/** What was read, or why it cannot be read. Neither while it is read the first time. */
export interface Outcome<T> {
  value: T | undefined;
  error: ApiError | undefined;
}

export interface Answer<T> extends Outcome<T> {
  loading: boolean;
  reload: () => void;
}

/** Return the result of an operation. It is read again after each change, and the earlier result stays until then.
 *  Without arguments, or for an operation that the caller may not use, nothing is read. See `useRead` for `isSlow`. */
export function useResult<T>(operation: string, args: Arguments | null, { isSlow = false } = {}): Answer<T> {
  const { domain, offers } = useMemory();
  const scope = ACROSS_DOMAINS.includes(operation) ? {} : { domain };
  const json = args && offers(operation) ? JSON.stringify({ ...scope, ...args }) : null;
  const read = (signal: AbortSignal) => call<T>(operation, JSON.parse(json!) as Arguments, signal);
  return useRead(json && `${operation} ${json}`, read, { isSlow });
}

/** Return what a function reads. It is called again after each change of the domain, and for each other key. A slow read
 *  begins only after a pause in the changes as long as the last read took. Without a key, nothing is read. */
export function useRead<T>(
  key: string | null,
  read: (signal: AbortSignal) => Promise<T>,
  { isSlow = false } = {},
): Answer<T> {
  const { revision } = useMemory();
  const [state, setState] = useState<{ key: string | null; value?: T; error?: ApiError }>({ key: null });
  const [attempt, setAttempt] = useState(0);
  const last = useRef({ key, attempt, milliseconds: 0 });
  const reads = useRef({ begun: 0, shown: 0 });
  useEffect(() => {
    if (key === null) return;
    const abort = new AbortController();
    const start = () => {
      const began = performance.now();
      const number = ++reads.current.begun;
      const show = (value: T) => {
        last.current.milliseconds = performance.now() - began;
        if (number < reads.current.shown) return; // a later read was faster
        reads.current.shown = number;
        setState({ key, value });
      };
      read(abort.signal).then(
        show,
        (error: unknown) => !abort.signal.aborted && setState({ key, error: asApiError(error) }),
      );
    };
    const isRepeated = isSlow && last.current.key === key && last.current.attempt === attempt;
    const timer = setTimeout(start, isRepeated ? last.current.milliseconds : 0);
    last.current = { ...last.current, key, attempt };
    return () => {
      clearTimeout(timer);
      abort.abort();
    };
  }, [key, revision, attempt]);
  const current = state.key === key;
  return {
    value: current ? state.value : undefined,
    error: current ? state.error : undefined,
    loading: key !== null && !current,
    reload: () => setAttempt((count) => count + 1),
  };
}

export function asApiError(error: unknown): ApiError {
  return error instanceof ApiError ? error : new ApiError(0, { message: String(error) });
}
