/** The branches and the base of a domain. */

import type { DomainSummary } from "../results";

/** A branch, and the domain that it was made from. */
export interface Branch {
  name: string;
  base: string;
  /** The last change of the base that the branch has. */
  at: number;
}

/** Return the branch that a domain is, and the branches that were made from it. */
export function branchesOf(domain: string, domains: DomainSummary[]): Branch[] {
  const branches = domains.flatMap(({ name, forked_from: base, forked_at: at }) =>
    base !== undefined && domains.some((other) => other.name === base) ? [{ name, base, at: at ?? 0 }] : [],
  );
  return branches
    .filter(({ name, base }) => name === domain || base === domain)
    .toSorted((a, b) => Number(b.name === domain) - Number(a.name === domain));
}
