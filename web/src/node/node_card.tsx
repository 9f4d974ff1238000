/** A node's fields, content, connections and history. */

import { useEffect, useRef, useState } from "preact/hooks";

import type { ApiError } from "../api";
import { isTyping } from "../keys";
import { useMemory, useResult } from "../memory";
import { ProtectAction, ProtectedScope, ProtectionBanners } from "../protect";
import { protectionsOf, reasonAgainstWrites } from "../protection";
import type { DomainInfo, Entity, LogEntry, LogPage, NodeInfo } from "../results";
import { addressOf, useRoute } from "../route";
import { Action, Ago, closeNode, Failure, Section, TypeChip } from "../ui";
import { asReadable, bytes, moment } from "../words";
import { tryWrite } from "../writes";
import { Connections } from "./connections";
import { ContentPreview } from "./content";
import { DeletedNode } from "./deleted_node";
import { ForgetDialog } from "./forget_dialog";
import { MergeDialog } from "./merge_dialog";
import { NodeEditor } from "./node_editor";
import { NodeHistory } from "./node_history";
import { Observations } from "./observations";

const CHANGES = 50;
const MAX_CHANGES = 1_000;
const ENDS = "It stays in the memory as past, and is no longer recalled as true. Can be undone";
const MERGES = "Two entities become one, which keeps the facts and names of both. Can be undone";
const DELETES = "It leaves the memory, and its history stays. You can bring it back";
const ERASES = "It is erased with its history. This cannot be undone";

export function NodeCard({ id }: { id: string }) {
  const [isEditing, setEditing] = useState(false);
  const answer = useResult<NodeInfo>("get_node", { node_id: id });
  const kept = useRef<NodeInfo>(undefined);
  if (answer.value) kept.current = answer.value;
  const node = answer.error?.status === 404 && !isEditing ? undefined : kept.current; // a failed read must not discard edits
  const { actor, domain, offers } = useMemory();
  const [limit, setLimit] = useState(CHANGES);
  const log = useResult<LogPage>("memory_log", { subject: id, with_observations: true, full: true, limit });
  const changes = log.value?.entries ?? [];
  const isDeleted = answer.error?.status === 404 && changes[0]?.subject === id && changes[0].operation === "delete";
  const more = log.value?.next_cursor && limit < MAX_CHANGES ? () => setLimit(MAX_CHANGES) : undefined;
  const info = useResult<DomainInfo>("get_domain", answer.loading ? null : { name: domain }, { isSlow: true });
  const protections = protectionsOf(info.value, node);
  const mayEdit = offers("update_node") && !reasonAgainstWrites(protections, actor);
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.key !== "e" || isTyping(event) || event.ctrlKey || event.metaKey || !mayEdit) return;
      event.preventDefault();
      setEditing(true);
    };
    window.addEventListener("keydown", onKey);
    return () => window.removeEventListener("keydown", onKey);
  }, [mayEdit]);
  return (
    <aside class="card" aria-label={node ? `Node ${node.title}` : "Node"}>
      <button type="button" class="quiet close" aria-label="Close the card" onClick={closeNode}>
        ✕
      </button>
      <ProtectedScope protections={protections}>
        {isDeleted ? <DeletedNode change={changes[0]!} /> : answer.error && !log.loading && <Unreadable error={answer.error} />}
        {node &&
          (isEditing ? (
            <NodeEditor node={node} onDone={() => setEditing(false)} />
          ) : (
            <Shown node={node} changes={changes} onEdit={() => setEditing(true)} />
          ))}
        {!node && !answer.error && <p class="loading">Loading…</p>}
        {(node || answer.error) && !isEditing && <NodeHistory log={log} onMore={more} />}
      </ProtectedScope>
    </aside>
  );
}

function Unreadable({ error }: { error: ApiError }) {
  return error.status === 404 ? <p class="banner">It is not in this domain.</p> : <Failure error={error} />;
}

interface ShownProps {
  node: NodeInfo;
  changes: LogEntry[];
  onEdit: () => void;
}

