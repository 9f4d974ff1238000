/** The latest changes, each with the action that reverts it. */

import { ChangeSource, RevertAction } from "../change";
import type { Answer } from "../memory";
import type { LogEntry, LogPage } from "../results";
import { addressOf } from "../route";
import { NodeLink, Result, Section } from "../ui";
import { changeText, count, isErased, plural } from "../words";

/** The most changes that are read, and the most rows that are shown. One call can make many changes. */
export const READ = 50;
const SHOWN = 12;

export function LatestChanges({ log }: { log: Answer<LogPage> }) {
  return (
    <Section title="Latest changes" aside={<a href={addressOf("time")}>All changes</a>}>
      <Result of={log}>
        {({ entries, next_cursor }) => {
          const groups = groupByCall(entries);
          const cut = next_cursor ? groups.at(-1) : undefined;
          return (
            <ul class="rows">
              {groups.slice(0, SHOWN).map((group) => (
                <ChangeRow key={group[0].id} group={group} isWhole={group !== cut} />
              ))}
            </ul>
          );
        }}
      </Result>
    </Section>
  );
}

/** The changes that one call made, or consecutive changes that were forgotten for good, newest first. */
type Group = [LogEntry, ...LogEntry[]];

function groupByCall(entries: LogEntry[]): Group[] {
  const groups: Group[] = [];
  for (const entry of entries) {
    const last = groups.at(-1);
    const isSame = last && (isErased(entry) ? isErased(last[0]) : !isErased(last[0]) && entry.batch === last[0].batch);
    if (isSame) last.push(entry);
    else groups.push([entry]);
  }
  return groups;
}

function textOf(group: Group): string {
  if (group.length === 1) return changeText(group[0]);
  if (isErased(group[0])) return `${count(group.length)} changes that were forgotten for good`;
  return `${changeText(mainChange(group))} and ${plural(group.length - 1, "more change")}`;
}

/** Return the change that describes a group best: the last one of a node. */
const mainChange = (group: Group): LogEntry => group.find(({ kind }) => kind === "node") ?? group[0];

/** The changes of one call, with the action that reverts them. It is left out if some of them were not read. */
function ChangeRow({ group, isWhole }: { group: Group; isWhole: boolean }) {
  const entry = mainChange(group);
  const node = isErased(entry) ? undefined : entry.kind === "node" ? entry.subject : entry.from_id;
  const text = textOf(group);
  return (
    <li>
      <div>
        {node ? <NodeLink id={node} title={text} /> : <span>{text}</span>}
        <ChangeSource entry={entry} />
      </div>
      <div class="actions">{isWhole && <RevertAction entries={group} text={text} />}</div>
    </li>
  );
}
