/** The graph: begins with a selection and grows on demand. */

import { useEffect, useMemo, useRef, useState } from "preact/hooks";

import { asApiError, useMemory } from "../memory";
import type { ApiError } from "../api";
import { setParameters, useRoute, type Parameters } from "../route";
import { Failure, openNode } from "../ui";
import { plural } from "../words";
import { hasWebGL, draw, type Canvas } from "./canvas";
import { Controls, WithoutWebGL } from "./graph_controls";
import { GraphList } from "./graph_list";
import { GraphModel, type Selection } from "./graph_model";
import { layOut, type LayoutName } from "./layouts";
import { Legend } from "./legend";
import { useNodeGroups } from "./node_groups";
import { Overview } from "./overview";
import { PathChoice, PathsInWords } from "./path_choice";
import { paint, type ColourName } from "./palette";
import { StartChoice } from "./start_choice";

export function GraphPage() {
  const { parameters } = useRoute();
  const { domain, offers } = useMemory();
  const selection = selectionOf(parameters);
  const { seeds, path, query, difference, community } = selection;
  const isEmpty = !seeds.length && path.length < 2 && !query && !difference && !community;
  const isPath = !!parameters["path"];
  const isOverview = !!parameters["overview"] || (isEmpty && !isPath && offers("get_communities"));
  const key = JSON.stringify([domain, { ...selection, opened: [] }]);
  return (
    <>
      <header class="page-head graph-head">
        <h1>Graph</h1>
        {isPath ? (
          <PathChoice parameters={parameters} />
        ) : (
          <StartChoice parameters={parameters} isOverview={isOverview} />
        )}
      </header>
      {isOverview ? (
        <Overview parameters={parameters} key={domain} />
      ) : isEmpty ? (
        <Introduction isPath={isPath} />
      ) : (
        <Drawing key={key} selection={selection} />
      )}
    </>
  );
}

function Introduction({ isPath }: { isPath: boolean }) {
  return isPath ? (
    <p class="empty">Choose the two nodes between which you want to find a path.</p>
  ) : (
    <p class="empty">
      Search for a node to begin with, or open the graph from a card, a list or a recall. The graph grows as you expand
      nodes.
    </p>
  );
}

function selectionOf(parameters: Parameters): Selection {
  const ids = (name: string) => (parameters[name] ?? "").split(",").filter(Boolean);
  const { q = "", at = "", since = "", until = "", against = "", community = "" } = parameters;
  const compares = since || until || against;
  return {
    seeds: ids("seed"),
    opened: ids("open"),
    path: ids("path"),
    query: q,
    community,
    at,
    ...(compares ? { difference: { since, until, against } } : {}),
  };
}

function Drawing({ selection }: { selection: Selection }) {
  const { parameters } = useRoute();
  const { domain, revision } = useMemory();
  const model = useMemo(() => new GraphModel(domain, selection.at), []);
  const [version, setVersion] = useState(0);
  const [error, setError] = useState<ApiError>();
  const [isBusy, setBusy] = useState(true);
  const run = (work: () => Promise<unknown>) => {
    setBusy(true);
    setError(undefined);
    return work()
      .catch((failure: unknown) => setError(asApiError(failure)))
      .finally(() => {
        setBusy(false);
        setVersion((known) => known + 1);
      });
  };
  const first = useRef(revision);
  useEffect(() => void run(() => model.load(selection)), []);
  useEffect(() => {
    if (revision !== first.current && !selection.at) void run(() => model.refresh());
  }, [revision]);
  const expand = (id: string) => {
    const hub = model.graph.hasNode(id) ? (model.graph.getNodeAttribute(id, "hub") ?? id) : id;
    setParameters({ open: [...new Set([...selection.opened, hub])].join(",") });
    return run(() => model.expand(hub));
  };
  const remove = (id: string) => {
    model.remove(id);
    setVersion((known) => known + 1);
  };
  const canDraw = useMemo(hasWebGL, []);
  const asList = !canDraw || parameters["as"] === "list";
  const actions = { expand, remove };
  return (
    <>
      {canDraw && <Controls parameters={parameters} />}
      {error && <Failure error={error} />}
      <p class="summary" role="status">
        {isBusy ? "Loading…" : sizeOf(model)}
        {[...model.notes].map((note) => (
          <span key={note}> {note}</span>
        ))}
      </p>
      {model.noPath && <p class="banner">{model.noPath}</p>}
      <PathsInWords paths={model.paths} />
      {!canDraw && <WithoutWebGL />}
      {asList ? (
        <GraphList model={model} version={version} {...actions} />
      ) : (
        <Picture model={model} version={version} parameters={parameters} {...actions} />
      )}
    </>
  );
}

function sizeOf({ graph }: GraphModel): string {
  const connections = graph.order === 1 && graph.size === 0 ? "not connected" : plural(graph.size, "connection");
  return `${plural(graph.order, "node")}, ${connections}`;
}

interface PictureProps {
  model: GraphModel;
  version: number;
  parameters: Parameters;
  expand: (id: string) => Promise<unknown>;
  remove: (id: string) => void;
}

function Picture({ model, version, parameters, expand, remove }: PictureProps) {
  const { domain } = useMemory();
  const container = useRef<HTMLDivElement>(null);
  const canvas = useRef<Canvas>(undefined);
  const [legend, setLegend] = useState(new Map<string, string>());
  const colours = (parameters["colour"] ?? "type") as ColourName;
  const groups = useNodeGroups(model.graph, colours, version);
  const chosen = parameters["node"] ?? "";
  const layout = (parameters["layout"] ?? "force") as LayoutName;
  const repaint = () => {
    const sizes = (parameters["size"] ?? "degree") as "degree";
    setLegend(paint(model.graph, { colours, sizes, chosen, groups, domain }));
    canvas.current?.refresh();
  };
  const click = useRef<(id: string) => void>(() => undefined);
  click.current = (id) => (model.isFolded(id) ? void expand(id) : openNode(id));
  const doubleClick = useRef(expand);
  doubleClick.current = expand;
  useEffect(() => {
    const onDoubleClick = (id: string) => void doubleClick.current(id);
    canvas.current = draw(model.graph, container.current!, { onClick: (id) => click.current(id), onDoubleClick });
    return () => canvas.current?.kill();
  }, []);
  useEffect(
    () => layOut(model.graph, layout, model.roots, () => canvas.current?.refresh()),
    [model.graph.order, model.graph.size, layout],
  );
  useEffect(repaint, [version, chosen, groups, colours, parameters["size"]]);
  useEffect(() => {
    window.addEventListener("theme", repaint);
    return () => window.removeEventListener("theme", repaint);
  });
  const isDrawn = chosen && model.graph.hasNode(chosen);
  return (
    <div class="picture-frame">
      {groups.error && <Failure error={groups.error} />}
      <div
        class="canvas"
        ref={container}
        role="img"
        aria-label={`A picture of ${plural(model.graph.order, "node")}. “Show as: List” has the same content and actions.`}
      />
      <div class="canvas-actions">
        {isDrawn && (
          <>
            <button type="button" onClick={() => void expand(chosen)}>
              Expand
            </button>
            <button type="button" onClick={() => remove(chosen)}>
              Hide
            </button>
          </>
        )}
        <button type="button" onClick={() => canvas.current?.fit()}>
          Fit
        </button>
      </div>
      <Legend legend={legend} />
    </div>
  );
}
