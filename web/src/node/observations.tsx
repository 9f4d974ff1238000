/** The observations of an entity: each can be corrected or ended, and new ones added. Ended ones are folded. */

import { useState } from "preact/hooks";

import type { ApiError } from "../api";
import { useFixed } from "../change";
import { asApiError, useMemory } from "../memory";
import { useReadOnly } from "../protection";
import type { Entity, LogEntry } from "../results";
import { Action, Ago, Failure, Field, Section } from "../ui";
import { asText, hasGivenName, moment, plural } from "../words";
import { tryWrite, write } from "../writes";

type Observation = NonNullable<Entity["observation_details"]>[number];

interface Question {
  id: string;
  known_text: string;
}

/** An observation whose text is being corrected, as it was when the person began. Others may end it meanwhile. */
interface Opened {
  observation: Observation;
  index: number;
}

interface Props {
  entity: Entity;
  /** The latest changes of the node and its observations, newest first. */
  changes: LogEntry[];
}

export function Observations({ entity, changes }: Props) {
  const { observation_details: observations = [] } = entity;
  const [opened, setOpened] = useState<Opened[]>([]);
  const rows = [...observations];
  for (const { observation, index } of opened) {
    if (!rows.some(({ id }) => id === observation.id)) rows.splice(index, 0, observation);
  }
  return (
    <Section title="Observations">
      {rows.length > 0 && (
        <ul class="rows">
          {rows.map((observation, index) => (
            <Row
              key={observation.id}
              entity={entity}
              observation={observation}
              opened={opened.find((form) => form.observation.id === observation.id)?.observation}
              isCurrent={observations.includes(observation)}
              onOpen={() => setOpened([...opened, { observation, index }])}
              onClose={() => setOpened((known) => known.filter((form) => form.observation.id !== observation.id))}
            />
          ))}
        </ul>
      )}
      <Addition entity={entity} />
      <Ended entries={endedIn(changes)} />
    </Section>
  );
}

interface RowProps {
  entity: Entity;
  observation: Observation;
  /** The observation as it was when its form was opened. Undefined if it has no form. */
  opened: Observation | undefined;
  /** Whether the observation is still true. */
  isCurrent: boolean;
  onOpen: () => void;
  onClose: () => void;
}

function Row({ entity, observation, opened, isCurrent, onOpen, onClose }: RowProps) {
  const { domain, offers } = useMemory();
  const { id, text, source, confidence, ts } = observation;
  const mayCorrect = !useReadOnly() && offers("remember");
  if (opened) {
    const correct = (corrected: string) =>
      write(isCurrent ? `Corrected: ${corrected}` : `Added: ${corrected}`, "remember", {
        name: entity.id,
        observations: [isCurrent ? { text: corrected, replaces: id } : corrected],
        domain,
      });
    const warning = !isCurrent
      ? `Meanwhile “${opened.text}” was corrected or ended. Save adds your text as a new observation.`
      : text !== opened.text
        ? `Meanwhile this was changed to “${text}”. Save replaces that text.`
        : "";
    return (
      <li>
        <TextForm label="Corrected text" stored={opened.text} warning={warning} save={correct} onClose={onClose} />
      </li>
    );
  }
  const end = () => tryWrite(`No longer true: ${text}`, "forget", { ids: [id], domain });
  return (
    <li>
      <div>
        {mayCorrect ? (
          <button type="button" class="text" title="Correct this text" onClick={onOpen}>
            {text}
          </button>
        ) : (
          text
        )}
        <p class="reason">
          {[source && hasGivenName(source) && source, confidence !== undefined && `${Math.round(confidence * 100)} % sure`].filter(Boolean).join(" · ")}{" "}
          <Ago time={ts} />
        </p>
      </div>
      <div class="actions">
        <Action needs="remember" kind="quiet" title={`Correct “${text}”`} onClick={onOpen}>
          Correct
        </Action>
        <Action needs="forget" kind="quiet" title="End it now. The history keeps it" onClick={end}>
          No longer true
        </Action>
      </div>
    </li>
  );
}

