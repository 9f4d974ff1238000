/** The colours of drawn nodes. */

import { colour } from "../theme";
import { hueOf, HUES } from "../ui";
import type { DrawnGraph, NodeAttributes } from "./graph_model";
import type { NodeGroups } from "./node_groups";

export const COLOURS = [
  ["type", "Type"],
  ["age", "Age"],
  ["session", "Session"],
  ["use", "Use"],
  ["community", "Community"],
  ["domain", "Domain"],
] as const;
export type ColourName = (typeof COLOURS)[number][0];

const MAX_NAMED = 24;
const END_SIZE = 15;

export interface Appearance {
  colours: ColourName;
  sizes: "degree" | "weight" | "equal";
  chosen: string;
  groups: NodeGroups;
  domain: string;
}

/** Set the colours and sizes of all nodes and connections; the caller draws. Returns the legend: each word with its colour. */
export function paint(
  graph: DrawnGraph,
  { colours, sizes, chosen, groups, domain }: Appearance,
): Map<string, string> {
  const legend = new Map<string, string>();
  graph.forEachNode((id, node) => {
    const [color, word] = colourOf(id, node, colours, groups, domain);
    if (word) legend.set(word, color);
    Object.assign(node, { color, size: node.hub ? 5 : node.end ? END_SIZE : sizeOf(graph, id, sizes), isChosen: id === chosen });
  });
  const line = colour("edge");
  const isSparse = graph.size <= MAX_NAMED;
  const named = graph.hasNode(chosen) && graph.degree(chosen) <= MAX_NAMED ? chosen : "";
  graph.forEachEdge((_, edge, source, target) => {
    Object.assign(edge, {
      color: edge.mark ? colour(edge.mark) : line,
      isNamed: isSparse || source === named || target === named,
    });
  });
  return new Map([...legend].sort());
}

function sizeOf(graph: DrawnGraph, id: string, sizes: Appearance["sizes"]): number {
  if (sizes === "equal") return 7;
  const weights = () => graph.reduceEdges(id, (sum, _, { weight }) => sum + weight, 0);
  return 5 + Math.min(13, 2 * Math.sqrt(sizes === "weight" ? weights() * 2 : graph.degree(id)));
}

/** Return the colour of a node, and the word for it in the legend. */
function colourOf(
  id: string,
  node: NodeAttributes,
  by: ColourName,
  groups: NodeGroups,
  domain: string,
): [string, string] {
  if (node.hub) return [colour("faint"), ""];
  if (node.mark) return [colour(node.mark), node.mark];
  if (by === "age") return colourOfAge(node.created);
  if (by === "use") return colourOfUse(groups.uses.get(id) ?? 0);
  if (by === "community") return colourOfCommunity(groups.communities.get(id));
  const name = { type: node.type, session: groups.sessions.get(id) ?? "no session", domain: node.domain ?? domain }[by];
  return [colour(`hue-${hueOf(name)}`), name];
}

const DAY = 86_400_000;
const AGES: [string, number][] = [
  ["today", DAY],
  ["this week", 7 * DAY],
  ["this month", 31 * DAY],
  ["this year", 366 * DAY],
  ["older", Infinity],
];

function colourOfAge(created: number): [string, string] {
  const age = Date.now() - created;
  const step = AGES.findIndex(([, limit]) => age < limit);
  return [colour(`age-${step}`), AGES[step]![0]];
}

const USES: [string, number][] = [
  ["20 replies or more", 20],
  ["5 to 19 replies", 5],
  ["2 to 4 replies", 2],
  ["1 reply", 1],
  ["in no reply", 0],
];

function colourOfUse(uses: number): [string, string] {
  const step = USES.findIndex(([, least]) => uses >= least);
  return [colour(`age-${step}`), USES[step]![0]];
}

function colourOfCommunity(community: [number, string] | undefined): [string, string] {
  if (!community) return [colour("faint"), "no community yet"];
  const [position, label] = community;
  return [colour(`hue-${position % HUES}`), label];
}
