/** The dialog that erases a node with its history, after it has said what goes. */

import { useMemory, useResult } from "../memory";
import type { Forgotten, NodeInfo } from "../results";
import { Action, closeNode, Dialog, Failure } from "../ui";
import { plural } from "../words";
import { tryWrite } from "../writes";

export function ForgetDialog({ node, onClose }: { node: NodeInfo; onClose: () => void }) {
  const { domain } = useMemory();
  const args = { ids: [node.id], erase: true };
  const preview = useResult<Forgotten>("forget", { ...args, dry_run: true });
  const forget = async () => {
    if (!(await tryWrite(`Forgotten for good: ${node.title}`, "forget", { ...args, domain }))) return;
    onClose();
    closeNode();
  };
  return (
    <Dialog title={`Forget “${node.title}” for good?`} onClose={onClose}>
      {preview.error && <Failure error={preview.error} />}
      {preview.loading && <p class="loading">Loading…</p>}
      {preview.value && <Consequences result={preview.value} title={node.title} />}
      <div class="actions">
        <Action kind="danger" disabled={!preview.value} onClick={forget}>
          Forget for good
        </Action>
        <Action onClick={onClose}>Cancel</Action>
      </div>
    </Dialog>
  );
}

function Consequences({ result, title }: { result: Forgotten; title: string }) {
  const { observations, relations, domains = [], stays = [], more_stays = 0 } = result;
  return (
    <>
      <p>
        “{title}” is erased with {plural(observations, "observation")} and {plural(relations, "connection")}, and from the
        history too. <strong>This cannot be undone.</strong>
      </p>
      {domains.length > 1 && <p>It is erased from these domains, including branches: {domains.join(", ")}.</p>}
      {stays.length > 0 && (
        <>
          <p>Other texts that name it stay:</p>
          <ul class="hint">
            {stays.map((text) => (
              <li key={text}>{text}</li>
            ))}
            {more_stays > 0 && <li>and {plural(more_stays, "more text")}</li>}
          </ul>
        </>
      )}
    </>
  );
}
