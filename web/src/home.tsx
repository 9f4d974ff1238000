/** Home: how large the memory is, what should be settled, goals, and the latest changes. */

import { useState } from "preact/hooks";

import { call } from "./api";
import { ChangeSource, RevertAction } from "./change";
import { useMemory, useResult, type Answer } from "./memory";
import type { Contradictions, DomainInfo, DomainSummary, Entity, Finding, Goal, Health, LogEntry, LogPage } from "./results";
import { MergeDialog } from "./node/merge_dialog";
import { ProtectAction, ProtectedScope, ProtectionBanners } from "./protect";
import { protectionsOf } from "./protection";
import { addressOf } from "./route";
import { Action, Ago, Empty, Failure, NodeLink, openNode, Result, Section } from "./ui";
import { changeText, count, isErased, plural, sentence } from "./words";
import { notifyFailure, tryWrite } from "./writes";

const FINDINGS = 20;
const SHOWN_DOMAINS = 5;
const ORDER = ["open_question", "stale", "duplicate", "lost_premise", "misplaced_fact", "hub", "orphan", "unused_type"];
const CHOICES: Record<string, string> = {
  close: "The new one replaces it",
  keep: "Both hold",
  same: "They say the same",
  new: "Two things",
};
const CALLS: Record<string, [label: string, done: string]> = {
  merge_entities: ["Merge", "Merged"],
  memory_revert: ["Remove", "Removed"],
  forget: ["No longer true", "No longer true"],
  delete_relations: ["Delete", "Deleted"],
  delete_connection: ["Delete", "Deleted"],
  update_observation: ["Correct", "Corrected"],
  set_validity: ["No longer true", "No longer true"],
};

export function Home() {
  const { domain, domains } = useMemory();
  const log = useResult<LogPage>("memory_log", { full: true, limit: 12 });
  // The slow reads begin last and one after the other, so that they delay no others on the server.
  const info = useResult<DomainInfo>("get_domain", log.loading ? null : { name: domain });
  const hasInfo = !log.loading && !info.loading;
  const health = useResult<Health>("graph_health", hasInfo ? { limit: FINDINGS } : null, { isSlow: true });
  const summary = info.value ?? domains.value?.find(({ name }) => name === domain);
  return (
    <ProtectedScope protections={protectionsOf(info.value)}>
      <header class="page-head">
        <div class="title-line">
          <h1>{domain}</h1>
          {info.value && <ProtectAction title={domain} of="domain" scope={{ domain }} />}
        </div>
        {summary?.description && <p class="lead">{summary.description}</p>}
        {summary?.forked_from && (
          <p class="lead">
            A branch of <a href={addressOf("home", { domain: summary.forked_from })}>{summary.forked_from}</a>.{" "}
            <a href={addressOf("time", { show: "merge" })}>Compare and merge</a>
          </p>
        )}
        <ProtectionBanners />
      </header>
      {info.error ? <Failure error={info.error} /> : <Figures info={info.value} changes={summary?.events} />}
      <div class="columns">
        <div>
          <Goals />
          <Contradicting />
          <ToSettle health={{ ...health, loading: health.loading || !hasInfo }} />
        </div>
        <div>
          <Domains />
          <LatestChanges log={log} />
        </div>
      </div>
    </ProtectedScope>
  );
}

/** Counts of the domain. Their places show dots until the counts are read. */
function Figures({ info, changes }: { info: DomainInfo | undefined; changes: number | undefined }) {
  const asFigure = (value: number | undefined) => (value === undefined ? "…" : count(value));
  const figures: [string, string, string][] = [
    [asFigure(info?.nodes), "nodes", addressOf("nodes")],
    [asFigure(info?.connections), "connections", addressOf("graph")],
    [asFigure(changes), "changes", addressOf("time")],
    [...(info ? indexState(info) : (["…", "search index"] as const)), addressOf("nodes")],
  ];
  return (
    <ul class="figures" aria-busy={!info}>
      {figures.map(([figure, label, address]) => (
        <li key={label}>
          <a href={address}>
            <strong>{figure}</strong> <span>{label}</span>
          </a>
        </li>
      ))}
    </ul>
  );
}

