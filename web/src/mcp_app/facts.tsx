/** A fact, with the forms that correct or forget it. Both call the tools that agents call. */

import { useState } from "preact/hooks";

import type { ApiError, Arguments } from "../api";
import { asApiError } from "../memory";
import { Action, Failure, Field } from "../ui";
import { moment } from "../words";
import { callTool, offers, tellModel } from "./host";

interface ChangeProps {
  /** The id of the entity, or its name. */
  entity: string;
  name: string;
  /** The arguments that all calls share. */
  context: Arguments;
  /** The changes are of the present only, so a view of the past has none. */
  readOnly: boolean;
  onDone: (message: string) => void;
}

type Form = "correct" | "forget";

export interface Observation {
  text: string;
  when?: string;
  /** When the fact ended, and the facts that replaced it. */
  over?: { since: string; replaced_by?: { text: string }[] };
  /** The last day of a fact that has an end. */
  until?: string;
}

interface Remembered {
  facts: { rule: string; evidence?: string; replaced?: string[] }[];
  questions?: { known_text: string; new_text: string; reason: string }[];
  warnings?: string[];
}

interface Forgotten {
  forgotten: unknown[];
}

const ALREADY_ENDED = "Nothing was forgotten: it had already ended.";

/** Show a fact. It can be changed unless it has an end. */
export function Fact({ observation, ...shared }: ChangeProps & { observation: Observation }) {
  const { entity, name, context, onDone } = shared;
  const { text, when, over, until } = observation;
  const correct = async (corrected: string) => {
    const observations = [{ text: corrected, replaces: text }];
    const result = await callTool<Remembered>("remember", { ...context, name: entity, observations });
    const outcome = outcomeOf(result);
    const isReplaced = result.facts.some((fact) => fact.replaced?.length);
    const change = `${quote(text)} is now ${quote(corrected)}.`;
    void tellModel(
      isReplaced
        ? `The user corrected a fact about ${quote(name)}: ${change}`
        : `The user tried to correct ${quote(text)} about ${quote(name)} to ${quote(corrected)}. ${outcome}`,
    );
    onDone(outcome);
  };
  const forget = async () => {
    const { forgotten } = await callTool<Forgotten>("forget", { ...context, names: [entity], text });
    if (!forgotten.length) return onDone(ALREADY_ENDED);
    void tellModel(`The user ended a fact about ${quote(name)}: ${quote(text)}.`);
    onDone("Forgotten. It remains in the history.");
  };
  const notes = [when, over ? endOf(over) : until && `until ${until}`].filter(Boolean);
  return (
    <Changeable
      {...shared}
      readOnly={shared.readOnly || Boolean(over ?? until)}
      subject={text}
      correct={correct}
      forget={forget}
    >
      <span class="fact">{text}</span>
      {notes.length > 0 && <span class="quiet-text"> {notes.join(", ")}</span>}
    </Changeable>
  );
}

function endOf({ since, replaced_by = [] }: NonNullable<Observation["over"]>): string {
  const later = replaced_by.map(({ text }) => `“${text}”`).join(", ");
  return `ended ${moment(since)}${later && `, then ${later}`}`;
}

/** Return what the memory did with a corrected text. */
function outcomeOf({ facts, questions = [], warnings = [] }: Remembered): string {
  const isReplaced = facts.some((fact) => fact.replaced?.length);
  return [
    isReplaced ? "Corrected. The earlier text remains in the history." : "The earlier text was not replaced.",
    ...(isReplaced ? [] : facts.map(({ rule, evidence }) => evidence ?? rule)),
    ...questions.map((question) => `Open: does “${question.new_text}” replace “${question.known_text}”? ${question.reason}`),
    ...warnings,
  ].join(" ");
}

interface EntityProps extends ChangeProps {
  id: string;
  isConnection: boolean;
  children: preact.ComponentChildren;
}

/** The button that forgets a connection, or an entity with all its facts and relations. */
export function Entity({ isConnection, ...shared }: EntityProps) {
  const { id, name, context, onDone, children } = shared;
  const forget = async () => {
    const { forgotten } = await callTool<Forgotten>("forget", { ...context, ids: [id] });
    if (!forgotten.length) return onDone(ALREADY_ENDED);
    void tellModel(
      isConnection
        ? `The user ended the connection ${quote(name)}.`
        : `The user ended all facts about ${quote(name)}, and its relations.`,
    );
    onDone(`Forgotten: ${name}. It remains in the history.`);
  };
  return (
    <Changeable {...shared} subject={name} consequence={isConnection ? "" : "Its facts and relations end too."} forget={forget}>
      {children}
    </Changeable>
  );
}

interface ChangeableProps {
  subject: string;
  readOnly: boolean;
  /** What else ends if the subject is forgotten. */
  consequence?: string;
  correct?: (text: string) => Promise<void>;
  forget: () => Promise<void>;
  children: preact.ComponentChildren;
}

function Changeable({ subject, readOnly, consequence = "", correct, forget, children }: ChangeableProps) {
  const [form, setForm] = useState<Form>();
  const [text, setText] = useState(subject);
  const [error, setError] = useState<ApiError>();
  const open = (next: Form | undefined) => () => {
    setForm(next);
    setText(subject);
    setError(undefined);
  };
  const run = (change: () => Promise<void>) => () =>
    change().then(open(undefined), (failure: unknown) => setError(asApiError(failure)));
  return (
    <>
      <div class="line">
        <div>{children}</div>
        {!form && !readOnly && (
          <div class="actions">
            {correct && offers("remember") && (
              <Action kind="quiet" title={`Correct “${subject}”`} onClick={open("correct")}>
                Correct
              </Action>
            )}
            {offers("forget") && (
              <Action kind="quiet" title={`Forget “${subject}”`} onClick={open("forget")}>
                Forget
              </Action>
            )}
          </div>
        )}
      </div>
      {form === "correct" && correct && (
        <div class="form">
          <Field label="Corrected text" value={text} rows={2} onInput={setText} />
          <div class="actions">
            <Action
              kind="primary"
              disabled={!text.trim() || text.trim() === subject}
              onClick={run(() => correct(text.trim()))}
            >
              Save
            </Action>
            <Action onClick={open(undefined)}>Cancel</Action>
          </div>
        </div>
      )}
      {form === "forget" && (
        <div class="form">
          <p>
            Forget “{subject}”? {consequence} It remains in the history, and can be restored from there.
          </p>
          <div class="actions">
            <Action kind="danger" onClick={run(forget)}>
              Forget it
            </Action>
            <Action onClick={open(undefined)}>Cancel</Action>
          </div>
        </div>
      )}
      {error && <Failure error={error} />}
    </>
  );
}

const quote = (text: string): string => JSON.stringify(text);
