/** Calls of the server: operations, the login, and the stream of changes. */

const API = "/api/v1/";
const LATE_MILLISECONDS = 500;
const RETRY_MILLISECONDS = 3_000;
const HEADERS = { "Content-Type": "application/json", "X-Graph-Memory": "viewer" };

export type Arguments = Record<string, unknown>;

export interface Session {
  authenticated: boolean;
  kind: "none" | "keys" | "oidc";
  name?: string;
  rights?: Record<string, string>;
  default_domain?: string;
  operations?: string[];
  version?: string;
}

interface Problem {
  code?: string;
  message?: string;
  details?: { hint?: string; argument?: string; property?: string };
}

/** An error response of the server. */
export class ApiError extends Error {
  readonly code: string;
  readonly hint: string;
  readonly argument: string | undefined;

  constructor(
    readonly status: number,
    problem: Problem,
  ) {
    super(problem.message ?? `The server answered with status ${status}`);
    this.code = problem.code ?? "UNKNOWN";
    this.hint = problem.details?.hint ?? "";
    const { argument, property } = problem.details ?? {};
    this.argument = argument ?? (property && `properties.${property}`);
  }
}

/** Call an operation and return its result. Throws ApiError. */
export async function call<T>(operation: string, args: Arguments = {}, signal?: AbortSignal): Promise<T> {
  return (await post(operation, args, signal)).json() as Promise<T>;
}

export async function readSession(): Promise<Session> {
  const response = await fetch(`${API}session`, { headers: HEADERS });
  return response.ok || response.status === 401 ? response.json() : Promise.reject(await errorOf(response));
}

export async function logIn(token: string): Promise<void> {
  await post("login", { token });
}

export async function logOut(): Promise<void> {
  await post("logout", {});
}

/** Run `onChange` whenever the log of a domain grows, while the page is visible. Returns a function that ends this.
 *  A hidden page keeps no stream open, since browsers open few connections to a server. */
export function followChanges(domain: string, onChange: () => void): () => void {
  let source: EventSource | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let hasEnded = false;
  const close = () => {
    clearTimeout(timer);
    source?.close();
  };
  const open = () => {
    close();
    if (hasEnded || document.hidden) return;
    source = new EventSource(`${API}events?domain=${encodeURIComponent(domain)}`);
    source.addEventListener("change", onChange);
    source.addEventListener("error", () => source?.readyState === EventSource.CLOSED && void retry());
  };
  const reopen = () => {
    open();
    source?.addEventListener("open", onChange, { once: true }); // the log may have grown in the meantime
  };
  const retry = async () => {
    const session = await readSession().catch(() => undefined);
    if (session?.authenticated === false) window.dispatchEvent(new Event("logged-out"));
    else timer = setTimeout(reopen, RETRY_MILLISECONDS);
  };
  const onVisibility = () => (document.hidden ? close() : reopen());
  document.addEventListener("visibilitychange", onVisibility);
  const began = performance.now();
  open();
  const refreshIfLate = () => performance.now() - began > LATE_MILLISECONDS && onChange(); // results were read before
  source?.addEventListener("open", refreshIfLate, { once: true });
  return () => {
    hasEnded = true;
    document.removeEventListener("visibilitychange", onVisibility);
    close();
  };
}

async function post(path: string, body: Arguments, signal?: AbortSignal): Promise<Response> {
  const init = { method: "POST", headers: HEADERS, body: JSON.stringify(body) };
  const response = await fetch(API + path, signal ? { ...init, signal } : init).catch((error: unknown) => {
    if (signal?.aborted) throw error;
    throw new ApiError(0, {
      code: "UNREACHABLE",
      message: "The server cannot be reached.",
      details: { hint: "Check that `graph-memory view` or `graph-memory serve` is still running." },
    });
  });
  if (response.ok) return response;
  const error = await errorOf(response);
  if (error.status === 401 && path !== "login") window.dispatchEvent(new Event("logged-out"));
  throw error;
}

async function errorOf(response: Response): Promise<ApiError> {
  const problem = (await response.json().catch(() => ({}))) as Problem;
  return new ApiError(response.status, problem);
}
