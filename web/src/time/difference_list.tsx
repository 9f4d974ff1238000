/** A list of differences, newest first. */

import { useState } from "preact/hooks";

import { call } from "../api";
import { ChangeSource, RevertAction } from "../change";
import { readEntries, type Points } from "../graph/difference_graph";
import { asPoint } from "../graph/graph_model";
import { useMemory, useRead, type Answer } from "../memory";
import { Pages } from "../node/node_list";
import type { Diff, DiffEntry, LogEntry, LogPage } from "../results";
import { addressOf } from "../route";
import { Empty, NodeLink, Result } from "../ui";
import { TextDiff, ValueChanges } from "../value_changes";
import { asText, count } from "../words";

const PAGE = 50;
const MAX_CHANGES = 1_000;
const NOT_SHOWN = ["given title", "asks", "supersedes", "merges"];
const SIGNS = { added: "+", removed: "−", changed: "~" };

interface Compared extends Points {
  domain: string;
}

interface Differences extends Diff {
  /** The last change of each subject. */
  latest: Map<string, LogEntry>;
}

/** Return the differences, those with the latest changes first. */
function useDifferences(compared: Compared): Answer<Differences> {
  return useRead(`differences ${JSON.stringify(compared)}`, async () => {
    const { domain, since, until, against } = compared;
    const changes = {
      domain: against || domain,
      limit: MAX_CHANGES,
      ...(until && { until: asPoint(until) }),
      ...(since && !against && { since: asPoint(since) }),
    };
    const [diff, log] = await Promise.all([
      readEntries(domain, compared),
      call<LogPage>("memory_log", { ...changes, full: true }),
    ]);
    const latest = new Map(log.entries.toReversed().map((entry) => [entry.subject, entry]));
    const seqOf = ({ subject }: DiffEntry) => latest.get(subject)?.seq ?? 0;
    return { ...diff, latest, entries: diff.entries.toSorted((a, b) => seqOf(b) - seqOf(a)) };
  });
}

export function DifferenceList({ empty, ...compared }: Compared & { empty: string }) {
  const diff = useDifferences(compared);
  const [page, setPage] = useState(0);
  return (
    <Result of={diff}>
      {(value) => {
        const shown = value.entries.slice(page * PAGE, (page + 1) * PAGE);
        const isLast = (page + 1) * PAGE >= value.entries.length;
        if (!value.entries.length) return <Empty>{empty}</Empty>;
        return (
          <>
            <Summary diff={value} address={addressOf("graph", { ...compared })} />
            <ul class="rows differences">
              {shown.map((entry) => (
                <Entry
                  key={entry.subject}
                  entry={entry}
                  change={value.latest.get(entry.subject)}
                  domain={domainOf(entry, compared)}
                  changedDomain={compared.against || compared.domain}
                />
              ))}
            </ul>
            {value.next_cursor && isLast && (
              <p class="hint">Only the first {count(value.entries.length)} differences are read. Choose a later start.</p>
            )}
            <Pages
              page={page + 1}
              onBack={page ? () => setPage(page - 1) : undefined}
              onNext={isLast ? undefined : () => setPage(page + 1)}
            />
          </>
        );
      }}
    </Result>
  );
}

function Summary({ diff, address }: { diff: Diff; address: string }) {
  return (
    <p class="summary" role="status">
      <span class="added">{count(diff.added)} added</span>
      <span class="removed">{count(diff.removed)} removed</span>
      <span class="changed">{count(diff.changed)} changed</span>
      <a href={address}>Show as a graph</a>
    </p>
  );
}

/** The domain that has the subject of the difference. */
function domainOf({ operation }: DiffEntry, { domain, against }: Compared): string {
  return operation === "removed" ? domain : against || domain;
}

interface EntryProps {
  entry: DiffEntry;
  /** The subject's last change. Undefined if it was not read. */
  change: LogEntry | undefined;
  domain: string;
  /** The domain whose log contains the change. */
  changedDomain: string;
}

function Entry({ entry, change, domain, changedDomain }: EntryProps) {
  const { domain: current } = useMemory();
  const hasEnded = isEnded(entry, change);
  const sign = hasEnded ? "removed" : entry.operation;
  const attributes = (entry.attributes ?? []).filter(
    ({ name }) => !NOT_SHOWN.includes(name) && !(hasEnded && name === "valid to"),
  );
  const values = [...(entry.properties ?? []), ...attributes.map((value) => ({ ...value, isSystem: true }))];
  const text = entry.operation === "changed" ? entry.content?.diff : undefined;
  const node = entry.kind === "node" ? entry.subject : entry.kind === "observation" ? change?.from_id : undefined;
  const title = hasEnded ? `No longer true: ${factOf(entry, change)}` : (entry.title ?? entry.summary);
  return (
    <li class={sign}>
      <span class="sign" aria-label={hasEnded ? "no longer true" : sign}>
        {SIGNS[sign]}
      </span>
      <div>
        {!node ? (
          <span>{title}</span>
        ) : domain === current ? (
          <NodeLink id={node} title={title} />
        ) : (
          <a href={addressOf("nodes", { domain, node })}>{title || node}</a>
        )}
        {entry.kind === "node" && <p class="reason">{entry.type}</p>}
        <ValueChanges values={values} />
        {text && <TextDiff text={text} />}
        {change && <ChangeSource entry={change} />}
      </div>
      {change && changedDomain === current && <RevertAction entries={[change]} text={change.summary} label="Revert the last change" />}
    </li>
  );
}

/** Whether the subject is still stored, but a change in the period ended it. */
function isEnded({ operation, attributes = [] }: DiffEntry, change: LogEntry | undefined): boolean {
  const isStoredAsPast = operation === "added" && change?.operation === "create";
  if (isStoredAsPast) return false;
  const end =
    operation === "added" ? change?.after?.["_valid_to"] : attributes.find(({ name }) => name === "valid to")?.after;
  return !!end && Date.parse(asText(end)) <= Date.now();
}

/** Return what is no longer true: the title of a node, or the words of a fact with the name of its entity. */
function factOf({ title, summary }: DiffEntry, change: LogEntry | undefined): string {
  const text = asText(change?.after?.["_text"]);
  const entity = /" on "(.*?)"(?:: | created$| restored$)/.exec(summary)?.[1];
  if (text) return entity ? `${text} · ${entity}` : text;
  return title ?? summary.replace(/: ended .*| created$| restored$/, "");
}