function indexState({ not_indexed, without_vectors }: DomainInfo): [figure: string, label: string] {
  if (not_indexed) return [count(not_indexed), "changes wait for the index"];
  return without_vectors ? [count(without_vectors), "texts without vectors"] : ["Up to date", "search index"];
}

function ToSettle({ health }: { health: Answer<Health> }) {
  return (
    <Section title="To settle">
      <Result of={health}>
        {({ findings, counts }) => {
          const kinds = [...new Set(findings.map((finding) => finding.kind))].filter(
            (kind) => kind !== "contradiction",
          );
          kinds.sort((a, b) => ORDER.indexOf(a) - ORDER.indexOf(b));
          if (!kinds.length) return <Empty>Nothing waits for a decision.</Empty>;
          return kinds.map((kind) => (
            <details key={kind} class="findings" open={ORDER.indexOf(kind) < 3}>
              <summary>
                {sentence(kind)} <span class="count">{count(counts[kind] ?? 0)}</span>
              </summary>
              <ul class="rows">
                {findings
                  .filter((finding) => finding.kind === kind)
                  .map((finding) => (
                    <FindingRow key={finding.about.join() + finding.reason} finding={finding} />
                  ))}
              </ul>
            </details>
          ));
        }}
      </Result>
    </Section>
  );
}

function FindingRow({ finding }: { finding: Finding }) {
  return (
    <li>
      <div>
        {finding.kind === "unused_type"
          ? finding.about.join(" · ")
          : finding.about.map((name, index) => (
              <span key={name}>
                {index > 0 && " · "}
                <NameLink name={name} />
              </span>
            ))}
        <p class="reason">{finding.reason.replace(/ \(event \d+\)$/, "")}</p>
      </div>
      <FindingActions finding={finding} />
    </li>
  );
}

function FindingActions({ finding }: { finding: Finding }) {
  const { domain } = useMemory();
  const { tool, arguments: { dry_run: _, ...args } } = finding.call;
  const about = finding.about.join(", ");
  const [isMerging, setMerging] = useState(false);
  if (finding.kind === "duplicate") {
    const keepApart = () =>
      tryWrite(`Not the same: ${about}`, "decide", { id: finding.question, decision: "new", domain });
    return (
      <div class="actions">
        <Action needs="merge_entities" onClick={() => setMerging(true)}>
          Merge…
        </Action>
        <Action needs="decide" title="They are two. This is no longer asked" onClick={keepApart}>
          Not the same
        </Action>
        {isMerging && <MergeDialog names={finding.about} onClose={() => setMerging(false)} />}
      </div>
    );
  }
  if (finding.choices) {
    return (
      <div class="actions">
        {Object.entries(finding.choices).map(([decision, consequence]) => (
          <Action
            key={decision}
            needs={tool}
            title={consequence}
            onClick={() => tryWrite(`Decided about ${about}`, tool, { ...args, decision, domain })}
          >
            {CHOICES[decision] ?? sentence(decision)}
          </Action>
        ))}
      </div>
    );
  }
  const [label, done] = CALLS[tool] ?? [];
  if (!label) return null;
  return (
    <div class="actions">
      <Action needs={tool} onClick={() => tryWrite(`${done}: ${about}`, tool, { domain, ...args })}>
        {label}
      </Action>
    </div>
  );
}

function Contradicting() {
  const { domain } = useMemory();
  const answer = useResult<Contradictions>("find_contradictions", { limit: FINDINGS });
  if (!answer.value?.contradictions.length) return null;
  const settle = (id: string, title: string) =>
    tryWrite(`No longer true: ${title}`, "forget", { ids: [id], domain }); // also ends the connection between them
  return (
    <Section title="Contradictions">
      <ul class="rows">
        {answer.value.contradictions.map(({ connection_id, a, b }) => (
          <li key={connection_id}>
            <div>
              <NodeLink {...a} /> <span class="quiet-text">contradicts</span> <NodeLink {...b} />
              <p class="reason">
                <Ago time={a.modified} /> and <Ago time={b.modified} />
              </p>
            </div>
            <div class="actions">
              {[a, b].map((side) => (
                <Action
                  key={side.id}
                  needs="forget"
                  title={`“${side.title}” is no longer true`}
                  onClick={() => settle(side.id, side.title)}
                >
                  {side === a ? "The first" : "The second"} is wrong
                </Action>
              ))}
              <Action
                needs="delete_connection"
                onClick={() => tryWrite("Both kept", "delete_connection", { connection_id, domain })}
              >
                Keep both
              </Action>
            </div>
          </li>
        ))}
      </ul>
    </Section>
  );
}

