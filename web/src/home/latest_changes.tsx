/** The latest changes, each with the action that reverts it. */

import { ChangeSource, RevertAction } from "../change";
import type { Answer } from "../memory";
import type { LogEntry, LogPage } from "../results";
import { addressOf } from "../route";
import { NodeLink, Result, Section } from "../ui";
import { changeText, count, isErased } from "../words";

export function LatestChanges({ log }: { log: Answer<LogPage> }) {
  return (
    <Section title="Latest changes" aside={<a href={addressOf("time")}>All changes</a>}>
      <Result of={log}>
        {({ entries }) => (
          <ul class="rows">
            {groupErased(entries).map((group) => (
              <ChangeRow key={group[0].id} group={group} />
            ))}
          </ul>
        )}
      </Result>
    </Section>
  );
}

/** A change, or consecutive changes that were forgotten for good, newest first. */
type Group = [LogEntry, ...LogEntry[]];

function groupErased(entries: LogEntry[]): Group[] {
  const groups: Group[] = [];
  for (const entry of entries) {
    const last = groups.at(-1);
    if (last && isErased(entry) && isErased(last[0])) last.push(entry);
    else groups.push([entry]);
  }
  return groups;
}

/** A change of the log, with the action that reverts it. */
function ChangeRow({ group }: { group: Group }) {
  const [entry] = group;
  const node = isErased(entry) ? undefined : entry.kind === "node" ? entry.subject : entry.from_id;
  const text = group.length > 1 ? `${count(group.length)} changes that were forgotten for good` : changeText(entry);
  return (
    <li>
      <div>
        {node ? <NodeLink id={node} title={text} /> : <span>{text}</span>}
        <ChangeSource entry={entry} />
      </div>
      <div class="actions">
        <RevertAction entry={entry} />
      </div>
    </li>
  );
}
