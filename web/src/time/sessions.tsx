/** The review of a session: what it changed, each change with what a person can do about it. */

import { useEffect, useMemo, useState } from "preact/hooks";

import { titleOfSession, useFixed } from "../change";
import { useMemory, useResult } from "../memory";
import { Values } from "../node/node_history";
import type { LogEntry, LogPage, Reverted, Reviews, Verdict } from "../results";
import { addressOf, setParameters, useRoute } from "../route";
import { Action, Ago, Empty, NodeLink, openNode, Result, Section } from "../ui";
import { changeText, count, hasGivenName, isErased, plural } from "../words";
import { call } from "../api";
import { notifyFailure, tryWrite } from "../writes";
import { areReverted, isUndone, latestChanges, type LatestChanges } from "./undone";
import { acceptChanges, restoreVerdicts, storeVerdict } from "./verdicts";
import { groupBySession, READ, useSessionsOfLog, type SessionOfLog } from "./sessions_of_log";

/** The most changes of a session that are shown at first, and how many more each time. */
const SHOWN = 200;
const ACCEPTS = "Notes that you have checked it and that it is right. The memory does not change";
const REVERTS = "Undoes it, and notes that you have rejected it";

export function Sessions() {
  const { parameters } = useRoute();
  const { log, sessions } = useSessionsOfLog();
  const named = parameters["session"];
  const latest = useMemo(() => latestChanges(log.value?.entries ?? []), [log.value]);
  const chosen = named ? sessions.find((session) => session.name === named) : sessions[0];
  if (!named && !chosen) {
    return <Result of={log}>{() => <Empty>No session has changed this domain lately.</Empty>}</Result>;
  }
  return (
    <Result of={log}>
      {() => (
        <div class="columns narrow-first">
          <SessionList sessions={sessions} latest={latest} chosen={chosen} />
          {chosen ? (
            <Review session={chosen} latest={latest} key={chosen.name} />
          ) : (
            <OlderSession name={named!} latest={latest} key={named} />
          )}
        </div>
      )}
    </Result>
  );
}

/** The review of a session that is not in the newest part of the log. */
function OlderSession({ name, latest }: { name: string; latest: LatestChanges }) {
  const log = useResult<LogPage>("memory_log", { full: true, limit: READ, session: name });
  return (
    <Result of={log}>
      {({ entries }) => {
        const [session] = groupBySession(entries);
        return session ? <Review session={session} latest={latest} /> : <Empty>Session {name} has not changed this domain.</Empty>;
      }}
    </Result>
  );
}

interface SessionListProps {
  sessions: SessionOfLog[];
  latest: LatestChanges;
  chosen: SessionOfLog | undefined;
}

function SessionList({ sessions, latest, chosen }: SessionListProps) {
  const { actor } = useMemory();
  const isFixed = useFixed();
  const reverted = useMemo(() => {
    const isReverted = (session: SessionOfLog) =>
      areReverted(session.entries, isFixed, (entry) => isUndone(entry, session, latest));
    return new Set(sessions.filter(isReverted));
  }, [sessions, latest, isFixed]);
  return (
    <ul class="rows choices" aria-label="Sessions">
      {sessions.map((session) => (
        <li key={session.name}>
          <button
            type="button"
            class="quiet"
            aria-pressed={session === chosen}
            onClick={() => setParameters({ session: session.name })}
          >
            <strong>{titleOfSession(session.name, session.by, actor)}</strong>
            <small>
              {hasGivenName(session.name) && `${session.by === actor ? "you" : session.by} · `}
              {plural(session.entries.length, "change")} · <Ago time={session.ended} />
              {reverted.has(session) && " · Reverted"}
            </small>
          </button>
        </li>
      ))}
    </ul>
  );
}

