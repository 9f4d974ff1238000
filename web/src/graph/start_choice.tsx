/** The search for nodes that the graph begins with, or that a path leads to. */

import { useState } from "preact/hooks";

import { focusMainField } from "../keys";
import { useMemory } from "../memory";
import { setParameters, type Parameters } from "../route";
import { TypeChip } from "../ui";
import { useSuggestions } from "./suggestions";

/** The parameters that say what the graph begins with, except nodes and paths, which can be continued. */
const NO_START = { q: "", since: "", until: "", against: "", overview: "", community: "" };

export function StartChoice({ parameters, isOverview }: { parameters: Parameters; isOverview: boolean }) {
  const [typed, setTyped] = useState("");
  const { query, nodes } = useSuggestions(typed);
  const from = parameters["node"] || parameters["seed"]?.split(",")[0] || "";
  const choose = (changes: Parameters) => {
    setTyped("");
    setParameters({ ...NO_START, ...changes }, true);
  };
  const { offers } = useMemory();
  const seeds = (parameters["seed"] ?? "").split(",").filter(Boolean);
  return (
    <div class="start-choice">
      <input
        ref={isOverview ? focusMainField : null}
        type="search"
        placeholder="Add nodes, or all results of a search"
        aria-label="Search for nodes to draw"
        value={typed}
        onInput={(event) => setTyped(event.currentTarget.value)}
      />
      {offers("get_communities") && (
        <button
          type="button"
          aria-pressed={isOverview}
          onClick={() => choose({ seed: "", path: "", open: "", node: "", at: "", overview: "1" })}
        >
          Overview
        </button>
      )}
      <button type="button" onClick={() => choose({ seed: "", open: "", at: "", path: `${from},` })}>
        Path
      </button>
      {query && (
        <ul class="suggestions">
          {nodes.map((hit) => (
            <li key={hit.id}>
              <button
                type="button"
                class="quiet"
                onClick={() => choose({ path: "", seed: [...seeds, hit.id].join(",") })}
              >
                {hit.title} <TypeChip type={hit.type} />
              </button>
              {from && from !== hit.id && (
                <button
                  type="button"
                  class="quiet"
                  onClick={() => choose({ seed: "", open: "", path: `${from},${hit.id}` })}
                >
                  Path to it
                </button>
              )}
            </li>
          ))}
          <li>
            <button type="button" class="quiet" onClick={() => choose({ seed: "", path: "", open: "", q: query })}>
              Draw all results for “{query}”
            </button>
          </li>
        </ul>
      )}
    </div>
  );
}
