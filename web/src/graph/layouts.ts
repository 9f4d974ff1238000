/** Where nodes are drawn. The force layout runs in a worker; the others are computed at once. */

import type { DrawnGraph } from "./graph_model";

export const LAYOUTS = [
  ["force", "Force"],
  ["radial", "Radial"],
  ["hierarchy", "Hierarchy"],
  ["type", "By type"],
  ["time", "By time"],
] as const;
export type LayoutName = (typeof LAYOUTS)[number][0];

interface Place {
  x: number;
  y: number;
}
type Places = Map<string, Place>;

/** The positions and edges that a worker gets. */
export interface ForceInput {
  positions: Place[];
  edges: [source: number, target: number, weight: number][];
}

/** Place the nodes. `onMove` is called after each step. Returns a function that stops a layout that still runs. */
export function layOut(graph: DrawnGraph, name: LayoutName, roots: Set<string>, onMove: () => void): () => void {
  if (name === "force") return followForces(graph, onMove);
  apply(
    graph,
    { radial: placeRadially, hierarchy: placeInLevels, type: placeByType, time: placeByTime }[name](graph, roots),
  );
  onMove();
  return () => undefined;
}

function followForces(graph: DrawnGraph, onMove: () => void): () => void {
  const nodes = graph.nodes();
  const index = new Map(nodes.map((node, position) => [node, position]));
  const worker = new Worker(new URL("./layout_worker.ts", import.meta.url), { type: "module" });
  worker.onmessage = ({ data }: MessageEvent<Place[]>) => {
    apply(graph, new Map(data.map((place, position) => [nodes[position]!, place])));
    onMove();
  };
  const input: ForceInput = {
    positions: nodes.map((node) => ({ x: graph.getNodeAttribute(node, "x"), y: graph.getNodeAttribute(node, "y") })),
    edges: graph.mapEdges((_, { weight }, source, target) => [index.get(source)!, index.get(target)!, weight]),
  };
  worker.postMessage(input);
  return () => worker.terminate();
}

/** Move the nodes without an event for each: the caller draws once. */
function apply(graph: DrawnGraph, places: Places): void {
  graph.forEachNode((node, attributes) => Object.assign(attributes, places.get(node)));
}

/** Return the nodes by their distance from the nearest root. Unconnected nodes follow last. */
function levelsOf(graph: DrawnGraph, roots: Set<string>): string[][] {
  const busiest = graph
    .nodes()
    .sort((a, b) => graph.degree(b) - graph.degree(a))
    .slice(0, 1);
  const start = [...roots].filter((root) => graph.hasNode(root));
  let level = start.length ? start : busiest;
  const seen = new Set(level);
  const levels: string[][] = [];
  while (level.length) {
    levels.push(level);
    level = [...new Set(level.flatMap((node) => graph.neighbors(node)))].filter((node) => !seen.has(node));
    level.forEach((node) => seen.add(node));
  }
  const apart = graph.nodes().filter((node) => !seen.has(node));
  return apart.length ? [...levels, apart] : levels;
}

function placeRadially(graph: DrawnGraph, roots: Set<string>): Places {
  const places: Places = new Map();
  let radius = 0;
  levelsOf(graph, roots).forEach((level, depth) => {
    radius = depth === 0 && level.length === 1 ? 0 : Math.max(radius + 10, level.length * 0.8);
    level.forEach((node, position) => {
      const angle = (2 * Math.PI * position) / level.length;
      places.set(node, { x: radius * Math.cos(angle), y: radius * Math.sin(angle) });
    });
  });
  return places;
}

const ROW = 24;

function placeInLevels(graph: DrawnGraph, roots: Set<string>): Places {
  const places: Places = new Map();
  let y = 0;
  for (const level of levelsOf(graph, roots)) {
    const parent = (node: string) =>
      Math.min(...graph.neighbors(node).map((other) => places.get(other)?.x ?? Infinity));
    const ordered = level.map((node) => [node, parent(node)] as const).sort((a, b) => a[1] - b[1]);
    ordered.forEach(([node], position) => {
      const row = Math.floor(position / ROW);
      const inRow = Math.min(ROW, ordered.length - row * ROW);
      places.set(node, { x: ((position % ROW) - (inRow - 1) / 2) * 6 + (row % 2) * 3, y: y - row * 4 });
    });
    y -= 16 + Math.floor((ordered.length - 1) / ROW) * 4;
  }
  return places;
}

function placeByType(graph: DrawnGraph): Places {
  const groups = groupsOf(graph, (node) => graph.getNodeAttribute(node, "type"));
  const places: Places = new Map();
  const ring = groups.length > 1 ? 14 * Math.max(2, Math.sqrt(graph.order) / 3) : 0;
  groups.forEach(([, nodes], position) => {
    const angle = (2 * Math.PI * position) / groups.length;
    nodes.forEach((node, order) => {
      const distance = 2 * Math.sqrt(order);
      const turn = order * 2.4;
      places.set(node, {
        x: ring * Math.cos(angle) + distance * Math.cos(turn),
        y: ring * Math.sin(angle) + distance * Math.sin(turn),
      });
    });
  });
  return places;
}

/** Place nodes in the order of their creation, in a lane for each type. */
function placeByTime(graph: DrawnGraph): Places {
  const ordered = graph
    .nodes()
    .sort((a, b) => graph.getNodeAttribute(a, "created") - graph.getNodeAttribute(b, "created"));
  const lanes = groupsOf(graph, (node) => graph.getNodeAttribute(node, "type")).map(([type]) => type);
  const width = 120 / Math.max(1, ordered.length - 1);
  return new Map(
    ordered.map((node, position) => {
      const lane = lanes.indexOf(graph.getNodeAttribute(node, "type"));
      return [node, { x: position * width, y: -lane * 12 + (position % 5) * 1.6 }];
    }),
  );
}

function groupsOf(graph: DrawnGraph, keyOf: (node: string) => string): [string, string[]][] {
  const groups = new Map<string, string[]>();
  graph.forEachNode((node) => groups.set(keyOf(node), [...(groups.get(keyOf(node)) ?? []), node]));
  return [...groups].sort(([a], [b]) => a.localeCompare(b));
}
