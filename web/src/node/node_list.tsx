/** Nodes as a table: a search, filters, and pages by cursor. Works by keyboard alone. */

import { Fragment } from "preact";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";

import type { Arguments } from "../api";
import { useResult } from "../memory";
import type { Hit, LogPage, NodePage, SearchResult } from "../results";
import { addressOf, setParameters, useRoute, type Parameters } from "../route";
import { focusMainField, isTyping } from "../keys";
import { Ago, Empty, Failure, NodeLink, openNode, TypeChip, useSettled } from "../ui";
import { count, createdAt, hasWords } from "../words";
import { Filters, useNodeTypes } from "./filters";

const PAGE = 100;
const HITS = 50;
/** The search for all nodes that a tag selects, since only a search can filter by tag. It has one page. */
const ALL = { query: "*:*", syntax: "lucene", search_mode: "lexical", max_results: 100 };

export interface Row {
  id: string;
  type: string;
  title: string;
  /** When it was created, or changed. */
  created: number;
  note?: string;
  /** Whether it has none of the words that were typed. */
  isByMeaning?: boolean;
}

interface Listed {
  rows: Row[];
  /** Whether the notes and times of the rows are those of their latest changes. */
  isByChange?: true;
  next?: string;
  summary: string;
  warnings: string[];
}

type SortKey = "title" | "type" | "created";

export function NodeList() {
  const { parameters } = useRoute();
  const [typed, setTyped] = useState(parameters["q"] ?? "");
  const query = useSettled(typed);
  const [cursors, setCursors] = useState<string[]>([]);
  useEffect(() => setParameters({ q: query }), [query]);
  useEffect(() => setTyped(parameters["q"] ?? ""), [parameters["q"]]);
  const filters = JSON.stringify({ ...parameters, node: "" });
  useEffect(() => setCursors([]), [filters]);
  const { listed, error, loading } = useRows(parameters, cursors.at(-1));
  const kept = useRef<Listed>(undefined);
  if (listed) kept.current = listed;
  const isBusy = loading || typed !== query;
  const shown = listed ?? (loading ? kept.current : undefined);
  return (
    <>
      <header class="page-head">
        <h1>Nodes</h1>
      </header>
      <input
        ref={focusMainField}
        type="search"
        class="search"
        placeholder="Search by words or meaning"
        aria-label="Search"
        aria-keyshortcuts="/"
        value={typed}
        onInput={(event) => setTyped(event.currentTarget.value)}
      />
      <Filters parameters={parameters} />
      {error && <Failure error={error} />}
      {shown && <Table listed={shown} busy={isBusy} opened={parameters["node"] ?? ""} />}
      {!shown && loading && <p class="loading">Loading…</p>}
      <Pages
        page={cursors.length + 1}
        onBack={cursors.length ? () => setCursors(cursors.slice(0, -1)) : undefined}
        onNext={listed?.next ? () => setCursors([...cursors, listed.next!]) : undefined}
      />
    </>
  );
}

/** Read the rows that the parameters ask for: a search, the changes of a session, or all nodes. */
function useRows(parameters: Parameters, cursor: string | undefined) {
  const { q = "", type = "", tag = "", valid = "", session = "", actor = "" } = parameters;
  const paging = cursor ? { cursor } : {};
  const isByChange = parameters["order"] === "changed" && !q && !tag && !session && !actor;
  const ofLog = session || actor || isByChange;
  const types = useNodeTypes();
  const logged = type ? [type] : isByChange ? types : [];
  const search = useResult<SearchResult>(
    "search_memories",
    (q || tag) && !ofLog
      ? {
          ...(q ? { query: q, max_results: HITS, include_relevance_explanation: true } : ALL),
          filters: searchFilters(parameters),
          ...(valid && { valid_at: valid }),
          ...paging,
        }
      : null,
  );
  const log = useResult<LogPage>(
    "memory_log",
    ofLog && (!isByChange || logged.length)
      ? {
          full: true,
          limit: 200,
          ...(isByChange && { latest_only: true }),
          ...(logged.length && { types: logged }),
          ...(session && { session }),
          ...(actor && { actor }),
          ...paging,
        }
      : null,
  );
  const nodes = useResult<NodePage>(
    "query_nodes",
    q || tag || ofLog ? null : { detail: true, limit: PAGE, ...nodeFilters(parameters), ...paging },
  );
  const answer = ofLog ? log : q || tag ? search : nodes;
  const listed = useMemo<Listed | undefined>(() => {
    if (ofLog) return log.value && rowsOfLog(log.value, q);
    if (q || tag) return search.value && rowsOfSearch(search.value, q);
    return nodes.value && rowsOfNodes(nodes.value);
  }, [log.value, search.value, nodes.value, q, tag, ofLog]);
  return { listed, error: answer.error, loading: answer.loading || (isByChange && !types.length) };
}

