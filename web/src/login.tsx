/** The page for people without a login. */

import { useState } from "preact/hooks";

import { logIn, type Session } from "./api";
import { Field } from "./ui";
import { sentence } from "./words";

export function Login({ kind, problem, onLogin }: { kind: Session["kind"]; problem: string; onLogin: () => void }) {
  return (
    <main class="login">
      <h1>graph-memory</h1>
      {kind === "none" ? (
        <OpenByCommand />
      ) : (
        <KeyForm word={kind === "oidc" ? "access token" : "key"} onLogin={onLogin} />
      )}
      {problem && (
        <p class="error" role="alert">
          {problem}
        </p>
      )}
    </main>
  );
}

function OpenByCommand() {
  return (
    <>
      <p>This memory opens with an address that works once. Get one in a terminal:</p>
      <pre>
        <code>graph-memory view</code>
      </pre>
    </>
  );
}

function KeyForm({ word, onLogin }: { word: string; onLogin: () => void }) {
  const [key, setKey] = useState("");
  const [error, setError] = useState("");
  const submit = (event: Event) => {
    event.preventDefault();
    logIn(key).then(onLogin, (failure: Error) => setError(failure.message));
  };
  return (
    <form onSubmit={submit}>
      <p>Enter your {word} for this server. It is not stored in the browser.</p>
      <Field label={sentence(word)} type="password" value={key} onInput={setKey} error={error} required />
      <button type="submit" class="primary">
        Open the memory
      </button>
    </form>
  );
}
