/** Draws a graph with WebGL. */

import Sigma from "sigma";
import { extremityArrow, layerPlain, pathCurved, pathLine, pathLoop } from "sigma/rendering";

import { colour, prefersStillness } from "../theme";
import type { DrawnGraph, EdgeAttributes, LabelPlace, NodeAttributes } from "./graph_model";

const LABEL_MILLISECONDS = 150;
const CHARACTER_PIXELS = 7;
/** The most nodes whose labels are compared with each other. */
const MAX_OBSTACLES = 300;

/** The most connections that stay visible while the picture moves. Drawing more by software takes too long. */
const MAX_MOVING_EDGES = 1_000;

export interface Canvas {
  refresh: () => void;
  fit: () => void;
  kill: () => void;
}

interface Options {
  onClick: (id: string) => void;
  onDoubleClick: (id: string) => void;
  /** Whether labels that would cover others are hidden. */
  separatesLabels?: boolean;
}

export function hasWebGL(): boolean {
  return document.createElement("canvas").getContext("webgl2") !== null;
}

export function draw(
  graph: DrawnGraph,
  container: HTMLElement,
  { onClick, onDoubleClick, separatesLabels }: Options,
): Canvas {
  const duration = prefersStillness() ? 0 : 200;
  const sigma = new Sigma<NodeAttributes, EdgeAttributes>(graph, container, {
    primitives: {
      edges: {
        paths: [pathLine(), pathCurved(), pathLoop()],
        extremities: [extremityArrow({ lengthRatio: 4, widthRatio: 3 })],
        layers: [layerPlain()],
      },
    },
    settings: {
      renderEdgeLabels: true,
      labelDensity: 0.7,
      labelGridCellSize: 110,
      labelRenderedSizeThreshold: 5,
      zoomDuration: duration,
      inertiaDuration: duration,
      enableNodeDrag: true,
      itemSizesReference: "screen",
      allowInvalidContainer: true,
      stagePadding: 50,
    },
    styles: STYLES,
  });
  sigma.on("clickNode", ({ node }) => onClick(node));
  sigma.on("doubleClickNode", (payload) => {
    payload.preventSigmaDefault();
    onDoubleClick(payload.node);
  });
  let isSparse = false;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const separate = () => {
    if (!separatesLabels) return;
    clearTimeout(timer);
    timer = setTimeout(() => {
      separateLabels(graph, (point) => sigma.graphToViewport(point));
      sigma.refresh({ schedule: true });
    }, LABEL_MILLISECONDS);
  };
  sigma.getCamera().on("updated", separate);
  separate();
  return {
    refresh: () => {
      if (isSparse !== graph.size > MAX_MOVING_EDGES) {
        isSparse = !isSparse;
        sigma.setSettings({ hideEdgesOnMove: isSparse, hideLabelsOnMove: isSparse });
      }
      sigma.refresh({ schedule: true });
      separate();
    },
    fit: () => void sigma.getCamera().reset({ duration }),
    kill: () => {
      clearTimeout(timer);
      sigma.kill();
    },
  };
}

type Point = { x: number; y: number };
type Box = [left: number, top: number, right: number, bottom: number];

/** Decide where labels have room: those of larger nodes first, beside all nodes and the labels before. */
function separateLabels(graph: DrawnGraph, toViewport: (point: Point) => Point): void {
  const nodes = graph.mapNodes((_, node) => ({ node, at: toViewport(node), size: node.size ?? 0 }));
  nodes.sort((a, b) => b.size - a.size);
  const first = nodes.slice(0, MAX_OBSTACLES);
  const taken: Box[] = first.map(({ at: { x, y }, size }) => [x - size, y - size, x + size, y + size]);
  const isFree = (box: Box) => !taken.some(([a, b, c, d]) => a < box[2] && c > box[0] && b < box[3] && d > box[1]);
  for (const { node, at, size } of first) {
    const free = labelBoxes(at, size, node.title.length * CHARACTER_PIXELS).find(([, box]) => isFree(box));
    node.labelPlace = free?.[0] ?? "nowhere";
    if (free) taken.push(free[1]);
  }
  for (const { node } of nodes.slice(MAX_OBSTACLES)) node.labelPlace = "nowhere";
}

function labelBoxes({ x, y }: Point, size: number, width: number): [LabelPlace, Box][] {
  const near = size + 2;
  return [
    ["right", [x + near, y - 8, x + near + width, y + 8]],
    ["left", [x - near - width, y - 8, x - near, y + 8]],
    ["below", [x - width / 2, y + near, x + width / 2, y + near + 18]],
    ["above", [x - width / 2, y - near - 18, x + width / 2, y - near]],
  ];
}

type Hover = { isHovered: boolean };
const isMarked = (node: NodeAttributes, { isHovered }: Hover): boolean => isHovered || node.isChosen === true || node.end !== undefined;

const STYLES = {
  nodes: {
    x: { attribute: "x" },
    y: { attribute: "y" },
    size: { attribute: "size", defaultValue: 7 },
    color: { attribute: "color", defaultValue: "#888" },
    label: (node: NodeAttributes) => (node.end ? `${node.title} (${node.end})` : node.title),
    labelColor: () => colour("text"),
    labelSize: 12.5,
    labelVisibility: (node: NodeAttributes, state: Hover) =>
      node.hub || isMarked(node, state) || (node.labelPlace && node.labelPlace !== "nowhere")
        ? ("visible" as const)
        : node.labelPlace
          ? ("hidden" as const)
          : ("auto" as const),
    labelPosition: ({ labelPlace }: NodeAttributes) => (labelPlace && labelPlace !== "nowhere" ? labelPlace : "right"),
    backdropVisibility: (node: NodeAttributes, state: Hover) =>
      isMarked(node, state) ? ("visible" as const) : ("hidden" as const),
    backdropColor: () => colour("surface"),
    backdropShadowColor: () => colour("shadow"),
    backdropShadowBlur: 10,
    backdropPadding: 5,
  },
  edges: {
    path: "straight",
    parallelPath: "curved",
    selfLoopPath: "loop",
    head: (edge: EdgeAttributes) => (edge.type ? "arrow" : "none"),
    size: (edge: EdgeAttributes) => 0.8 + edge.weight * 1.6,
    color: { attribute: "color", defaultValue: "#bbb" },
    label: (edge: EdgeAttributes) => (edge.inverse ? `${edge.type} ⇄ ${edge.inverse}` : edge.type),
    labelVisibility: (edge: EdgeAttributes, state: Hover) =>
      state.isHovered || edge.isNamed ? ("visible" as const) : ("hidden" as const),
    labelColor: () => colour("quiet"),
    labelSize: 10,
  },
};
