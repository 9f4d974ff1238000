/** The dialog that merges two entities: which name stays, and what moves. */

import { useState } from "preact/hooks";

import { useMemory, useResult } from "../memory";
import type { EntitiesMerged, SearchResult, SimilarEntities } from "../results";
import { Action, Dialog, Failure, Field, openNode, useSettled } from "../ui";
import { plural, sentence } from "../words";
import { tryWrite, type Write } from "../writes";

const SUGGESTED = 6;

interface Props {
  /** One name, to which the person chooses the other, or both names. */
  names: string[];
  write?: Write;
  onClose: () => void;
}

export function MergeDialog({ names, write = tryWrite, onClose }: Props) {
  const [chosen, setChosen] = useState(names);
  const [first = "", second] = chosen;
  return (
    <Dialog title={second ? "Merge two entities" : `Merge “${first}” with…`} onClose={onClose}>
      {second ? (
        <Merge first={first} second={second} write={write} onClose={onClose} />
      ) : (
        <OtherEntity name={first} onChoose={(name) => setChosen([first, name])} />
      )}
    </Dialog>
  );
}

function OtherEntity({ name, onChoose }: { name: string; onChoose: (name: string) => void }) {
  const [typed, setTyped] = useState("");
  const query = useSettled(typed.trim());
  const similar = useResult<SimilarEntities>("find_similar", query ? null : { name, limit: SUGGESTED });
  const search = useResult<SearchResult>("search_memories", query ? { query, max_results: SUGGESTED } : null);
  const found = query
    ? search.value?.hits.filter((hit) => hit.kind === "node").map((hit) => hit.title)
    : similar.value?.similar.map((entity) => entity.name);
  return (
    <>
      <Field label="Name of the other entity" value={typed} onInput={setTyped} />
      <ul class="choices">
        {found
          ?.filter((other) => other !== name)
          .map((other) => (
            <li key={other}>
              <button type="button" class="quiet" onClick={() => onChoose(other)}>
                {other}
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
