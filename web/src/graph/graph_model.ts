/** The part of the memory that is drawn. It grows on demand, and never beyond a fixed number of nodes. */

import { MultiDirectedGraph } from "graphology";

import { ApiError, call, type Arguments } from "../api";
import type { Communities, Followed, Neighbors, NodeBrief, NodePage, Paths, SearchResult } from "../results";
import { createdAt, plural } from "../words";
import { readDifference } from "./difference_graph";
import { nameOf } from "./overview_graph";

export const MAX_NODES = 2_000;
const FOLDED_BEYOND = 40;
const MAX_NEIGHBORS = 1_000;
const MAX_COUNTED = 10_000;
/** The most nodes with which the server begins a walk. */
const MAX_STARTS = 50;
/** The most connections of a path. */
const MAX_STEPS = 5;
const AT_ONCE = 6;
/** The longest time that the server may take to compute communities. */
const MAX_WAIT_SECONDS = 60;

export type LabelPlace = "right" | "left" | "below" | "above";
export type Mark = "added" | "removed" | "changed";

export interface NodeAttributes {
  x: number;
  y: number;
  title: string;
  type: string;
  created: number;
  domain?: string;
  mark?: Mark;
  /** For a folded group: the hub whose further neighbours it stands for, and how many there are. */
  hub?: string;
  color?: string;
  size?: number;
  isChosen?: boolean;
  /** Which end of a path it is. */
  end?: "start" | "end";
  /** Where its label has room; if undefined, the renderer decides whether it has. */
  labelPlace?: LabelPlace | "nowhere";
}

export interface EdgeAttributes {
  type: string;
  weight: number;
  inverse?: string;
  mark?: Mark;
  color?: string;
  /** Whether its type is written beside it. */
  isNamed?: boolean;
}

export type DrawnGraph = MultiDirectedGraph<NodeAttributes, EdgeAttributes>;

/** What the address asks for. */
export interface Selection {
  seeds: string[];
  opened: string[];
  path: string[];
  query: string;
  /** The id of a community, or of one of its nodes. */
  community: string;
  at: string;
  difference?: { since: string; until: string; against: string };
}

export class GraphModel {
  readonly graph: DrawnGraph = new MultiDirectedGraph<NodeAttributes, EdgeAttributes>();
  readonly roots = new Set<string>();
  readonly notes = new Set<string>();
  paths: Paths["paths"] = [];
  /** Why there is no path. */
  noPath = "";
  private readonly limits = new Map<string, number>();

  constructor(
    private readonly domain: string,
    private readonly at: string,
  ) {}

  /** Add everything that a selection names. */
  async load({ seeds, opened, path, query, community, difference }: Selection): Promise<void> {
    if (difference) await readDifference(this, this.domain, difference);
    if (path.length === 2) await this.addPath(path[0]!, path[1]!);
    if (query) await this.addSearch(query);
    if (community) await this.addCommunity(community);
    const [only] = seeds;
    if (seeds.length === 1 && only) await this.expand(only);
    else if (seeds.length) await this.addWithConnections(seeds);
    await inTurn([...new Set(opened)], (id) => this.expand(id));
  }

  addNode({ id, type, title, domain }: NodeBrief, near?: string, mark?: Mark): boolean {
    if (this.graph.hasNode(id)) {
      this.graph.mergeNodeAttributes(id, { title, type });
      return true;
    }
    if (this.graph.order >= MAX_NODES) {
      this.notes.add(`No more than ${MAX_NODES.toLocaleString("en")} nodes are drawn.`);
      return false;
    }
    const around = near && this.graph.hasNode(near) ? this.graph.getNodeAttributes(near) : { x: 0, y: 0 };
    const angle = this.graph.order * 2.4;
    const distance = near ? 3 : 10;
    const place = { x: around.x + distance * Math.cos(angle), y: around.y + distance * Math.sin(angle) };
    this.graph.addNode(id, {
      ...place,
      type,
      title,
      created: createdAt(id),
      ...(domain && { domain }),
      ...(mark && { mark }),
    });
    return true;
  }

