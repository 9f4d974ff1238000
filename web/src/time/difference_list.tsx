/** A list of differences, newest first. */

import { useState } from "preact/hooks";

import { call } from "../api";
import { readEntries, type Points } from "../graph/difference_graph";
import { asPoint } from "../graph/graph_model";
import { useMemory, useRead, type Answer } from "../memory";
import { Pages } from "../node/node_list";
import type { Diff, DiffEntry, LogPage } from "../results";
import { addressOf } from "../route";
import { Empty, NodeLink, Result } from "../ui";
import { TextDiff, ValueChanges } from "../value_changes";
import { count } from "../words";

const PAGE = 50;
const MAX_CHANGES = 1_000;
const SIGNS = { added: "+", removed: "−", changed: "~" };

interface Compared extends Points {
  domain: string;
}

/** Return the differences, those with the latest changes first. */
function useDifferences(compared: Compared): Answer<Diff> {
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
    const latest = new Map(log.entries.toReversed().map(({ subject, seq }) => [subject, seq]));
    const seqOf = ({ subject }: DiffEntry) => latest.get(subject) ?? 0;
    return { ...diff, entries: diff.entries.toSorted((a, b) => seqOf(b) - seqOf(a)) };
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
                <Entry key={entry.subject} entry={entry} domain={domainOf(entry, compared)} />
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

function Entry({ entry, domain }: { entry: DiffEntry; domain: string }) {
  const { domain: current } = useMemory();
  const title = entry.title ?? entry.summary;
  const values = [...(entry.properties ?? []), ...(entry.attributes ?? [])].filter(
    ({ name }) => name !== "given title",
  );
  const text = entry.operation === "changed" ? entry.content?.diff : undefined;
  return (
    <li class={entry.operation}>
      <span class="sign" aria-label={entry.operation}>
        {SIGNS[entry.operation]}
      </span>
      <div>
        {entry.kind !== "node" ? (
          <span>{entry.summary}</span>
        ) : domain === current ? (
          <NodeLink id={entry.subject} title={title} />
        ) : (
          <a href={addressOf("nodes", { domain, node: entry.subject })}>{title || entry.subject}</a>
        )}
        {entry.kind === "node" && <p class="reason">{entry.type}</p>}
        <ValueChanges values={values} />
        {text && <TextDiff text={text} />}
      </div>
    </li>
  );
}
