/** The card of a deleted node, which can be brought back. */

import { useFixed } from "../change";
import { useMemory } from "../memory";
import { ProtectionBanners } from "../protect";
import type { LogEntry } from "../results";
import { Action, Ago } from "../ui";
import { asText } from "../words";
import { tryWrite } from "../writes";

export function DeletedNode({ change }: { change: LogEntry }) {
  const { domain } = useMemory();
  const isInherited = useFixed()(change);
  const isErased = !change.before;
  const title = asText(change.before?.["_title"]) || "This node";
  const restore = () => tryWrite(`Brought back: ${title}`, "memory_revert", { event_ids: [change.seq], domain });
  if (isErased) return <p class="banner">It was forgotten for good, and cannot be brought back.</p>;
  return (
    <header class="card-head">
      <h2>{title}</h2>
      <ProtectionBanners />
      <p class="banner">
        <span>
          Deleted <Ago time={change.at} />{isInherited && " in the domain that this branch was made from"}.
        </span>
        {!isInherited && (
          <Action needs="memory_revert" kind="primary" onClick={restore}>
            Bring back
          </Action>
        )}
      </p>
    </header>
  );
}