  /** Add a connection. One that is already drawn under its inverse name gets both names. */
  addEdge({ id, type, from_id, to_id, weight }: Followed, mark?: Mark): void {
    if (!this.graph.hasNode(from_id) || !this.graph.hasNode(to_id)) return;
    if (!this.graph.hasEdge(id))
      this.graph.addDirectedEdgeWithKey(id, from_id, to_id, { type, weight, ...(mark && { mark }) });
    else if (this.graph.getEdgeAttribute(id, "type") !== type) this.graph.setEdgeAttribute(id, "inverse", type);
  }

  /** Add the neighbours of a node, strongest first, and fold the others into one group. */
  async expand(id: string, more = FOLDED_BEYOND): Promise<void> {
    const limit = Math.min((this.limits.get(id) ?? 0) + more, MAX_NEIGHBORS);
    const read = await this.call<Neighbors>("get_neighbors", { node_id: id, limit });
    const isRoot = !this.graph.hasNode(id);
    if (!this.addNode(read.node)) return;
    if (isRoot) this.roots.add(id);
    this.limits.set(id, limit);
    for (const neighbor of read.neighbors) this.addNode(neighbor, id);
    const connections = [...read.outgoing, ...read.incoming];
    for (const connection of connections) this.addEdge(connection);
    if (!read.left_out) this.dropOthers(id, new Set(connections.map((connection) => connection.id)));
    const near = [id, ...read.neighbors.map((neighbor) => neighbor.id)].filter((other) => this.graph.hasNode(other));
    await Promise.all([this.fold(id, read), this.connect(near)]);
  }

  /** Read the expanded nodes again, and drop what has been deleted. */
  async refresh(): Promise<void> {
    await inTurn([...this.limits.keys()], (id) =>
      this.expand(id, 0).catch((error: unknown) => {
        if (!(error instanceof ApiError && error.status === 404)) throw error;
        this.remove(id);
      }),
    );
  }

  isFolded(id: string): boolean {
    return this.graph.hasNode(id) && this.graph.getNodeAttribute(id, "hub") !== undefined;
  }

  remove(id: string): void {
    this.graph.dropNode(id);
    if (this.graph.hasNode(foldOf(id))) this.graph.dropNode(foldOf(id));
    this.roots.delete(id);
    this.limits.delete(id);
  }

  /** Add the connections between nodes that are drawn. */
  private async connect(ids: string[]): Promise<void> {
    if (ids.length < 3) return;
    const start = ids.slice(0, MAX_STARTS);
    const walked = await this.call<{ connections?: Followed[] }>("traverse_memories", {
      start,
      max_depth: 1,
      max_nodes: start.length,
      return_mode: "summarized",
    });
    for (const connection of walked.connections ?? []) this.addEdge(connection);
  }

  /** Drop the connections of a node that are not among these, and neighbours that have no others. */
  private dropOthers(id: string, kept: Set<string>): void {
    for (const edge of this.graph.edges(id)) {
      if (kept.has(edge) || this.isFolded(this.graph.opposite(id, edge))) continue;
      const other = this.graph.opposite(id, edge);
      this.graph.dropEdge(edge);
      if (this.graph.degree(other) === 0 && !this.roots.has(other) && !this.limits.has(other))
        this.graph.dropNode(other);
    }
  }

  /** Show the neighbours that are not drawn as one group. */
  private async fold(id: string, read: Neighbors): Promise<void> {
    const group = foldOf(id);
    const more = read.left_out ? await this.countFolded(id) : "";
    if (!more) {
      if (this.graph.hasNode(group)) this.graph.dropNode(group);
      return;
    }
    const isNew = !this.graph.hasNode(group);
    if (!this.addNode({ id: group, type: "", title: `+ ${more} more` }, id) || !isNew) return;
    this.graph.setNodeAttribute(group, "hub", id);
    this.graph.addDirectedEdgeWithKey(`${group} edge`, id, group, { type: "", weight: 0.1 });
  }

