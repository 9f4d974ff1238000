/** The frame: navigation, the domain, notices and keys, around the page that the address names. */

import type { JSX } from "preact";
import { useEffect, useLayoutEffect, useMemo, useRef, useState, type Dispatch, type StateUpdater } from "preact/hooks";

import { call, followChanges, logOut, type Session } from "./api";
import { GraphPage } from "./graph/graph_page";
import { Home } from "./home/home";
import { Keys } from "./keys";
import { asApiError, MemoryContext, type MemoryView, type Outcome } from "./memory";
import { NodeCard } from "./node/node_card";
import { useNodeTypes } from "./node/filters";
import { NodeList } from "./node/node_list";
import { Notices } from "./notices";
import { RecallPage } from "./recall";
import type { DomainSummary } from "./results";
import { addressOf, go, PAGES, useRoute, type Page } from "./route";
import { currentTheme, switchTheme } from "./theme";
import { TimePage } from "./time/time_page";
import { Failure, hueOf, Select } from "./ui";
import { sentence } from "./words";
import { notifyFailure } from "./writes";

const RETRY_MILLISECONDS = 2_000;

const CONTENT: Record<Page, () => JSX.Element> = {
  home: Home,
  nodes: NodeList,
  graph: GraphPage,
  time: TimePage,
  recall: RecallPage,
};

export function App({ session }: { session: Session }) {
  const { page, parameters } = useRoute();
  const [read, setRead] = useState<Outcome<DomainSummary[]>>({ value: undefined, error: undefined });
  const { value: domains, error } = read;
  const first = useRef<string>(undefined); // domains that are created later do not change the page
  if (domains?.length) first.current ??= firstDomain(session, domains);
  const domain = parameters["domain"] ?? first.current ?? firstDomain(session);
  const revision = useRevision(domains?.length || parameters["domain"] ? domain : undefined);
  const memory = useMemo<MemoryView>(
    () => ({
      domain,
      actor: session.name ?? "",
      revision,
      domains: read,
      offers: (operation) => session.operations?.includes(operation) ?? false,
      protections: [],
    }),
    [domain, revision, read, session],
  );
  useReadDomains(revision, setRead);
  useEffect(() => {
    document.title = `${sentence(page)} · ${domain} · graph-memory`;
  }, [page, domain]);
  if (!domains && !parameters["domain"]) return error ? <Failure error={error} /> : <p class="loading">Loading…</p>;
  if (!domains?.length && !parameters["domain"]) return <Nothing />;
  const Content = CONTENT[page];
  const node = parameters["node"];
  return (
    <MemoryContext.Provider value={memory}>
      <a class="skip" href="#content" onClick={focusContent}>
        Skip to the content
      </a>
      <Bar page={page} session={session} domain={domain} domains={(domains ?? []).map(({ name }) => name)} />
      <div class={node ? "stage with-card" : "stage"}>
        <main id="content" tabIndex={-1} key={`${page} ${domain}`} class={`page-${page}`}>
          <Content />
        </main>
        {node && <NodeCard id={node} key={`${node} ${domain}`} />}
      </div>
      <Notices />
      <HuesOfTypes />
      <Keys />
    </MemoryContext.Provider>
  );
}

/** Read all domains, again after each change, and again while the server starts. */
function useReadDomains(revision: number, setRead: Dispatch<StateUpdater<Outcome<DomainSummary[]>>>): void {
  const [attempt, setAttempt] = useState(0);
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const retry = () => setAttempt((count) => count + 1);
    call<{ domains: DomainSummary[] }>("list_domains", { limit: 1000 }).then(
      (list) => setRead({ value: list.domains, error: undefined }),
      (failure: unknown) => {
        const error = asApiError(failure);
        setRead((known) => ({ ...known, error }));
        if (error.status === 503) timer = setTimeout(retry, RETRY_MILLISECONDS);
      },
    );
    return () => clearTimeout(timer);
  }, [revision, attempt]);
}

function Nothing() {
  return (
    <main class="login">
      <h1>graph-memory</h1>
      <p>This memory is empty. Connect an agent, and what it remembers appears here. Load the page again then.</p>
    </main>
  );
}

interface BarProps {
  page: Page;
  session: Session;
  domain: string;
  domains: string[];
}

function Bar({ page, session, domain, domains }: BarProps) {
  const options = domains.includes(domain) ? domains : [domain, ...domains];
  return (
    <header class="bar">
      <a class="brand" href={addressOf("home")}>
        graph-memory
      </a>
      <nav aria-label="Pages">
        {PAGES.map((name) => (
          <a key={name} href={addressOf(name)} aria-current={name === page ? "page" : undefined}>
            {sentence(name)}
          </a>
        ))}
      </nav>
      {page !== "nodes" && <SearchField />}
      <Select label="Domain" value={domain} options={options} onChange={(name) => openDomain(page, name)} />
      <ThemeButton />
      {session.kind !== "none" && (
        <button type="button" class="quiet" onClick={leave}>
          Log out
        </button>
      )}
    </header>
  );
}

/** A search from any page, whose results the page of nodes shows. */
function SearchField() {
  const [typed, setTyped] = useState("");
  const submit = (event: Event) => {
    event.preventDefault();
    if (typed.trim()) go("nodes", { q: typed.trim() });
  };
  return (
    <form role="search" onSubmit={submit}>
      <input
        type="search"
        placeholder="Search nodes, then Enter"
        aria-label="Search nodes"
        aria-keyshortcuts="/"
        value={typed}
        onInput={(event) => setTyped(event.currentTarget.value)}
      />
    </form>
  );
}

function ThemeButton() {
  const [theme, setTheme] = useState(currentTheme);
  const label = `Switch to ${theme === "dark" ? "light" : "dark"} colours`;
  return (
    <button type="button" class="quiet" aria-label={label} title={label} onClick={() => setTheme(switchTheme())}>
      {theme === "dark" ? "☀ Light" : "☾ Dark"}
    </button>
  );
}

/** Give the types of a domain their hues in one order, so that they keep them. */
function HuesOfTypes() {
  useNodeTypes().forEach(hueOf);
  return null;
}

/** Return a number that grows with each change of the domain, and with each write of this page. */
function useRevision(domain: string | undefined): number {
  const [revision, setRevision] = useState(0);
  // Browsers open few connections to a server, so the stream must be opened before the page reads its results.
  useLayoutEffect(() => {
    if (domain === undefined) return;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const grow = () => {
      clearTimeout(timer);
      timer = setTimeout(() => setRevision((known) => known + 1), 150);
    };
    window.addEventListener("written", grow);
    const stop = followChanges(domain, grow);
    return () => {
      clearTimeout(timer);
      window.removeEventListener("written", grow);
      stop();
    };
  }, [domain]);
  return revision;
}

function firstDomain(session: Session, domains: DomainSummary[] = []): string {
  const preferred = session.default_domain ?? "default";
  const names = domains.map(({ name }) => name);
  return names.includes(preferred) ? preferred : (names[0] ?? preferred);
}

function openDomain(page: Page, domain: string): void {
  location.hash = addressOf(page, { domain });
}

function leave(): void {
  void logOut().then(() => window.dispatchEvent(new Event("logged-out")), notifyFailure);
}

function focusContent(event: Event): void {
  event.preventDefault();
  document.getElementById("content")?.focus();
}
