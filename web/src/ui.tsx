/** Small parts that all pages use. */

import type { ComponentChildren } from "preact";
import { useEffect, useId, useRef, useState } from "preact/hooks";

import type { ApiError } from "./api";
import { useMemory, type Outcome } from "./memory";
import { useReadOnly } from "./protection";
import { addressOf, readRoute, setParameters } from "./route";
import { ago, moment } from "./words";

type Children = { children?: ComponentChildren };

export function Ago({ time }: { time: string | number }) {
  return (
    <time dateTime={new Date(time).toISOString()} title={moment(time)}>
      {ago(time)}
    </time>
  );
}

export function TypeChip({ type }: { type: string }) {
  return (
    <span class="chip" data-hue={hueOf(type)}>
      {type}
    </span>
  );
}

export const HUES = 12;
const hues = new Map<string, number>();

/** Return the hue for a name: its hash, or the next unused hue. */
export function hueOf(name: string): number {
  const known = hues.get(name);
  if (known !== undefined) return known;
  let hue = [...name].reduce((hash, character) => (hash * 31 + character.codePointAt(0)!) >>> 0, 7) % HUES;
  const taken = new Set(hues.values());
  while (taken.size < HUES && taken.has(hue)) hue = (hue + 1) % HUES;
  hues.set(name, hue);
  return hue;
}

/** A button that opens the card of a node beside the present page. */
export function NodeLink({ id, title, children }: { id: string; title: string } & Children) {
  return (
    <a
      class="node-link"
      href={addressOf("nodes", { node: id })}
      onClick={(event) => {
        if (event.ctrlKey || event.metaKey || event.shiftKey) return;
        event.preventDefault();
        openNode(id);
      }}
    >
      {title || id}
      {children}
    </a>
  );
}

export const openNode = (id: string): void => setParameters({ node: id }, true);
export const closeNode = (): void => setParameters({ node: "" }, true);
export const openedNode = (): string => readRoute().parameters["node"] ?? "";

export function Section({ title, aside, children }: { title: string; aside?: ComponentChildren } & Children) {
  return (
    <section class="section">
      <header>
        <h2>{title}</h2>
        {aside && <div class="aside">{aside}</div>}
      </header>
      {children}
    </section>
  );
}

export const Empty = ({ children }: Children) => <p class="empty">{children}</p>;

export function Failure({ error }: { error: ApiError }) {
  return (
    <div class="failure" role="alert">
      <strong>{error.message}</strong>
      {error.hint && <p>{error.hint}</p>}
    </div>
  );
}

/** Show a result, or that it is being read, or why it cannot be read. */
export function Result<T>({ of, children }: { of: Outcome<T> & { loading: boolean }; children: (value: T) => ComponentChildren }) {
  if (of.error) return <Failure error={of.error} />;
  if (of.value === undefined) return of.loading ? <p class="loading">Loading…</p> : null;
  return <>{children(of.value)}</>;
}

interface ActionProps extends Children {
  onClick: () => unknown;
  /** The operation that the button calls. Without the right to call it, there is no button. */
  needs?: string;
  kind?: "plain" | "primary" | "danger" | "quiet";
  title?: string;
  disabled?: boolean;
  pressed?: boolean;
}

/** A button that is busy until its action is done. It is disabled if it calls an operation that a protection forbids. */
export function Action({ onClick, needs, kind = "plain", title, disabled, pressed, children }: ActionProps) {
  const { offers } = useMemory();
  const [busy, setBusy] = useState(false);
  const readOnly = useReadOnly();
  const forbidden = needs ? readOnly : "";
  if (needs && !offers(needs)) return null;
  const run = async () => {
    setBusy(true);
    try {
      await onClick();
    } finally {
      setBusy(false);
    }
  };
  return (
    <button
      type="button"
      class={kind}
      title={forbidden || title}
      disabled={busy || disabled || !!forbidden}
      aria-pressed={pressed}
      onClick={run}
    >
      {children}
    </button>
  );
}

interface FieldProps {
  label: string;
  value: string;
  onInput: (value: string) => void;
  type?: "text" | "password" | "number" | "date";
  error?: string;
  hint?: string;
  rows?: number;
  required?: boolean;
  /** Whether a dialog opens with the focus on the field. */
  autofocus?: boolean;
}

/** A labelled input. An error of the server is shown below it. */
export function Field({ label, value, onInput, type = "text", error, hint, rows, required, autofocus }: FieldProps) {
  const id = useId();
  const shared = {
    id,
    value,
    required,
    autofocus,
    "aria-invalid": error ? true : undefined,
    "aria-describedby": error || hint ? `${id}-note` : undefined,
    onInput: (event: Event) => onInput((event.currentTarget as HTMLInputElement | HTMLTextAreaElement).value),
  };
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {rows ? <textarea rows={rows} {...shared} /> : <input type={type as "text"} {...shared} />}
      {(error || hint) && (
        <p id={`${id}-note`} class={error ? "error" : "hint"}>
          {error || hint}
        </p>
      )}
    </div>
  );
}

/** A field whose value counts once the person presses Enter or leaves it. */
export function LateField({ value, onInput, ...rest }: FieldProps) {
  const [draft, setDraft] = useState(value);
  useEffect(() => setDraft(value), [value]);
  return (
    <div onChange={() => onInput(draft.trim())}>
      <Field value={draft} onInput={setDraft} {...rest} />
    </div>
  );
}

interface SelectProps {
  label: string;
  value: string;
  options: readonly (string | readonly [string, string])[];
  onChange: (value: string) => void;
}

export function Select({ label, value, options, onChange }: SelectProps) {
  return (
    <label class="select">
      <span>{label}</span>
      <select value={value} onChange={(event) => onChange(event.currentTarget.value)}>
        {options.map((option) => {
          const [key, text] = typeof option === "string" ? [option, option] : option;
          return (
            <option key={key} value={key} selected={key === value}>
              {text}
            </option>
          );
        })}
      </select>
    </label>
  );
}

export function Dialog({ title, onClose, children }: { title: string; onClose: () => void } & Children) {
  const element = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    element.current?.showModal();
  }, []);
  return (
    <dialog ref={element} aria-label={title} onClose={onClose}>
      <header>
        <h2>{title}</h2>
        <button type="button" class="quiet" aria-label="Close" onClick={() => element.current?.close()}>
          ✕
        </button>
      </header>
      {children}
    </dialog>
  );
}

/** A value that follows `value` once it has been the same for a while. */
export function useSettled<T>(value: T, milliseconds = 250): T {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), milliseconds);
    return () => clearTimeout(timer);
  }, [value, milliseconds]);
  return settled;
}
