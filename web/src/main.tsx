/** Starts the viewer: redeems a one-time token of the address, and shows the memory or the login. */

import { render } from "preact";
import { useEffect, useState } from "preact/hooks";

import { logIn, readSession, type Session } from "./api";
import { App } from "./app";
import { Login } from "./login";
import { addressOf } from "./route";
import { applyTheme } from "./theme";
import "./styles/base.css";
import "./styles/parts.css";
import "./styles/pages.css";

function Start() {
  const [session, setSession] = useState<Session>();
  const [problem, setProblem] = useState("");
  const refresh = () => readSession().then(setSession, (error: Error) => setProblem(error.message));
  useEffect(() => {
    const begin = () => {
      setProblem("");
      redeemToken()
        .catch((error: Error) => setProblem(error.message))
        .then(refresh);
    };
    const followAddress = () => {
      if (location.hash.startsWith("#token=")) begin();
    };
    const loggedOut = () => setSession((known) => known && { ...known, authenticated: false });
    begin();
    window.addEventListener("hashchange", followAddress);
    window.addEventListener("logged-out", loggedOut);
    return () => {
      window.removeEventListener("hashchange", followAddress);
      window.removeEventListener("logged-out", loggedOut);
    };
  }, []);
  if (session?.authenticated) return <App session={session} />;
  if (!session && !problem) return <p class="loading">Loading…</p>;
  return <Login kind={session?.kind ?? "none"} problem={problem} onLogin={refresh} />;
}

/** Go to the domain that the command's address names, and log in with its token. A server with keys ignores tokens. */
async function redeemToken(): Promise<void> {
  if (location.hash.startsWith("#/")) return;
  const parameters = new URLSearchParams(location.hash.slice(1));
  const token = parameters.get("token");
  const domain = parameters.get("domain") ?? "";
  history.replaceState(null, "", location.pathname + addressOf("home", { domain }));
  if (token && (await readSession()).kind === "none") await logIn(token);
}

applyTheme();
render(<Start />, document.getElementById("app")!);