function Addition({ entity }: { entity: Entity }) {
  const { domain } = useMemory();
  const [isOpen, setOpen] = useState(false);
  const [questions, setQuestions] = useState<Question[]>([]);
  const add = async (text: string) => {
    const args = { name: entity.id, observations: [text], domain };
    const result = await write<{ questions?: Question[] }>(`Added: ${text}`, "remember", args);
    setQuestions(result.questions ?? []);
  };
  const answer = async ({ id, known_text }: Question, decision: string) => {
    const done = decision === "close" ? `No longer true: ${known_text}` : `Both hold: ${known_text}`;
    if (await tryWrite(done, "decide", { id, decision, domain }))
      setQuestions(questions.filter((question) => question.id !== id));
  };
  return (
    <>
      {questions.map((question) => (
        <div key={question.id} class="banner" role="group" aria-label={question.known_text}>
          <span>Does it replace “{question.known_text}”?</span>
          <Action needs="decide" onClick={() => answer(question, "close")}>
            It replaces it
          </Action>
          <Action needs="decide" onClick={() => answer(question, "keep")}>
            Both hold
          </Action>
        </div>
      ))}
      {isOpen ? (
        <TextForm label="New observation" stored="" save={add} onClose={() => setOpen(false)} />
      ) : (
        <Action needs="remember" kind="quiet" onClick={() => setOpen(true)}>
          + Add an observation
        </Action>
      )}
    </>
  );
}

interface TextFormProps {
  label: string;
  stored: string;
  /** What others did to the stored text meanwhile. */
  warning?: string;
  save: (text: string) => Promise<unknown>;
  onClose: () => void;
}

/** A field for a text of one or two lines. Enter saves it, and Escape closes it. */
function TextForm({ label, stored, warning, save, onClose }: TextFormProps) {
  const [text, setText] = useState(stored);
  const [error, setError] = useState<ApiError>();
  const wanted = text.trim();
  const isReady = !!wanted && (wanted !== stored || !!warning);
  const submit = () => save(wanted).then(onClose, (failure: unknown) => setError(asApiError(failure)));
  const onKey = (event: KeyboardEvent) => {
    if (event.key === "Escape") {
      event.stopPropagation();
      onClose();
    } else if (event.key === "Enter" && !event.shiftKey && !event.isComposing && !event.repeat && isReady && event.target instanceof HTMLTextAreaElement) {
      event.preventDefault();
      void submit();
    }
  };
  return (
    <div class="text-form" onKeyDown={onKey} ref={focusField}>
      <Field label={label} value={text} rows={2} onInput={setText} />
      <div class="actions">
        <Action kind="primary" needs="remember" disabled={!isReady} onClick={submit}>
          Save
        </Action>
        <Action onClick={onClose}>Cancel</Action>
      </div>
      {warning && (
        <p class="banner" role="alert">
          {warning}
        </p>
      )}
      {error && <Failure error={error} />}
    </div>
  );
}

function focusField(form: HTMLElement | null): void {
  const field = form?.querySelector("textarea");
  if (!field || form!.contains(document.activeElement)) return;
  field.focus();
  field.setSelectionRange(field.value.length, field.value.length);
}

/** Whether the change itself ended the observation. Others, such as a merge, must not be undone with it. */
function hasEndedIt({ operation, before }: LogEntry): boolean {
  return operation === "update" && !before?.["_valid_to"];
}

function Ended({ entries }: { entries: LogEntry[] }) {
  const { domain } = useMemory();
  const isFixed = useFixed();
  if (!entries.length) return null;
  return (
    <details class="ended">
      <summary>{plural(entries.length, "observation")} no longer true</summary>
      <ul class="rows">
        {entries.map((entry) => {
          const text = asText(entry.after?.["_text"]);
          return (
            <li key={entry.subject}>
              <div>
                {text}
                <p class="reason">until {moment(asText(entry.after?.["_valid_to"]))}</p>
              </div>
              <div class="actions">
                <Action
                  needs="memory_revert"
                  kind="quiet"
                  disabled={!hasEndedIt(entry) || isFixed(entry)}
                  onClick={() => tryWrite(`True again: ${text}`, "memory_revert", { event_ids: [entry.seq], domain })}
                >
                  True again
                </Action>
              </div>
            </li>
          );
        })}
      </ul>
    </details>
  );
}

/** Return the last change of each observation that has ended. */
function endedIn(changes: LogEntry[]): LogEntry[] {
  const latest = new Map<string, LogEntry>();
  for (const entry of changes) {
    if (entry.kind === "observation" && !latest.has(entry.subject)) latest.set(entry.subject, entry);
  }
  const hasEnded = ({ after }: LogEntry) => {
    const end = after?.["_valid_to"];
    return !!end && new Date(asText(end)).getTime() <= Date.now();
  };
  return [...latest.values()].filter(hasEnded);
}
