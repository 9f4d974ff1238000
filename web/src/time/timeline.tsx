/** The memory as it was at a position of its log, which a slider chooses. */

import { useEffect, useRef, useState } from "preact/hooks";

import { useResult } from "../memory";
import type { LogPage, NodePage } from "../results";
import { addressOf, setParameters, useRoute } from "../route";
import { hueOf, NodeLink, Result, Section, TypeChip, useSettled } from "../ui";
import { count, moment, plural } from "../words";
import { useSessionsOfLog, type SessionOfLog } from "./sessions_of_log";

const SHOWN = 100;
const PLAY_MILLISECONDS = 700;
const PLAY_STEPS = 40;

export function Timeline() {
  const { parameters } = useRoute();
  const { log, sessions } = useSessionsOfLog();
  const head = log.value?.entries[0]?.seq ?? 0;
  return (
    <Result of={log}>
      {() =>
        head ? (
          <Slider head={head} sessions={sessions} chosen={Math.min(Number(parameters["at"]) || head, head)} />
        ) : (
          <p class="empty">Nothing has happened yet.</p>
        )
      }
    </Result>
  );
}

function Slider({ head, sessions, chosen }: { head: number; sessions: SessionOfLog[]; chosen: number }) {
  const [position, setPosition] = useState(chosen);
  const [isPlaying, setPlaying] = usePlaying(head, position, setPosition);
  const lastHead = useRef(head);
  useEffect(() => {
    if (position === lastHead.current) setPosition(head);
    lastHead.current = head;
  }, [head]);
  const settled = useSettled(position, 150);
  useEffect(() => setParameters({ at: settled === head ? "" : String(settled) }), [settled]);
  const around = useResult<LogPage>("memory_log", { until: settled, limit: 8, full: true });
  const at = around.value?.entries[0]?.at;
  return (
    <>
      <div class="slider">
        <button type="button" onClick={() => setPlaying(!isPlaying)} aria-pressed={isPlaying}>
          {isPlaying ? "Pause" : "Play"}
        </button>
        <div class="track">
          <input
            type="range"
            min={1}
            max={head}
            value={position}
            aria-label="Position in the log"
            aria-valuetext={`Change ${position} of ${head}${at ? `, ${moment(at)}` : ""}`}
            onInput={(event) => setPosition(Number(event.currentTarget.value))}
          />
          <SessionMarks head={head} sessions={sessions} />
        </div>
        <output>
          Change {count(position)} of {count(head)}
          {at && <small>{moment(at)}</small>}
        </output>
      </div>
      <div class="columns">
        <Past at={settled} isNow={settled === head} />
        <Section
          title="Changes up to here"
          aside={
            settled < head && (
              <a href={addressOf("time", { show: "differences", since: String(settled) })}>What changed since</a>
            )
          }
        >
          <Result of={around}>
            {({ entries }) => (
              <ol class="timeline">
                {entries.map((entry) => (
                  <li key={entry.id} class={entry.operation}>
                    <p>{entry.summary}</p>
                    <p class="reason">
                      {count(entry.seq)} · {moment(entry.at)} · {entry.by}
                    </p>
                  </li>
                ))}
              </ol>
            )}
          </Result>
        </Section>
      </div>
    </>
  );
}

/** Show where on the log each session changed the memory. */
function SessionMarks({ head, sessions }: { head: number; sessions: SessionOfLog[] }) {
  const scale = (seq: number) => (head > 1 ? ((seq - 1) / (head - 1)) * 1000 : 0);
  return (
    <svg
      class="marks"
      viewBox="0 0 1000 10"
      preserveAspectRatio="none"
      role="img"
      aria-label={`Marks of ${plural(sessions.length, "session")}`}
    >
      {sessions.map(({ name, first, last }) => (
        <rect
          key={name}
          data-hue={hueOf(name)}
          x={scale(first)}
          width={Math.max(4, scale(last) - scale(first))}
          y="2"
          height="6"
        >
          <title>{name}</title>
        </rect>
      ))}
    </svg>
  );
}

function Past({ at, isNow }: { at: number; isNow: boolean }) {
  const past = useResult<{ as_of: number; result: NodePage }>("memory_as_of", {
    at,
    tool: "query_nodes",
    arguments: { detail: true, limit: SHOWN },
  });
  const kept = useRef<NodePage>(undefined);
  if (past.value) kept.current = past.value.result;
  const page = kept.current;
  return (
    <Section title={isNow ? "The memory now" : "The memory then"}>
      {past.error && <Result of={past}>{() => null}</Result>}
      {page && (
        <>
          <p class="summary" role="status">
            {page.next_cursor ? `The first ${SHOWN} nodes` : plural(page.node_ids.length, "node")}
            {page.nodes?.length ? (
              <a
                href={addressOf("graph", {
                  at: String(at),
                  seed: page.nodes
                    .slice(-12)
                    .map((node) => node.id)
                    .join(","),
                })}
              >
                The latest as a graph
              </a>
            ) : null}
          </p>
          <ul class="rows dense">
            {page.nodes?.map((node) => (
              <li key={node.id}>
                <NodeLink {...node} /> <TypeChip type={node.type} />
              </li>
            ))}
          </ul>
        </>
      )}
    </Section>
  );
}

/** Move the position forward while it plays. */
function usePlaying(head: number, position: number, setPosition: (position: number) => void) {
  const [isPlaying, setPlaying] = useState(false);
  useEffect(() => {
    if (!isPlaying) return;
    if (position >= head) return setPlaying(false);
    const next = Math.min(head, position + Math.max(1, Math.round(head / PLAY_STEPS)));
    const timer = setTimeout(() => setPosition(next), PLAY_MILLISECONDS);
    return () => clearTimeout(timer);
  }, [isPlaying, position, head]);
  const play = (wanted: boolean) => {
    if (wanted && position >= head) setPosition(1);
    setPlaying(wanted);
  };
  return [isPlaying, play] as const;
}
