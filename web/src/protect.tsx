/** Protects a node or a domain against changes, and lifts the protection. */

import type { Arguments } from "./api";
import { useMemory } from "./memory";
import { Action } from "./ui";
import { tryWrite } from "./writes";

interface Props {
  of: string;
  isProtected: boolean;
  scope: Arguments;
}

/** A button that protects. The person who protects a node can also unprotect it. */
export function ProtectAction({ of, isProtected, scope }: Props) {
  const { actor } = useMemory();
  if (isProtected) {
    return (
      <Action needs="unprotect" onClick={() => tryWrite(`Protection lifted: ${of}`, "unprotect", scope)}>
        Lift protection
      </Action>
    );
  }
  const protect = () => tryWrite(`Protected: ${of}`, "protect", { ...scope, can_be_unprotected_by: [actor] });
  return (
    <Action needs="protect" title="Make it read-only" onClick={protect}>
      Protect
    </Action>
  );
}