function Goals() {
  const answer = useResult<{ goals: Goal[] }>("list_goals", { limit: 10 });
  return (
    <Section title="Goals">
      <Result of={answer}>
        {({ goals }) =>
          goals.length ? (
            <ul class="rows">
              {goals.map((goal) => (
                <GoalRow key={goal.id} goal={goal} />
              ))}
            </ul>
          ) : (
            <Empty>No unfinished goals.</Empty>
          )
        }
      </Result>
    </Section>
  );
}

function GoalRow({ goal }: { goal: Goal }) {
  const { domain } = useMemory();
  const next = goal.steps?.find((step) => !step.done);
  const update = (done: string, changes: object) =>
    tryWrite(done, "update_goal", { goal_id: goal.id, domain, ...changes });
  return (
    <li>
      <div>
        <NodeLink id={goal.id} title={goal.description} />
        <p class="reason">
          {[goal.status, goal.deadline && `due ${goal.deadline}`, next && `next: ${next.text}`, goal.blocked_reason]
            .filter(Boolean)
            .join(" · ")}
        </p>
        {goal.steps && <progress value={goal.progress} max={1} aria-label={`Progress of ${goal.description}`} />}
      </div>
      <div class="actions">
        {next ? (
          <Action needs="update_goal" onClick={() => update(`Step done: ${next.text}`, { complete_step: next.number })}>
            Step done
          </Action>
        ) : (
          <Action
            needs="update_goal"
            onClick={() => update(`Goal completed: ${goal.description}`, { status: "completed" })}
          >
            Complete
          </Action>
        )}
      </div>
    </li>
  );
}

function LatestChanges({ log }: { log: Answer<LogPage> }) {
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

/** A link to the node with this name. It opens a search if no entity has the name. */
function NameLink({ name }: { name: string }) {
  const { domain } = useMemory();
  const address = addressOf("nodes", { q: name });
  const open = async () => {
    const { entities } = await call<{ entities: Entity[] }>("open_nodes", { names: [name], detail: true, domain });
    const id = entities[0]?.id;
    if (id) openNode(id);
    else location.hash = address;
  };
  return (
    <a
      class="node-link"
      href={address}
      onClick={(event) => {
        if (event.ctrlKey || event.metaKey || event.shiftKey) return;
        event.preventDefault();
        open().catch(notifyFailure);
      }}
    >
      {name}
    </a>
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

function Domains() {
  const { value, error } = useMemory().domains;
  const rows = (domains: DomainSummary[]) => (
    <ul class="rows">
      {domains.map((summary) => (
        <DomainRow key={summary.name} summary={summary} />
      ))}
    </ul>
  );
  return (
    <Section title="Domains">
      <Result of={{ value, error: value ? undefined : error, loading: !value && !error }}>
        {(domains) => (
          <>
            {rows(domains.slice(0, SHOWN_DOMAINS))}
            {domains.length > SHOWN_DOMAINS && (
              <details>
                <summary>{count(domains.length - SHOWN_DOMAINS)} more</summary>
                {rows(domains.slice(SHOWN_DOMAINS))}
              </details>
            )}
          </>
        )}
      </Result>
    </Section>
  );
}

function DomainRow({ summary }: { summary: DomainSummary }) {
  const { domain } = useMemory();
  return (
    <li>
      <div>
        <a
          class="node-link"
          href={addressOf("home", { domain: summary.name })}
          aria-current={summary.name === domain ? "true" : undefined}
        >
          {summary.name}
        </a>
        <p class="reason">
          {plural(summary.events, "change")} · <Ago time={summary.modified} />
          {summary.forked_from && ` · branch of ${summary.forked_from}`}
        </p>
      </div>
    </li>
  );
}