function nodeFilters({ type, path, after, before, valid }: Parameters): Arguments {
  return {
    ...(type && { type }),
    ...(path && { path_prefix: path }),
    ...(after && { created_after: after }),
    ...(before && { created_before: before }),
    ...(valid && { valid_at: valid }),
  };
}

function searchFilters({ type, tag, path, after, before }: Parameters): Arguments {
  return {
    ...(type && { node_types: [type] }),
    ...(tag && { tags: [tag] }),
    ...(path && { path_prefix: path }),
    ...(after && { created_after: after }),
    ...(before && { created_before: before }),
  };
}

function rowsOfNodes({ nodes = [], next_cursor, warnings = [] }: NodePage): Listed {
  const rows = nodes.map((node) => ({ ...node, created: createdAt(node.id) }));
  const more = next_cursor ? "first " : "";
  return {
    rows,
    summary: `${more}${count(rows.length)} in order of creation`,
    warnings,
    ...(next_cursor && { next: next_cursor }),
  };
}

function rowsOfSearch({ hits, found, mode, next_cursor, warnings = [] }: SearchResult, query: string): Listed {
  const nodes = hits.filter((hit: Hit) => hit.kind === "node").toSorted((a, b) => rankOf(a, query) - rankOf(b, query));
  const rows = nodes.map((hit) => ({
    id: hit.id,
    type: hit.type,
    title: hit.title,
    created: createdAt(hit.id),
    ...(query && { note: reasonOf(hit, query), isByMeaning: rankOf(hit, query) === BY_MEANING }),
  }));
  return {
    rows,
    summary: `${count(rows.length)} of ${count(found)}${query && `, best first, ${mode} search`}`,
    warnings,
    ...(next_cursor && { next: next_cursor }),
  };
}

const BY_MEANING = 2;

/** Return 0 for a node whose title or another name has the words of the query, 1 for words elsewhere, and else 2. */
function rankOf({ title, explanation = [] }: Hit, query: string): number {
  if (hasWords(title, query)) return 0;
  const parts = new Set(explanation.filter(({ value }) => value > 0).map(({ name }) => name));
  if (parts.has("name")) return 0;
  return parts.has("semantic") && !parts.has("lexical") ? BY_MEANING : 1;
}

