/** The dialog that merges two entities: which name stays, and what moves. */

import { useState } from "preact/hooks";

import type { ApiError } from "../api";
import { useMemory, useResult } from "../memory";
import type { EntitiesMerged, Entity, EntityList, SearchResult, SimilarEntities } from "../results";
import { Action, Dialog, Failure, Field, openNode, useSettled } from "../ui";
import { hasWords, plural, sentence } from "../words";
import { tryWrite, type Write } from "../writes";

const SUGGESTED = 6;
/** The most results of a search, among which are the entities. */
const READ = 12;

interface Props {
  /** One name, to which the person chooses the other, or both names. */
  names: string[];
  /** The type of the first, whose other entities are suggested. */
  type?: string | undefined;
  write?: Write;
  onClose: () => void;
}

export function MergeDialog({ names, type, write = tryWrite, onClose }: Props) {
  const [chosen, setChosen] = useState(names);
  const [first = "", second] = chosen;
  return (
    <Dialog title={second ? "Merge two entities" : `Merge “${first}” with…`} onClose={onClose}>
      {second ? (
        <Merge first={first} second={second} write={write} onClose={onClose} />
      ) : (
        <OtherEntity name={first} type={type} onChoose={(name) => setChosen([first, name])} />
      )}
    </Dialog>
  );
}

interface OtherEntityProps {
  name: string;
  type: string | undefined;
  onChoose: (name: string) => void;
}

/** A search for the other entity. Before the person types, it suggests similar entities, or else those of the same type. */
function OtherEntity({ name, type, onChoose }: OtherEntityProps) {
  const [typed, setTyped] = useState("");
  const query = useSettled(typed.trim());
  const similar = useResult<SimilarEntities>("find_similar", query ? null : { name, limit: SUGGESTED });
  const similarNames = similar.value?.similar.map((entity) => entity.name);
  const isAlone = !query && similarNames?.length === 0;
  const ofType = useResult<EntityList>("get_by_type", isAlone && type ? { type, limit: SUGGESTED + 1 } : null);
  const { names: found, error } = useEntityNames(query, name);
  const others = ofType.value?.entities.map((entity) => entity.name).filter((other) => other !== name);
  const failure = error ?? similar.error ?? ofType.error;
  const choices = (names: string[] | undefined, title = "") => (
    <Choices title={title} names={names?.slice(0, SUGGESTED) ?? []} onChoose={onChoose} />
  );
  const byName = found?.filter((other) => hasWords(other, query));
  const submit = (event: Event) => {
    event.preventDefault();
    if (byName?.[0]) onChoose(byName[0]);
  };
  return (
    <form onSubmit={submit}>
      <Field label="Name of the other entity" value={typed} onInput={setTyped} autofocus />
      {failure && <Failure error={failure} />}
      {isAlone && <p class="hint">No similar name. Type a name.</p>}
      {query && found?.length === 0 && <p class="hint">No entity matches.</p>}
      {query ? (
        <>
          {choices(byName)}
          {choices(found?.filter((other) => !hasWords(other, query)), "Close in meaning")}
        </>
      ) : (
        <>
          {choices(similarNames)}
          {choices(others, `Other entities of type ${type}`)}
        </>
      )}
    </form>
  );
}

/** Return the names of the other entities that a search finds, best first. Undefined while they are read. */
function useEntityNames(query: string, name: string): { names: string[] | undefined; error: ApiError | undefined } {
  const search = useResult<SearchResult>("search_memories", query ? { query, max_results: READ } : null);
  const hits = search.value?.hits.filter((hit) => hit.kind === "node");
  const args = hits?.length ? { names: hits.map((hit) => hit.title), detail: true } : null;
  const opened = useResult<{ entities: Entity[] }>("open_nodes", args);
  const ids = new Set(opened.value?.entities.map(({ id }) => id));
  const found = hits?.filter((hit) => ids.has(hit.id) && hit.title !== name).map((hit) => hit.title);
  return { names: hits?.length === 0 || opened.value ? found : undefined, error: search.error ?? opened.error };
}

interface ChoicesProps {
  title: string;
  names: string[];
  onChoose: (name: string) => void;
}

function Choices({ title, names, onChoose }: ChoicesProps) {
  if (!names.length) return null;
  return (
    <>
      {title && <h3>{title}</h3>}
      <ul class="choices">
        {names.map((name) => (
          <li key={name}>
            <button type="button" class="quiet" onClick={() => onChoose(name)}>
              {name}
            </button>
          </li>
        ))}
      </ul>
    </>
  );
}

interface MergeProps {
  first: string;
  second: string;
  write: Write;
  onClose: () => void;
}

function Merge({ first, second, write, onClose }: MergeProps) {
  const { domain } = useMemory();
  const [kept, setKept] = useState(first);
  const merged = kept === first ? second : first;
  const args = { names: [merged], into: kept };
  const preview = useResult<EntitiesMerged>("merge_entities", { ...args, dry_run: true });
  const merge = async () => {
    const done = await write<EntitiesMerged>(`Merged ${merged} into ${kept}`, "merge_entities", { ...args, domain });
    if (!done) return;
    onClose();
    openNode(done.id);
  };
  return (
    <>
      <fieldset class="kept-name">
        <legend>Which name stays?</legend>
        {[first, second].map((name) => (
          <label key={name}>
            <input type="radio" name="kept" checked={name === kept} onChange={() => setKept(name)} /> {name}
          </label>
        ))}
      </fieldset>
      {preview.error && <Failure error={preview.error} />}
      {preview.loading && <p class="loading">Loading…</p>}
      {preview.value && <Moves merge={preview.value} name={merged} />}
      <div class="actions">
        <Action kind="primary" needs="merge_entities" disabled={!preview.value} onClick={merge}>
          Merge
        </Action>
        <Action onClick={onClose}>Cancel</Action>
      </div>
    </>
  );
}

function Moves({ merge, name }: { merge: EntitiesMerged; name: string }) {
  const { into, observations_moved, relations_moved, conflicts } = merge;
  return (
    <>
      <p>
        {plural(observations_moved, "observation")} and {plural(relations_moved, "connection")} of {name} move to {into}.
        “{name}” stays as another name of {into}.
      </p>
      {conflicts.length > 0 && (
        <ul class="hint">
          {conflicts.map(({ what, kept, not_taken }) => (
            <li key={what + not_taken}>
              {sentence(what)}: “{kept}” stays, “{not_taken}” is dropped
            </li>
          ))}
        </ul>
      )}
    </>
  );
}
