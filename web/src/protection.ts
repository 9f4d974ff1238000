/** The protections of the domain and of a node: who may still write, in words. */

import type { DomainInfo, NodeInfo } from "./results";
import { useMemory } from "./memory";
import { asList, moment } from "./words";

/** A protection that has not expired. */
export interface Protection {
  of: "domain" | "node";
  by: string;
  /** Who may still write, and may lift the protection. If empty, only the command line may lift it. */
  names: string[];
  reason?: string | undefined;
  until?: string | undefined;
}

/** Return the protections that apply to a node, or to the domain if there is no node. */
export function protectionsOf(domain: DomainInfo | undefined, node?: NodeInfo): Protection[] {
  const protections: Protection[] = [];
  if (domain?.protection?.is_read_only) {
    const { last_modified_by: by, protection_reason: reason, expires_at: until, can_be_unprotected_by: names = [] } = domain.protection;
    protections.push({ of: "domain", by, names, reason, until });
  }
  if (node?.protection?.is_read_only) {
    const { locked_by: by, reason, expires_at: until, can_be_unprotected_by: names = [] } = node.protection;
    protections.push({ of: "node", by, names, reason, until });
  }
  return protections;
}

/** Describe a protection for the person who reads it. */
export function describeProtection({ of, by, names, reason, until }: Protection, actor: string): string {
  const personOf = (name: string) => (name === actor ? "you" : name);
  const who = names.includes(actor) ? ` for everyone but ${asList(names.map(personOf))}` : `: protected by ${personOf(by)}`;
  const end = until ? ` until ${moment(until)}` : "";
  const lift = names.length ? "" : "Only the command line can lift this.";
  const why = reason && `${reason.replace(/\.$/, "")}.`;
  return [`This ${of} is read-only${who}${end}.`, why, lift].filter(Boolean).join(" ");
}

/** Return why the person may not write here. Empty if they may. */
export function useReadOnly(): string {
  const { actor, protections } = useMemory();
  return reasonAgainstWrites(protections, actor);
}

/** Return why protections forbid an actor to write. Empty if they do not. */
export function reasonAgainstWrites(protections: Protection[], actor: string): string {
  const blocking = protections.find(({ names }) => !names.includes(actor));
  return blocking ? describeProtection(blocking, actor) : "";
}