/** Return why a node was found, with the passage if it is prose that contains a word of the query. */
function reasonOf({ why, passage = "", title }: Hit, query: string): string {
  const text = passage.toLowerCase();
  const words = query.toLowerCase().split(/[^\p{L}\p{N}]+/u);
  const matches = words.some((word) => word.length > 2 && text.includes(word));
  return matches && passage !== title && !/^\s*[[{<]/.test(passage) ? `“${passage}” · ${why}` : why;
}

/** Return the nodes of a page of the log. */
function rowsOfLog({ entries, next_cursor }: LogPage, query: string): Listed {
  const rows = new Map<string, Row>();
  for (const entry of entries) {
    const title = String(entry.after?.["_title"] ?? entry.before?.["_title"] ?? entry.subject);
    const matches = title.toLowerCase().includes(query.toLowerCase());
    if (entry.kind !== "node" || !matches || rows.has(entry.subject)) continue;
    rows.set(entry.subject, {
      id: entry.subject,
      type: entry.type ?? "",
      title,
      created: Date.parse(entry.at),
      note: entry.summary,
    });
  }
  return {
    rows: [...rows.values()],
    isByChange: true,
    summary: `${count(rows.size)} changed, latest first`,
    warnings: [],
    ...(next_cursor && { next: next_cursor }),
  };
}

function Table({ listed, busy, opened }: { listed: Listed; busy: boolean; opened: string }) {
  const [sort, setSort] = useState<{ key: SortKey; down: boolean }>();
  const rows = useMemo(() => sortRows(listed.rows, sort), [listed, sort]);
  const active = useRowKeys(rows);
  const hasNotes = rows.some((row) => row.note);
  const firstByMeaning = sort ? -1 : rows.findIndex((row) => row.isByMeaning);
  const toggle = (key: SortKey) =>
    setSort((known) => (known?.key !== key ? { key, down: false } : known.down ? undefined : { key, down: true }));
  const Head = ({ name, label }: { name: SortKey; label: string }) => (
    <th scope="col" aria-sort={sort?.key === name ? (sort.down ? "descending" : "ascending") : "none"}>
      <button type="button" class="quiet" title="Sort the rows of this page" onClick={() => toggle(name)}>
        {label}
        {sort?.key === name && (sort.down ? " ↓" : " ↑")}
      </button>
    </th>
  );
  return (
    <>
      <p class="summary" role="status">
        {listed.summary}
        {rows.length > 0 && (
          <a
            href={addressOf("graph", {
              seed: rows
                .slice(0, 40)
                .map((row) => row.id)
                .join(","),
            })}
          >
            Show as a graph
          </a>
        )}
      </p>
      {listed.warnings.map((warning) => (
        <p class="hint">{warning}</p>
      ))}
      {rows.length ? (
        <table class="nodes" aria-busy={busy}>
          <thead>
            <tr>
              <Head name="title" label="Title" />
              <Head name="type" label="Type" />
              {hasNotes && <th scope="col">{listed.isByChange ? "Latest change" : "Why"}</th>}
              <Head name="created" label={listed.isByChange ? "Changed" : "Created"} />
            </tr>
          </thead>
          <tbody>
            {rows.map((row, index) => (
              <Fragment key={row.id}>
                {index === firstByMeaning && (
                  <tr class="group-head">
                    <th scope="rowgroup" colSpan={2}>
                      Close in meaning
                    </th>
                  </tr>
                )}
                <tr
                  class={index === active ? "active" : undefined}
                  aria-selected={row.id === opened}
                  onClick={() => openNode(row.id)}
                >
                  <td>
                    <NodeLink id={row.id} title={row.title} />
                  </td>
                  <td>
                    <TypeChip type={row.type} />
                  </td>
                  {hasNotes && <td class="note">{row.note}</td>}
                  <td class="when">
                    <Ago time={row.created} />
                  </td>
                </tr>
              </Fragment>
            ))}
          </tbody>
        </table>
      ) : (
        <Empty>No node matches.</Empty>
      )}
    </>
  );
}

function sortRows(rows: Row[], sort: { key: SortKey; down: boolean } | undefined): Row[] {
  if (!sort) return rows;
  const compare = (a: Row, b: Row) =>
    sort.key === "created" ? a.created - b.created : a[sort.key].localeCompare(b[sort.key]);
  return rows.toSorted((a, b) => (sort.down ? compare(b, a) : compare(a, b)));
}

/** Follow j, k, the arrows and Enter. Returns the index of the row that is chosen, or -1. */
function useRowKeys(rows: Row[]): number {
  const [active, setActive] = useState(-1);
  useEffect(() => setActive(-1), [rows.map((row) => row.id).join()]);
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      const search = event.target instanceof HTMLInputElement && event.target.type === "search";
      const step = { j: 1, ArrowDown: 1, k: -1, ArrowUp: -1 }[event.key];
      if ((isTyping(event) && !(search && event.key.startsWith("Arrow"))) || !step || event.ctrlKey || event.metaKey)
        return;
      event.preventDefault();
      const next = Math.min(Math.max(active + step, 0), rows.length - 1);
      setActive(next);
      document.querySelectorAll<HTMLElement>("table.nodes tbody .node-link")[next]?.focus();
    };
    window.addEventListener("keydown", onKey);
    return () => window.removeEventListener("keydown", onKey);
  }, [rows, active]);
  return active;
}

interface PagesProps {
  page: number;
  onBack: (() => void) | undefined;
  onNext: (() => void) | undefined;
}

export function Pages({ page, onBack, onNext }: PagesProps) {
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (isTyping(event) || event.ctrlKey || event.metaKey) return;
      if (event.key === "n") onNext?.();
      if (event.key === "p") onBack?.();
    };
    window.addEventListener("keydown", onKey);
    return () => window.removeEventListener("keydown", onKey);
  });
  if (!onBack && !onNext) return null;
  return (
    <nav class="pages" aria-label="Pages of the list">
      <button type="button" disabled={!onBack} onClick={onBack}>
        ← Previous
      </button>
      <span>Page {page}</span>
      <button type="button" disabled={!onNext} onClick={onNext}>
        Next →
      </button>
    </nav>
  );
}
