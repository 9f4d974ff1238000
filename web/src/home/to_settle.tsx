/** Findings, such as questions and duplicates, each with the actions that settle it. */

import { useRef, useState } from "preact/hooks";

import { call } from "../api";
import { useMemory, useResult } from "../memory";
import { MergeDialog } from "../node/merge_dialog";
import type { Entity, Finding, Health } from "../results";
import { addressOf } from "../route";
import { Action, Empty, openNode, Result, Section } from "../ui";
import { count, FINDINGS, findingsTitle, sentence } from "../words";
import { notifyFailure } from "../writes";
import { Answered } from "./answered";
import { useAnswers, type Question } from "./answers";

const FIRST = 20;
const MORE = 50;
const MAX = 1_000;
const KINDS = Object.keys(FINDINGS);
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

const keyOf = ({ kind, about, reason }: Finding): string => JSON.stringify([kind, about, reason]);

/** The findings, read once the page is ready for slow reads. Answered findings stay until the person leaves the page. */
export function ToSettle({ isReady }: { isReady: boolean }) {
  const [limits, setLimits] = useState<Record<string, number>>({});
  const limit = Math.max(FIRST, ...Object.values(limits));
  const health = useResult<Health>("graph_health", isReady ? { limit } : null, { isSlow: true });
  const kept = useRef<Health>(undefined);
  if (health.value) kept.current = health.value;
  const withAnswers = useAnswers(kept.current?.findings, keyOf);
  const groupsOf = ({ findings, counts }: Health) =>
    KINDS.map((kind) => {
      const ofKind = findings.filter((finding) => finding.kind === kind).slice(0, limits[kind] ?? FIRST);
      const total = counts[kind] ?? 0;
      return { kind, total, questions: withAnswers(ofKind, kind), hasMore: total > ofKind.length && ofKind.length < MAX };
    }).filter(({ questions }) => questions.length);
  return (
    <Section title="To settle">
      <Result of={{ error: health.error, value: kept.current, loading: true }}>
        {(value) => {
          const groups = groupsOf(value);
          if (!groups.length) return <Empty>Nothing waits for a decision.</Empty>;
          return groups.map(({ kind, total, questions, hasMore }) => (
            <details key={kind} class="findings" open={KINDS.indexOf(kind) < 3}>
              <summary>
                {findingsTitle(kind)} <span class="count">{count(total)}</span>
              </summary>
              <ul class="rows">
                {questions.map((question) => (
                  <FindingRow key={question.key} question={question} />
                ))}
              </ul>
              {hasMore && (
                <button
                  type="button"
                  class="quiet"
                  disabled={health.loading}
                  onClick={() => setLimits({ ...limits, [kind]: Math.min((limits[kind] ?? FIRST) + MORE, MAX) })}
                >
                  Show more
                </button>
              )}
            </details>
          ));
        }}
      </Result>
    </Section>
  );
}

function FindingRow({ question }: { question: Question<Finding> }) {
  const { row: finding, answer } = question;
  const isText = !!answer || finding.kind === "unused_type";
  return (
    <li class={answer && "answered"}>
      <div>
        {isText
          ? finding.about.join(" · ")
          : finding.about.map((name, index) => (
              <span key={name}>
                {index > 0 && " · "}
                <NameLink name={name} />
              </span>
            ))}
        <p class="reason">{finding.reason.replace(/ \(event \d+\)$/, "")}</p>
        {answer && <Answered text={answer} />}
      </div>
      <div class="actions">
        <FindingActions question={question} />
      </div>
    </li>
  );
}

function FindingActions({ question: { row: finding, write } }: { question: Question<Finding> }) {
  const { domain } = useMemory();
  const { tool, arguments: { dry_run: _, ...args } } = finding.call;
  const about = finding.about.join(", ");
  const [isMerging, setMerging] = useState(false);
  if (finding.kind === "duplicate") {
    const keepApart = () => write(`Not the same: ${about}`, "decide", { id: finding.question, decision: "new", domain });
    return (
      <>
        <Action needs="merge_entities" onClick={() => setMerging(true)}>
          Merge…
        </Action>
        <Action needs="decide" title="They are two. This is no longer asked" onClick={keepApart}>
          Not the same
        </Action>
        {isMerging && <MergeDialog names={finding.about} write={write} onClose={() => setMerging(false)} />}
      </>
    );
  }
  if (finding.choices) {
    const decide = (decision: string, label: string) =>
      write(`Decided: ${label.charAt(0).toLowerCase()}${label.slice(1)}: ${about}`, tool, { ...args, decision, domain });
    return (
      <>
        {Object.entries(finding.choices).map(([decision, consequence]) => {
          const label = CHOICES[decision] ?? sentence(decision);
          return (
            <Action key={decision} needs={tool} title={consequence} onClick={() => decide(decision, label)}>
              {label}
            </Action>
          );
        })}
      </>
    );
  }
  const [label, done] = CALLS[tool] ?? [];
  if (!label) return null;
  return (
    <Action needs={tool} onClick={() => write(`${done}: ${about}`, tool, { domain, ...args })}>
      {label}
    </Action>
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