function Review({ session, latest }: { session: SessionOfLog; latest: LatestChanges }) {
  const { domain, offers, actor } = useMemory();
  const isFixed = useFixed();
  const title = titleOfSession(session.name, session.by, actor);
  const changes = useMemo(() => session.entries.map(({ seq }) => seq), [session]);
  const reviews = useResult<Reviews>("get_reviews", { changes });
  const [preview, setPreview] = useState<Reverted>();
  const [isChecking, setChecking] = useState(false);
  const [most, setMost] = useState(SHOWN);
  const newest = Math.max(session.last, ...[...latest.values()].map(({ seq }) => seq));
  useEffect(() => setPreview(undefined), [newest]);
  const args = { session_id: session.name, on_conflict: "skip", domain };
  const verdictOf = (entry: LogEntry) => reviews.value?.verdicts[entry.seq];
  const isOwn = (entry: LogEntry) => !!reviews.value && (entry.seq > reviews.value.settled || !!verdictOf(entry));
  const reject = async (done: Reverted | undefined, entries: LogEntry[]) => {
    if (done && offers("mark_reviewed")) await storeVerdict(domain, entries.filter(isOwn), "reject");
  };
  const restore = (entries: LogEntry[]) => () => restoreVerdicts(domain, entries.filter(isOwn), verdictOf);
  const revert = async () => {
    const text = `Reverted the session ${title}`;
    const done = await tryWrite<Reverted>(text, "memory_revert_session", args, restore(session.entries));
    const kept = new Set(done?.skipped.map(({ subject }) => subject));
    if (!done?.more_skipped) await reject(done, session.entries.filter(({ subject }) => !kept.has(subject)));
  };
  const tryRevert = () => {
    setChecking(true);
    return call<Reverted>("memory_revert_session", { ...args, dry_run: true })
      .then(setPreview, notifyFailure)
      .finally(() => setChecking(false));
  };
  const revertOne = async (entry: LogEntry) => {
    const text = `Reverted: ${entry.summary}`;
    const one = { event_ids: [entry.seq], domain };
    await reject(await tryWrite<Reverted>(text, "memory_revert", one, restore([entry])), [entry]);
  };
  const accept = (entries: LogEntry[]) => acceptChanges(domain, entries, verdictOf);
  const isReverted = (entry: LogEntry) =>
    isUndone(entry, session, latest) ||
    (verdictOf(entry) === "reject" && (latest.get(entry.subject)?.seq ?? 0) > session.last);
  const isAllReverted = areReverted(session.entries, isFixed, isReverted);
  const reviewerOf = (entry: LogEntry) => {
    const by = reviews.value?.reviewers?.[entry.seq];
    return by === actor ? "you" : by;
  };
  const shown = session.entries.slice(0, most);
  const waiting = shown.filter((entry) => isOwn(entry) && !verdictOf(entry) && !isReverted(entry));
  const own = shown.filter(isOwn);
  const nothing = !own.length
    ? "Not in the log of this domain"
    : own.every(verdictOf)
      ? "All reviewed"
      : "Nothing to review";
  return (
    <Section title={title} aside={<a href={addressOf("nodes", { session: session.name })}>Its nodes</a>}>
      <div class="actions review">
        <Action needs="mark_reviewed" title={ACCEPTS} disabled={!waiting.length} onClick={() => accept(waiting)}>
          {waiting.length ? `Accept ${count(waiting.length)}` : nothing}
        </Action>
        {!session.entries.every(isFixed) && (
          <Action
            needs="memory_revert_session"
            kind="danger"
            title={isAllReverted ? "All its changes are undone" : preview ? REVERTS : "Checks first what it would undo"}
            disabled={isAllReverted}
            onClick={preview ? revert : tryRevert}
          >
            {isAllReverted
              ? "Reverted"
              : isChecking
                ? "Checking…"
                : preview
                  ? `Revert ${plural(preview.changes.length + (preview.more_changes ?? 0), "change")}`
                  : "Revert the session"}
          </Action>
        )}
        {preview && <Action onClick={() => setPreview(undefined)}>Cancel</Action>}
      </div>
      {preview?.skipped.length ? (
        <ul class="hint">
          {preview.skipped.map((skipped) => (
            <li key={skipped.subject}>
              Stays: {skipped.title ?? skipped.subject} ({skipped.reason})
            </li>
          ))}
        </ul>
      ) : null}
      <ol class="timeline">
        {shown.map((entry) => (
          <ChangeReview
            key={entry.id}
            entry={entry}
            verdict={verdictOf(entry)}
            reviewer={reviewerOf(entry)}
            isReverted={isReverted(entry)}
            onAccept={isOwn(entry) && verdictOf(entry) !== "accept" ? () => accept([entry]) : undefined}
            onRevert={isFixed(entry) || reviews.loading ? undefined : () => revertOne(entry)}
          />
        ))}
      </ol>
      {session.entries.length > most && (
        <button type="button" onClick={() => setMost(most + SHOWN)}>
          Show {count(Math.min(SHOWN, session.entries.length - most))} more
        </button>
      )}
    </Section>
  );
}

interface ChangeReviewProps {
  entry: LogEntry;
  verdict: Verdict | undefined;
  /** Who gave the verdict. Undefined if that is not known. */
  reviewer: string | undefined;
  isReverted: boolean;
  /** Undefined if the change is accepted, or is not in the log of this domain. */
  onAccept: (() => Promise<unknown>) | undefined;
  /** Undefined if this domain cannot undo the change, or its verdicts are not read yet. */
  onRevert: (() => Promise<unknown>) | undefined;
}

const VERDICTS = { accept: "Accepted", reject: "Rejected", edit: "Edited" };

function ChangeReview({ entry, verdict, reviewer, isReverted, onAccept, onRevert }: ChangeReviewProps) {
  const isNode = entry.kind === "node";
  const by = reviewer ? ` by ${reviewer}` : "";
  if (isReverted) {
    return (
      <li class="reviewed">
        <p>
          <del>{entry.summary}</del>
        </p>
        <p class="quiet-text">Reverted{by}</p>
      </li>
    );
  }
  return (
    <li class={`${entry.operation}${verdict ? " reviewed" : ""}`}>
      {isNode && !isErased(entry) ? (
        <NodeLink id={entry.subject} title={entry.summary} />
      ) : (
        <p>{changeText(entry)}</p>
      )}
      {entry.operation === "update" && <Values entry={entry} />}
      <div class="actions">
        {verdict && <span class="quiet-text">{VERDICTS[verdict] + by}</span>}
        {onAccept && (
          <Action needs="mark_reviewed" kind="quiet" title={ACCEPTS} onClick={onAccept}>
            Accept
          </Action>
        )}
        {isNode && entry.operation !== "delete" && !isErased(entry) && (
          <button type="button" class="quiet" onClick={() => openNode(entry.subject)}>
            Edit
          </button>
        )}
        {onRevert && !isErased(entry) && (
          <Action needs="memory_revert" kind="quiet" title={REVERTS} onClick={onRevert}>
            Revert
          </Action>
        )}
      </div>
    </li>
  );
}
