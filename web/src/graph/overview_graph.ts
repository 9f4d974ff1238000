/** A graph whose nodes are the communities of a domain. */

import { MultiDirectedGraph } from "graphology";

import type { Communities, Community } from "../results";
import { colour } from "../theme";
import { hueOf } from "../ui";
import { count } from "../words";
import type { DrawnGraph, EdgeAttributes, NodeAttributes } from "./graph_model";

/** The most edges that are drawn, the strongest first. More would cover the picture. */
const MAX_EDGES = 3_000;
const LONGEST_NAME = 32;
const SMALLEST = 4;
const LARGEST = 26;

/** Return the graph. Communities that were drawn before keep their places. */
export function graphOf({ communities, edges }: Communities, before?: DrawnGraph): DrawnGraph {
  const graph: DrawnGraph = new MultiDirectedGraph<NodeAttributes, EdgeAttributes>();
  const largest = Math.max(...communities.map(({ size }) => size));
  communities.forEach((community, index) => {
    const known = before?.hasNode(community.id) ? before.getNodeAttributes(community.id) : undefined;
    const distance = 10 * Math.sqrt(index);
    graph.addNode(community.id, {
      x: known?.x ?? distance * Math.cos(index * 2.4),
      y: known?.y ?? distance * Math.sin(index * 2.4),
      type: typeOf(community),
      title: `${nameOf(community)} (${count(community.size)})`,
      created: 0,
      size: SMALLEST + (LARGEST - SMALLEST) * Math.sqrt(community.size / largest),
    });
  });
  const most = Math.log1p(Math.max(1, ...edges.map(({ connections }) => connections)));
  const strongest = edges.toSorted((a, b) => b.connections - a.connections).slice(0, MAX_EDGES);
  for (const { from_id, to_id, connections } of strongest) {
    graph.addDirectedEdge(from_id, to_id, { type: "", weight: Math.log1p(connections) / most });
  }
  return graph;
}

/** Set the colours by the type of the node that names a community; the caller draws. Returns the legend. */
export function paintCommunities(graph: DrawnGraph): Map<string, string> {
  const legend = new Map<string, string>();
  graph.forEachNode((_, node) => {
    node.color = colour(node.type ? `hue-${hueOf(node.type)}` : "faint");
    if (node.type) legend.set(node.type, node.color);
  });
  const color = colour("edge");
  graph.forEachEdge((_, edge) => Object.assign(edge, { color }));
  return new Map([...legend].sort());
}

/** Return the most connected node of a community. Groups that are no communities have none. */
const namingNode = ({ id, nodes }: Community) => (id.startsWith(":") ? undefined : nodes[0]);

/** Return a short name: the title of the most connected node. Groups that are no communities have a label instead. */
export function nameOf(community: Community): string {
  const name = namingNode(community)?.title || community.label;
  return name.length > LONGEST_NAME ? `${name.slice(0, LONGEST_NAME - 1).trimEnd()}…` : name;
}

const typeOf = (community: Community): string => namingNode(community)?.type ?? "";
