/** The drawn nodes as a list, with the same actions: for browsers without WebGL2, and for keyboards. */

import { NodeLink, TypeChip } from "../ui";
import { plural } from "../words";
import type { GraphModel } from "./graph_model";

interface Props {
  model: GraphModel;
  version: number;
  expand: (id: string) => Promise<unknown>;
  remove: (id: string) => void;
}

export function GraphList({ model, expand, remove }: Props) {
  const { graph } = model;
  const nodes = graph.nodes().sort((a, b) => graph.degree(b) - graph.degree(a));
  return (
    <ul class="rows graph-list">
      {nodes.map((id) => {
        const { title, type, hub, mark, end } = graph.getNodeAttributes(id);
        if (hub) {
          return (
            <li key={id}>
              <button type="button" onClick={() => void expand(id)}>
                {title} of {graph.getNodeAttribute(hub, "title")}
              </button>
            </li>
          );
        }
        return (
          <li key={id} class={mark}>
            <div>
              <NodeLink id={id} title={title} /> <TypeChip type={type} />
              <p class="reason">
                {mark && `${mark} · `}
                {end && `${end} of the path · `}
                {graph.degree(id) ? `${plural(graph.degree(id), "connection")}: ${neighborsOf(model, id)}` : "not connected"}
              </p>
            </div>
            <div class="actions">
              <button type="button" class="quiet" onClick={() => void expand(id)}>
                Expand
              </button>
              <button type="button" class="quiet" onClick={() => remove(id)}>
                Hide
              </button>
            </div>
          </li>
        );
      })}
    </ul>
  );
}

const SHOWN = 6;

function neighborsOf({ graph }: GraphModel, id: string): string {
  const edges = graph.mapEdges(id, (_, { type }, source, target) => {
    const other = source === id ? target : source;
    return `${source === id ? type : `← ${type}`} ${graph.getNodeAttribute(other, "title")}`;
  });
  return edges.slice(0, SHOWN).join(", ") + (edges.length > SHOWN ? " …" : "");
}
