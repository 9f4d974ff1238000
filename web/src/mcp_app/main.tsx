/** Starts the MCP App: the page that MCP clients show with the result of a tool. Text is only ever shown as text. */

import { render } from "preact";
import { useEffect, useState } from "preact/hooks";

import type { Diff, Health, Paths, Recall } from "../results";
import { Failure } from "../ui";
import { connect, errorOf, textOf, type ShownCall } from "./host";
import { RecallView } from "./recall_view";
import { DiffView, HealthView, PathView } from "./views";
import "../styles/base.css";
import "../styles/parts.css";
import "./mcp_app.css";

function Page() {
  const [call, setCall] = useState<ShownCall>({ args: {} });
  const [problem, setProblem] = useState("");
  useEffect(() => {
    connect(setCall).catch((error: Error) => setProblem(error.message));
  }, []);
  if (problem) return <p class="error">{problem}</p>;
  if (call.cancelled) return <p class="empty">The call was cancelled.</p>;
  if (!call.result) return <p class="loading">Loading…</p>;
  if (call.result.isError) return <Failure error={errorOf(call.result)} />;
  return <View key={JSON.stringify(call)} call={call} />;
}

/** Show the result in the view for its fields, or as text. */
function View({ call }: { call: ShownCall }) {
  const fields = (call.result!.structuredContent ?? {}) as Record<string, unknown>;
  if ("paths" in fields) return <PathView {...(fields as unknown as Paths)} />;
  if ("findings" in fields) return <HealthView {...(fields as unknown as Health)} />;
  if ("added" in fields && "until" in fields) return <DiffView {...(fields as unknown as Diff)} />;
  if ("depth" in fields && "content" in fields)
    return <RecallView call={call} recall={fields as unknown as Recall} />;
  return <pre class="text">{textOf(call.result!)}</pre>;
}

render(<Page />, document.getElementById("app")!);
