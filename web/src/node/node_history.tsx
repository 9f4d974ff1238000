/** The history of a node as a timeline, with the values that each change set. */

import { useRef, useState } from "preact/hooks";

import { ChangeSource, RevertAction } from "../change";
import { useResult, type Answer } from "../memory";
import type { Diff, LogEntry, LogPage } from "../results";
import { Failure, Section } from "../ui";
import { TextDiff, ValueChanges } from "../value_changes";
import { changedValues, changeText } from "../words";

const FIRST = 8;

interface Props {
  /** The changes of the node and of its observations. */
  log: Answer<LogPage>;
  /** Reads older changes. Undefined if there are none. */
  onMore: (() => void) | undefined;
}

export function NodeHistory({ log, onMore }: Props) {
  const [showsAll, setShowsAll] = useState(false);
  const kept = useRef<LogPage>(undefined);
  if (log.value) kept.current = log.value;
  if (log.error) return <Failure error={log.error} />;
  const entries = kept.current?.entries;
  const isFolded = !showsAll && !!entries && entries.length > FIRST;
  const showMore = () => (isFolded ? setShowsAll(true) : onMore?.());
  return (
    <Section title="History">
      {!entries && <p class="loading">Loading…</p>}
      <ol class="timeline">
        {entries?.slice(0, isFolded ? FIRST : entries.length).map((entry) => (
          <Change key={entry.id} entry={entry} />
        ))}
      </ol>
      {(isFolded || onMore) && (
        <button type="button" class="quiet" onClick={showMore}>
          Older changes
        </button>
      )}
    </Section>
  );
}

function Change({ entry }: { entry: LogEntry }) {
  return (
    <li class={entry.operation}>
      <ChangeSource entry={entry} />
      {entry.kind !== "node" ? (
        <p>{changeText(entry)}</p>
      ) : entry.operation === "update" ? (
        <Values entry={entry} />
      ) : (
        <p>{entry.operation === "delete" ? "Deleted" : entry.summary.endsWith("restored") ? "Brought back" : "Created"}</p>
      )}
      <RevertAction entries={[entry]} text={entry.summary} />
    </li>
  );
}

export function Values({ entry }: { entry: LogEntry }) {
  const values = changedValues(entry);
  if (hasOtherContent(entry)) return <ContentChange entry={entry} />;
  return values.length ? <ValueChanges values={values} /> : <p>{entry.summary}</p>;
}

/** A change of the content, whose difference is read when it is opened. */
function ContentChange({ entry }: { entry: LogEntry }) {
  const [isOpen, setOpen] = useState(false);
  const points = { subject: entry.subject, since: entry.seq - 1, until: entry.seq };
  const diff = useResult<Diff>("memory_diff", isOpen ? { ...points, content: true } : null);
  const change = diff.value?.entries[0];
  return (
    <>
      <ValueChanges values={changedValues(entry)} />
      <details onToggle={(event) => setOpen(event.currentTarget.open)}>
        <summary>Content changed</summary>
        {diff.error && <Failure error={diff.error} />}
        {change?.content?.diff && <TextDiff text={change.content.diff} />}
        {change && !change.content?.diff && (
          <p class="hint">{change.content?.note ?? "The difference cannot be shown."}</p>
        )}
      </details>
    </>
  );
}

function hasOtherContent({ before, after }: LogEntry): boolean {
  return before?.["_content_sha256"] !== after?.["_content_sha256"];
}
