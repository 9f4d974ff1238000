/** The nodes that match what a person types. */

import { useResult } from "../memory";
import type { Hit, SearchResult } from "../results";
import { useSettled } from "../ui";

const SUGGESTED = 8;

interface Suggestions {
  query: string;
  nodes: Hit[];
  /** Whether the nodes match the whole text. */
  isCurrent: boolean;
}

export function useSuggestions(typed: string): Suggestions {
  const query = useSettled(typed.trim());
  const found = useResult<SearchResult>("search_memories", query ? { query, max_results: SUGGESTED } : null);
  const nodes = found.value?.hits.filter((hit) => hit.kind === "node") ?? [];
  return { query, nodes, isCurrent: found.value !== undefined && query === typed.trim() };
}
