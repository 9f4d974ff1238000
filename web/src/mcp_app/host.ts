/** The connection to the MCP client that shows the page. */

import "./without_eval";
import { App, applyDocumentTheme } from "@modelcontextprotocol/ext-apps";
import type { CallToolResult } from "@modelcontextprotocol/client";

import { ApiError, type Arguments } from "../api";

const CONTEXT_ARGUMENTS = ["domain", "session_id"];

/** A call of a tool by the model, and its result once it is there. */
export interface ShownCall {
  args: Arguments;
  result?: CallToolResult;
  cancelled?: boolean;
}

const app = new App({ name: "graph-memory", version: "1" }, {});
const tools = new Set(
  document.querySelector<HTMLMetaElement>('meta[name="tools"]')?.content.split(" ").filter(Boolean) ?? [],
);

/** Connect to the client, and report each change of the call that the page shows. */
export async function connect(onChange: (call: ShownCall) => void): Promise<void> {
  let shown: ShownCall = { args: {} };
  const update = (changes: Partial<ShownCall>) => onChange((shown = { ...shown, ...changes }));
  app.addEventListener("toolinput", (params) => update({ args: params.arguments ?? {} }));
  app.addEventListener("toolresult", (result) => update({ result: result as CallToolResult }));
  app.addEventListener("toolcancelled", () => update({ cancelled: true }));
  app.addEventListener("hostcontextchanged", () => applyTheme());
  app.onteardown = async () => ({});
  await app.connect();
  applyTheme();
}

function applyTheme(): void {
  const systems = matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
  applyDocumentTheme(app.getHostContext()?.theme ?? systems);
}

/** Whether the page may call this tool of the server. */
export function offers(tool: string): boolean {
  return tools.has(tool) && app.getHostCapabilities()?.serverTools !== undefined;
}

/** Call a tool of the server through the client, and return its result. Throws ApiError. */
export async function callTool<T>(name: string, args: Arguments): Promise<T> {
  const result = await app.callServerTool({ name, arguments: args }).catch((error: unknown) => {
    throw new ApiError(0, { message: error instanceof Error ? error.message : String(error) });
  });
  if (result.isError) throw errorOf(result as CallToolResult);
  return (result.structuredContent ?? {}) as T;
}

export function errorOf(result: CallToolResult): ApiError {
  return new ApiError(0, { message: textOf(result), ...(result.structuredContent as object | undefined) });
}

export const textOf = (result: CallToolResult): string =>
  result.content.flatMap((part) => (part.type === "text" ? part.text : [])).join("\n");

/** Return the arguments of a call that say where and in which session it was made. */
export const contextOf = (args: Arguments): Arguments =>
  Object.fromEntries(CONTEXT_ARGUMENTS.flatMap((name) => (name in args ? [[name, args[name]]] : [])));

/** Tell the model what the person changed, if the client supports that. */
export async function tellModel(text: string): Promise<void> {
  if (!app.getHostCapabilities()?.updateModelContext) return;
  await app.updateModelContext({ content: [{ type: "text", text }] }).catch(() => undefined);
}
