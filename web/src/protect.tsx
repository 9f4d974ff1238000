/** Protects a node or a domain against changes, lifts the protection, and shows it. */

import type { ComponentChildren } from "preact";
import { useMemo } from "preact/hooks";

import type { Arguments } from "./api";
import { MemoryContext, useMemory } from "./memory";
import { describeProtection, type Protection } from "./protection";
import { Action } from "./ui";
import { tryWrite } from "./writes";

const MEANING = "Read-only for everyone but you";

interface ActionProps {
  title: string;
  of: Protection["of"];
  scope: Arguments;
}

/** A button that protects. It names the person, who can then still write, and lift the protection. */
export function ProtectAction({ title, of, scope }: ActionProps) {
  const { actor, protections } = useMemory();
  if (protections.some((protection) => protection.of === of)) {
    return (
      <Action needs="unprotect" onClick={() => tryWrite(`Protection lifted: ${title}`, "unprotect", scope)}>
        Lift protection
      </Action>
    );
  }
  const protect = () => tryWrite(`${MEANING}: ${title}`, "protect", { ...scope, can_be_unprotected_by: [actor] });
  return (
    <Action needs="protect" title={MEANING} onClick={protect}>
      Protect
    </Action>
  );
}

/** Parts of the page to which protections apply: their actions are disabled if the person may not write. */
export function ProtectedScope({ protections, children }: { protections: Protection[]; children: ComponentChildren }) {
  const memory = useMemory();
  const scoped = useMemo(() => ({ ...memory, protections }), [memory, JSON.stringify(protections)]);
  return <MemoryContext.Provider value={scoped}>{children}</MemoryContext.Provider>;
}

export function ProtectionBanners() {
  const { actor, protections } = useMemory();
  return (
    <>
      {protections.map((protection) => (
        <p class="banner" key={protection.of}>
          {describeProtection(protection, actor)}
        </p>
      ))}
    </>
  );
}
