/** The latest changes, each with the action that reverts it. */

import { ChangeSource, RevertAction } from "../change";
import type { Answer } from "../memory";
import type { LogEntry, LogPage } from "../results";
import { addressOf } from "../route";
import { NodeLink, Result, Section } from "../ui";
import { changeText, isErased } from "../words";

export function LatestChanges({ log }: { log: Answer<LogPage> }) {
  return (
    <Section title="Latest changes" aside={<a href={addressOf("time")}>All changes</a>}>
      <Result of={log}>
        {({ entries }) => (
          <ul class="rows">
            {entries.map((entry) => (
              <ChangeRow key={entry.id} entry={entry} />
            ))}
          </ul>
        )}
      </Result>
    </Section>
  );
}

/** A change of the log, with the action that reverts it. */
function ChangeRow({ entry }: { entry: LogEntry }) {
  const node = isErased(entry) ? undefined : entry.kind === "node" ? entry.subject : entry.from_id;
  return (
    <li>
      <div>
        {node ? <NodeLink id={node} title={changeText(entry)} /> : <span>{changeText(entry)}</span>}
        <ChangeSource entry={entry} />
      </div>
      <div class="actions">
        <RevertAction entry={entry} />
      </div>
    </li>
  );
}
