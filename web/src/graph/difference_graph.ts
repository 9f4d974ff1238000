/** The nodes and connections that differ between two moments, or between a branch and its base, as a graph. */

import { call, type Arguments } from "../api";
import type { Diff, DiffEntry, Followed, Ontology } from "../results";
import { plural } from "../words";
import { asPoint, inTurn, type GraphModel } from "./graph_model";

/** The most differences that are drawn. */
const MOST = 300;
/** The most differences that are read, to choose from. */
const MAX_READ = 1_000;
/** The most differences of a page of memory_diff. */
const PAGE = 200;

export interface Points {
  since: string;
  until: string;
  against: string;
}

/** Return the arguments of memory_diff for the points of the address. */
export function argumentsOf({ since, until, against }: Points): Arguments {
  return {
    ...(since && { since: asPoint(since) }),
    ...(until && { until: asPoint(until) }),
    ...(against && { against }),
  };
}

export async function readDifference(model: GraphModel, domain: string, points: Points): Promise<void> {
  const diff = await readEntries(domain, points);
  if (diff.next_cursor) await addNodes(diff, domain, points);
  const drawn = mostImportant(diff.entries);
  const hidden = countOf(diff, "node") + countOf(diff, "connection") - drawn.length;
  if (hidden > 0)
    model.notes.add(`${plural(hidden, "difference")} not drawn; the list of differences on the page Time has all.`);
  for (const entry of drawn.filter(({ kind }) => kind === "node")) {
    model.addNode(
      { id: entry.subject, type: entry.type ?? "", title: entry.title ?? entry.subject },
      undefined,
      entry.operation,
    );
  }
  await inTurn(
    drawn.filter(({ kind }) => kind === "connection"),
    (entry) => addConnection(model, domain, entry, diff, points),
  );
}

function countOf({ by_kind }: Diff, kind: string): number {
  const { added, removed, changed } = by_kind[kind] ?? { added: 0, removed: 0, changed: 0 };
  return added + removed + changed;
}

/** Add the nodes among the differences that were not read: the order of ids can begin with many connections. */
async function addNodes(diff: Diff, domain: string, points: Points): Promise<void> {
  const { node_types } = await call<Ontology>("get_ontology", { domain: points.against || domain });
  const types = node_types.map((type) => (typeof type === "string" ? type : type.name));
  const known = new Set(diff.entries.map(({ subject }) => subject));
  const { entries } = await readEntries(domain, points, types);
  diff.entries.push(...entries.filter(({ subject }) => !known.has(subject)));
}

/** Read the differences, page by page, up to a maximum. If some were not read, the result has a cursor. */
export async function readEntries(domain: string, points: Points, types?: string[]): Promise<Diff> {
  const read = (cursor?: string) =>
    call<Diff>("memory_diff", {
      domain,
      ...argumentsOf(points),
      content: true,
      limit: PAGE,
      ...(types && { types }),
      ...(cursor && { cursor }),
    });
  const diff = await read();
  let cursor = diff.next_cursor;
  while (cursor && diff.entries.length < MAX_READ) {
    const next = await read(cursor);
    diff.entries.push(...next.entries);
    cursor = next.next_cursor;
  }
  return { ...diff, next_cursor: cursor };
}

const RANKS = { removed: 0, changed: 1, added: 2 };

/** Return the differences to draw: nodes before connections, and removed and changed before added ones. */
export function mostImportant(entries: DiffEntry[]): DiffEntry[] {
  const rank = ({ kind, operation }: DiffEntry) => (kind === "node" ? 0 : 3) + RANKS[operation];
  const drawn = entries.filter(({ kind }) => kind === "node" || kind === "connection");
  return drawn.toSorted((a, b) => rank(a) - rank(b)).slice(0, MOST);
}

async function addConnection(
  model: GraphModel,
  domain: string,
  entry: DiffEntry,
  diff: Diff,
  { against }: Points,
): Promise<void> {
  const read = <T>(tool: string, args: Arguments) => {
    if (entry.operation === "removed" && !against)
      return call<{ result: T }>("memory_as_of", { domain, at: diff.since, tool, arguments: args }).then(
        ({ result }) => result,
      );
    return call<T>(tool, { domain: entry.operation !== "removed" && against ? against : domain, ...args });
  };
  type Ends = { id: string; type: string; from_node_id: string; to_node_id: string };
  const connection = await read<Ends>("get_connection", { connection_id: entry.subject }).catch(() => undefined);
  if (!connection) return;
  for (const id of [connection.from_node_id, connection.to_node_id]) {
    if (model.graph.hasNode(id)) continue;
    const node = await read<{ id: string; type: string; title: string }>("get_node", { node_id: id }).catch(
      () => undefined,
    );
    if (node) model.addNode(node);
  }
  const followed: Followed = {
    id: entry.subject,
    type: connection.type,
    from_id: connection.from_node_id,
    to_id: connection.to_node_id,
    weight: 0.5,
  };
  model.addEdge(followed, entry.operation);
}