  private async countFolded(id: string): Promise<string> {
    const args = { node_id: id, direction: "both", limit: MAX_COUNTED };
    const all = await call<NodePage>("get_connected_nodes", { domain: this.domain, ...args });
    const more = all.node_ids.filter((other) => !this.graph.hasNode(other)).length;
    return more ? `${more.toLocaleString("en")}${all.next_cursor ? " or" : ""}` : "";
  }

  private async addPath(from: string, to: string): Promise<void> {
    const { paths } = await this.call<Paths>("find_path", {
      from_id: from,
      to_id: to,
      mode: "k_shortest",
      max_depth: MAX_STEPS,
      k: 3,
    });
    this.paths = paths;
    if (!paths.length) this.noPath = await this.explainNoPath([from, to]);
    for (const path of paths) {
      path.nodes.forEach((node, index) => this.addNode(node, path.nodes[index - 1]?.id));
      path.connections.forEach((connection) => this.addEdge(connection));
    }
    this.roots.add(from);
    this.graph.mergeNodeAttributes(from, { end: "start" });
    this.graph.mergeNodeAttributes(to, { end: "end" });
  }

  /** Add the ends without a path between them, and return the reason. */
  private async explainNoPath(ends: string[]): Promise<string> {
    const read = await Promise.all(ends.map((id) => this.call<Neighbors>("get_neighbors", { node_id: id, limit: 1 })));
    read.forEach(({ node }) => this.addNode(node));
    const alone = read.filter(({ outgoing, incoming }) => !outgoing.length && !incoming.length);
    if (alone.length) return alone.map(({ node }) => `${node.title} has no connections.`).join(" ");
    const [from, to] = read.map(({ node }) => node.title);
    return `There is no path of at most ${MAX_STEPS} connections from ${from} to ${to}.`;
  }

  private async addSearch(query: string): Promise<void> {
    const found = await call<SearchResult>("search_memories", {
      domain: this.domain,
      query,
      max_results: 40,
      ...(this.at && { as_of: asPoint(this.at) }),
    });
    await this.addWithConnections(found.hits.filter((hit) => hit.kind === "node").map((hit) => hit.id));
  }

  /** Add the most connected nodes of a community. */
  private async addCommunity(id: string): Promise<void> {
    const args = { domain: this.domain, community_id: id, max_wait: MAX_WAIT_SECONDS };
    const [community] = (await call<Communities>("get_communities", args)).communities;
    if (!community) {
      this.notes.add("This community does not exist any more. The overview shows the present ones.");
      return;
    }
    const ids = community.nodes.map((node) => node.id);
    const part = ids.length < community.size ? `, of which the ${ids.length} most connected are drawn` : "";
    this.notes.add(`Community of ${nameOf(community)}: ${plural(community.size, "node")}${part}.`);
    await this.addWithConnections(ids, ids.length);
  }

  /** Add nodes and, up to `most` nodes in all, their strongest neighbours, with all connections between these. */
  private async addWithConnections(ids: string[], most = Math.min(ids.length * 4, 200)): Promise<void> {
    if (!ids.length) return;
    const walked = await this.call<{ nodes: (NodeBrief & { parent?: string })[]; connections?: Followed[] }>(
      "traverse_memories",
      {
        start: ids.slice(0, MAX_STARTS),
        max_depth: 1,
        max_nodes: most,
        return_mode: "summarized",
      },
    );
    for (const node of walked.nodes) this.addNode(node, node.parent);
    for (const connection of walked.connections ?? []) this.addEdge(connection);
    ids.slice(0, 1).forEach((id) => this.roots.add(id));
  }

  private call<T>(operation: string, args: Arguments): Promise<T> {
    return call<T>(operation, { domain: this.domain, ...args, ...(this.at && { as_of: asPoint(this.at) }) });
  }
}

export const asPoint = (text: string): number | string => (/^\d+$/.test(text) ? Number(text) : text);

const foldOf = (id: string): string => `more:${id}`;

/** Run a function for each item, some at a time. */
export async function inTurn<T>(items: T[], run: (item: T) => Promise<unknown>): Promise<void> {
  const waiting = [...items];
  const worker = async () => {
    for (let item = waiting.shift(); item !== undefined; item = waiting.shift()) await run(item);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
}
