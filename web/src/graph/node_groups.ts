/** What the server knows of drawn nodes, for their colours: sessions, communities and use. */

import { useMemo } from "preact/hooks";

import type { ApiError } from "../api";
import { useResult } from "../memory";
import type { LogPage, NodeUses } from "../results";
import { useCommunities } from "./communities";
import type { DrawnGraph } from "./graph_model";
import { nameOf } from "./overview_graph";
import type { ColourName } from "./palette";

const LOG_READ = 1_000;

/** The facts by which nodes are coloured, by the ids of the nodes. */
export interface NodeGroups {
  /** The session that changed a node last, as far as the newest part of the log tells. */
  sessions: Map<string, string>;
  /** The position of a node's community among those drawn, and its name. */
  communities: Map<string, [position: number, name: string]>;
  /** The number of replies that contained a node. */
  uses: Map<string, number>;
  /** Why the facts cannot be read. The colours then mean nothing. */
  error: ApiError | undefined;
}

/** Return what the chosen colours need; the rest stays empty. `version` tells when the graph has changed. */
export function useNodeGroups(graph: DrawnGraph, colours: ColourName, version: number): NodeGroups {
  const nodeIds = useMemo(() => graph.filterNodes((_, { hub }) => !hub), [version]);
  const args = nodeIds.length ? { node_ids: nodeIds } : null;
  const log = useResult<LogPage>("memory_log", colours === "session" ? { full: true, limit: LOG_READ } : null);
  const overview = useCommunities(colours === "community" ? args : null);
  const used = useResult<NodeUses>("get_node_uses", colours === "use" ? args : null);
  return useMemo(() => {
    const sessions = new Map<string, string>();
    for (const { subject, session } of log.value?.entries ?? []) {
      if (session && !sessions.has(subject)) sessions.set(subject, session);
    }
    const { communities = [], members = {} } = overview.value ?? {};
    const names = uniqueNames(communities.map(nameOf));
    const known = new Map(communities.map(({ id }, index) => [id, [index, names[index]!]] as const));
    return {
      sessions,
      communities: new Map(
        Object.entries(members).flatMap(([id, community]) => {
          const group = known.get(community);
          return group ? [[id, [...group]] as [string, [number, string]]] : [];
        }),
      ),
      uses: new Map(used.value?.nodes.map(({ id, count }) => [id, count])),
      error: log.error ?? overview.error ?? used.error,
    };
  }, [log.value, overview.value, used.value, log.error, overview.error, used.error]);
}

/** Number the names that occur several times, so that each has its own line in the legend. */
function uniqueNames(names: string[]): string[] {
  const counts = new Map<string, number>();
  return names.map((name) => {
    const number = (counts.get(name) ?? 0) + 1;
    counts.set(name, number);
    return number === 1 ? name : `${name} (${number})`;
  });
}
