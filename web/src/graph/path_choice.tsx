/** The two ends of a path, and the paths between them in words. */

import { useEffect, useRef, useState } from "preact/hooks";

import { useResult } from "../memory";
import type { NodeInfo, Paths } from "../results";
import { setParameters, type Parameters } from "../route";
import { NodeLink, TypeChip } from "../ui";
import { asWords } from "../words";
import { useSuggestions } from "./suggestions";

const ENDS = ["From", "To"] as const;

export function PathChoice({ parameters }: { parameters: Parameters }) {
  const ids = (parameters["path"] ?? "").split(",");
  const empty = ENDS.findIndex((_, index) => !ids[index]);
  const choose = (index: number) => (id: string) =>
    setParameters({ path: ENDS.map((_, other) => (other === index ? id : (ids[other] ?? ""))).join(","), seed: "", open: "" }, true);
  return (
    <div class="path-choice">
      {ENDS.map((label, index) => (
        <End
          key={`${label} ${ids[index] ?? ""} ${empty}`}
          label={label}
          id={ids[index] ?? ""}
          other={ids[1 - index] ?? ""}
          isFocused={index === empty}
          onChoose={choose(index)}
        />
      ))}
      <button type="button" class="quiet" onClick={() => setParameters({ path: "", seed: ids[0] ?? "" }, true)}>
        Close the path
      </button>
    </div>
  );
}

interface EndProps {
  label: string;
  id: string;
  /** The node at the other end. */
  other: string;
  isFocused: boolean;
  onChoose: (id: string) => void;
}

function End({ label, id, other, isFocused, onChoose }: EndProps) {
  const [typed, setTyped] = useState<string>();
  const title = useResult<NodeInfo>("get_node", id ? { node_id: id } : null).value?.title ?? "";
  const [isEntered, setEntered] = useState(false);
  const { query, nodes, isCurrent } = useSuggestions(typed ?? "");
  const offered = nodes.filter((node) => node.id !== other);
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => {
    if (isFocused) input.current?.focus();
  }, []);
  const first = isCurrent ? offered[0]?.id : undefined;
  useEffect(() => {
    if (isEntered && first) onChoose(first); // also if Enter was pressed before the results came
  }, [isEntered, first]);
  const onSubmit = (event: Event) => {
    event.preventDefault();
    setEntered(true);
  };
  return (
    <form class="path-end" onSubmit={onSubmit}>
      <label>
        <span>{label}</span>
        <input
          ref={input}
          type="search"
          placeholder="Search for a node"
          value={typed ?? title}
          onInput={(event) => {
            setTyped(event.currentTarget.value);
            setEntered(false);
          }}
        />
      </label>
      {query && typed?.trim() && (
        <ul class="suggestions">
          {!offered.length && <li class="hint">{isCurrent ? "No other node matches." : "Searching…"}</li>}
          {offered.map((node) => (
            <li key={node.id}>
              <button type="button" class="quiet" onClick={() => onChoose(node.id)}>
                {node.title} <TypeChip type={node.type} />
              </button>
            </li>
          ))}
        </ul>
      )}
    </form>
  );
}

export function PathsInWords({ paths }: Paths) {
  if (!paths.length) return null;
  return (
    <ol class="paths" aria-label="Paths">
      {paths.map(({ nodes, connections }) => (
        <li key={nodes.map(({ id }) => id).join()}>
          {nodes.map((node, index) => {
            const connection = connections[index - 1];
            return (
              <>
                {connection && (
                  <span class="quiet-text">
                    {connection.to_id === node.id
                      ? ` — ${asWords(connection.type).toLowerCase()} → `
                      : ` ← ${asWords(connection.type).toLowerCase()} — `}
                  </span>
                )}
                <NodeLink id={node.id} title={node.title} />
              </>
            );
          })}
        </li>
      ))}
    </ol>
  );
}
