/** Runs the force layout beside the page, and posts the positions now and then, and at the end. */

import { DirectedGraph } from "graphology";
import forceAtlas2 from "graphology-layout-forceatlas2";

import type { ForceInput } from "./layouts";

const ROUNDS = 60;
const STEPS = 10;
const PAUSE_MILLISECONDS = 120;

self.onmessage = ({ data }: MessageEvent<ForceInput>) => {
  const graph = new DirectedGraph();
  data.positions.forEach((place, index) => graph.addNode(index, { ...place }));
  for (const [source, target, weight] of data.edges) {
    if (source !== target) graph.mergeDirectedEdge(source, target, { weight: 0.3 + weight });
  }
  const settings = {
    ...forceAtlas2.inferSettings(graph),
    gravity: 0.6,
    scalingRatio: 14,
    slowDown: 4,
    barnesHutOptimize: graph.order > 400,
  };
  let posted = performance.now();
  for (let round = 1; round <= ROUNDS; round++) {
    forceAtlas2.assign(graph, { iterations: STEPS, settings });
    if (round < ROUNDS && performance.now() - posted < PAUSE_MILLISECONDS) continue;
    posted = performance.now();
    self.postMessage(graph.mapNodes((_, { x, y }) => ({ x, y })));
  }
  self.close();
};
