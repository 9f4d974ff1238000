/** The communities of the domain, which the server computes in the background. */

import { useEffect } from "preact/hooks";

import type { Arguments } from "../api";
import { useResult, type Answer } from "../memory";
import type { Communities } from "../results";

export const MAX_COMMUNITIES = 2_000;
const WAIT_SECONDS = 3;
const RETRY_MILLISECONDS = 2_000;
const OVERLOADED_MILLISECONDS = 10_000;

/** Return the communities, and read them again while newer ones are computed. Without arguments, nothing is read. */
export function useCommunities(args: Arguments | null): Answer<Communities> {
  const answer = useResult<Communities>(
    "get_communities",
    args && { limit: MAX_COMMUNITIES, max_wait: WAIT_SECONDS, ...args },
  );
  const { value, error, reload } = answer;
  useEffect(() => {
    if (!value?.is_computing && error?.code !== "OVERLOADED") return;
    const timer = setTimeout(reload, error ? OVERLOADED_MILLISECONDS : RETRY_MILLISECONDS);
    return () => clearTimeout(timer);
  }, [value, error]);
  return answer;
}
