/** The connections of a node in words, grouped by their type and direction. */

import { useState } from "preact/hooks";

import { useMemory, useResult } from "../memory";
import type { Connection, Neighbors, Ontology } from "../results";
import { addressOf } from "../route";
import { Action, NodeLink, Result, Section } from "../ui";
import { asWords } from "../words";
import { tryWrite } from "../writes";

const FIRST = 30;
const MOST = 300;

export function Connections({ id }: { id: string }) {
  const [limit, setLimit] = useState(FIRST);
  const inverses = useInverses();
  const answer = useResult<Neighbors>("get_neighbors", { node_id: id, limit });
  return (
    <Section title="Connections" aside={<a href={addressOf("graph", { path: id })}>Find a path from here</a>}>
      <Result of={answer}>
        {(neighbors) => (
          <>
            {groupsOf(neighbors, inverses).map(([sentence, connections]) => (
              <div class="group" key={sentence}>
                <h3>{sentence}</h3>
                <ul>
                  {connections.map((connection) => (
                    <Row key={connection.id + connection.type} connection={connection} id={id} />
                  ))}
                </ul>
              </div>
            ))}
            {!neighbors.outgoing.length && !neighbors.incoming.length && (
              <p class="empty">Not connected to anything.</p>
            )}
            {neighbors.left_out && (
              <p class="hint">
                The {limit} strongest are shown.{" "}
                {limit < MOST && (
                  <button type="button" class="quiet" onClick={() => setLimit(MOST)}>
                    Show {MOST}
                  </button>
                )}
              </p>
            )}
          </>
        )}
      </Result>
    </Section>
  );
}

function Row({ connection, id }: { connection: Connection; id: string }) {
  const { domain } = useMemory();
  const isOutgoing = connection.from_id === id;
  const [other, title] = isOutgoing
    ? [connection.to_id, connection.to_title]
    : [connection.from_id, connection.from_title];
  return (
    <li>
      <NodeLink id={other} title={title} />
      {connection.until && <span class="quiet-text"> until {connection.until}</span>}
      <Action
        needs="delete_connection"
        kind="quiet"
        title={`Delete the connection to ${title}`}
        onClick={() =>
          tryWrite(`Disconnected from ${title}`, "delete_connection", { connection_id: connection.id, domain })
        }
      >
        Disconnect
      </Action>
    </li>
  );
}

/** Group connections by their words. Incoming connections are labelled with the inverse name. */
function groupsOf({ outgoing, incoming }: Neighbors, inverses: Map<string, string>): [string, Connection[]][] {
  const groups = new Map<string, Connection[]>();
  const add = (words: string, connection: Connection) => groups.set(words, [...(groups.get(words) ?? []), connection]);
  for (const connection of outgoing) add(asWords(connection.type), connection);
  for (const connection of incoming) {
    const inverse = inverses.get(connection.type);
    add(inverse ? asWords(inverse) : `← ${asWords(connection.type)}`, connection);
  }
  return [...groups];
}

/** Return the inverse names of connection types. A symmetric type is its own. */
function useInverses(): Map<string, string> {
  const ontology = useResult<Ontology>("get_ontology", {});
  const types = ontology.value?.connection_types.filter((type) => typeof type !== "string") ?? [];
  return new Map(types.map(({ name, inverse, symmetric }) => [name, inverse ?? (symmetric ? name : "")]));
}