function Shown({ node, changes, onEdit }: ShownProps) {
  const answer = useResult<{ entities: Entity[] }>("open_nodes", { names: [node.title], detail: true });
  const kept = useRef<Entity>(undefined);
  const found = answer.value?.entities.find(({ id }) => id === node.id);
  if (found) kept.current = found; // the title may have changed since
  const entity = kept.current?.id === node.id ? kept.current : undefined;
  const ofDomain = useMemory().protections.filter(({ of }) => of === "domain");
  return (
    <>
      <header class="card-head">
        <TypeChip type={node.type} />
        <h2>{node.title}</h2>
        <p class="reason">
          Changed <Ago time={node.modified} />
          {node.valid_to && ` · held until ${moment(node.valid_to)}`}
        </p>
        <ProtectionBanners />
        <CardActions node={node} entity={entity} onEdit={onEdit} />
      </header>
      <Fields node={node} />
      {node.content_size > 0 && (
        <Section
          title="Content"
          aside={
            <span class="quiet-text">
              {node.content_format} · {bytes(node.content_size)}
            </span>
          }
        >
          <ContentPreview node={node} />
        </Section>
      )}
      {entity && <Observations entity={entity} changes={changes} />}
      <ProtectedScope protections={ofDomain}>
        <Connections id={node.id} />
      </ProtectedScope>
    </>
  );
}

interface CardActionsProps {
  node: NodeInfo;
  entity: Entity | undefined;
  onEdit: () => void;
}

function CardActions({ node, entity, onEdit }: CardActionsProps) {
  const { domain } = useMemory();
  const [dialog, setDialog] = useState<"merge" | "forget">();
  const { page } = useRoute();
  const end = () => tryWrite(`No longer true: ${node.title}`, "set_validity", { id: node.id, valid_to: "now", domain });
  const remove = async () => {
    if (await tryWrite(`Deleted: ${node.title}`, "delete_node", { node_id: node.id, domain })) closeNode();
  };
  return (
    <div class="actions">
      <Action needs="update_node" kind="primary" onClick={onEdit}>
        Edit
      </Action>
      {page !== "graph" && (
        <a class="button" href={addressOf("graph", { seed: node.id })}>
          Graph
        </a>
      )}
      <ProtectAction title={node.title} of="node" scope={{ node_id: node.id, domain }} />
      {!node.valid_to && (
        <Action needs="set_validity" title={ENDS} onClick={end}>
          No longer true
        </Action>
      )}
      <Action needs="delete_node" kind="danger" title={DELETES} onClick={remove}>
        Delete
      </Action>
      <Action needs="forget" kind="danger" title={ERASES} onClick={() => setDialog("forget")}>
        Forget for good…
      </Action>
      {entity && (
        <Action needs="merge_entities" title={MERGES} onClick={() => setDialog("merge")}>
          Merge with…
        </Action>
      )}
      {dialog === "merge" && <MergeDialog names={[node.title]} type={entity?.entityType} onClose={() => setDialog(undefined)} />}
      {dialog === "forget" && <ForgetDialog node={node} onClose={() => setDialog(undefined)} />}
    </div>
  );
}

function Fields({ node }: { node: NodeInfo }) {
  const rows: [string, string][] = [
    ...Object.entries(node.properties).map(([name, value]): [string, string] => [name, asReadable(value)]),
    ["path", node.path ?? ""],
    ["namespace", node.namespace ?? ""],
    ["summary", node.content_summary ?? ""],
    ["valid from", node.valid_from ? moment(node.valid_from) : ""],
    ["valid to", node.valid_to ? moment(node.valid_to) : ""],
    ["metadata", node.metadata ? asReadable(node.metadata) : ""],
    ["created", moment(node.created)],
  ];
  return (
    <>
      {node.tags?.length ? (
        <ul class="tags" aria-label="Tags">
          {node.tags.map((tag) => (
            <li key={tag}>{tag}</li>
          ))}
        </ul>
      ) : null}
      <dl class="fields">
        {rows
          .filter(([, value]) => value)
          .map(([name, value]) => (
            <div key={name}>
              <dt>{name}</dt>
              <dd>{value}</dd>
            </div>
          ))}
      </dl>
    </>
  );
}
