/** The form that changes a node. It sends only what has changed, and the version on which the changes are based. */

import { useEffect, useState } from "preact/hooks";

import type { ApiError, Arguments } from "../api";
import { asApiError, useMemory, useResult } from "../memory";
import { ProtectionBanners } from "../protect";
import { useReadOnly } from "../protection";
import type { NodeContent, NodeInfo, Value } from "../results";
import { Failure, Field } from "../ui";
import { asText } from "../words";
import { write } from "../writes";

const MAX_EDITED = 200_000;

interface Draft {
  title: string;
  tags: string;
  path: string;
  content: string | undefined;
  properties: Record<string, string>;
}

export function NodeEditor({ node, onDone }: { node: NodeInfo; onDone: () => void }) {
  const { domain } = useMemory();
  const readOnly = useReadOnly();
  const isNamed = hasNameAsTitle(node);
  const isText = node.content_encoding === "utf-8" && node.content_size <= MAX_EDITED;
  const stored = useResult<NodeContent>("get_node_content", isText ? { node_id: node.id } : null);
  const [original, setOriginal] = useState(() => ({ version: node.version, draft: draftOf(node) }));
  const [draft, setDraft] = useState(original.draft);
  const [error, setError] = useState<ApiError>();
  const text = stored.value?.content;
  useEffect(() => {
    if (text === undefined || original.draft.content !== undefined) return;
    setOriginal({ ...original, draft: { ...original.draft, content: text } });
    setDraft((known) => ({ ...known, content: text }));
  }, [text]);
  const set = (changes: Partial<Draft>) => setDraft({ ...draft, ...changes });
  const errorAt = (argument: string) =>
    error?.argument?.startsWith(argument) ? `${error.message} ${error.hint}` : undefined;
  const isAtField = ["title", "tags", "path", "content", "properties"].some((name) => errorAt(name));
  const submit = async (event: Event) => {
    event.preventDefault();
    const changes = changesOf(original.draft, draft, node);
    if (!Object.keys(changes).length) return onDone();
    try {
      await write(`Changed: ${draft.title}`, "update_node", {
        node_id: node.id,
        domain,
        expected_version: original.version,
        ...changes,
      });
      onDone();
    } catch (failure) {
      setError(asApiError(failure));
    }
  };
  return (
    <form
      class="editor"
      onSubmit={submit}
      onKeyDown={(event) => event.key === "Escape" && (event.stopPropagation(), onDone())}
    >
      <h2>Edit</h2>
      <ProtectionBanners />
      <Field
        label={isNamed ? "Name" : "Title"}
        value={draft.title}
        onInput={(title) => set({ title })}
        error={errorAt("title") ?? (isNamed ? errorAt("properties.name") : "") ?? ""}
      />
      <Field
        label="Tags"
        value={draft.tags}
        hint="Separated by commas"
        onInput={(tags) => set({ tags })}
        error={errorAt("tags") ?? ""}
      />
      <Field label="Path" value={draft.path} onInput={(path) => set({ path })} error={errorAt("path") ?? ""} />
      {Object.entries(draft.properties).map(([name, value]) => (
        <Field
          key={name}
          label={name}
          value={value}
          onInput={(changed) => set({ properties: { ...draft.properties, [name]: changed } })}
          error={errorAt(`properties.${name}`) ?? ""}
        />
      ))}
      {draft.content !== undefined && (
        <Field
          label="Content"
          rows={12}
          value={draft.content}
          onInput={(content) => set({ content })}
          error={errorAt("content") ?? ""}
        />
      )}
      {error && !isAtField && <Failure error={error} />}
      <div class="actions">
        <button type="submit" class="primary" disabled={!!readOnly} title={readOnly}>
          Save
        </button>
        <button type="button" onClick={onDone}>
          Cancel
        </button>
      </div>
    </form>
  );
}

/** Whether the title of a node is its name, as an entity's is. Then both are changed together. */
const hasNameAsTitle = (node: NodeInfo): boolean => node.properties["name"] === node.title;

function draftOf(node: NodeInfo): Draft {
  const shown = Object.entries(node.properties).filter(([name]) => name !== "name" || !hasNameAsTitle(node));
  const properties = Object.fromEntries(shown.map(([name, value]) => [name, asText(value)]));
  return {
    title: node.title,
    tags: node.tags?.join(", ") ?? "",
    path: node.path ?? "",
    content: undefined,
    properties,
  };
}

/** Return the arguments of update_node for the fields that differ. Properties that are text stay text. */
function changesOf(before: Draft, after: Draft, node: NodeInfo): Arguments {
  const changes: Arguments = {};
  const isNamed = hasNameAsTitle(node);
  if (after.title !== before.title && !isNamed) changes["title"] = after.title;
  if (after.tags !== before.tags)
    changes["tags"] = after.tags
      .split(",")
      .map((tag) => tag.trim())
      .filter(Boolean);
  if (after.path !== before.path) changes["path"] = after.path;
  if (after.content !== before.content) changes["content"] = after.content;
  const properties = Object.entries(after.properties).filter(([name, value]) => value !== before.properties[name]);
  const values = Object.fromEntries(
    properties.map(([name, value]) => [name, typeof node.properties[name] === "string" ? value : asValue(value)]),
  );
  if (after.title !== before.title && isNamed) values["name"] = after.title;
  if (Object.keys(values).length) changes["properties"] = values;
  return changes;
}

/** Read numbers, booleans and lists as JSON, and anything else as text. */
function asValue(text: string): Value {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "string" || value === null ? text : (value as Value);
  } catch {
    return text;
  }
}
