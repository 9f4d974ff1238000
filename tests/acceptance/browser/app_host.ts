/** A client of MCP that shows the MCP App with the official bridge. The test calls its tools: `callTool(name, args)`. */

import { AppBridge, PostMessageTransport } from "@modelcontextprotocol/ext-apps/app-bridge";

declare global {
  interface Window {
    callTool: (name: string, args: object) => Promise<object>;
    show: (args: object, result: object) => Promise<void>;
    setTheme: (theme: "light" | "dark") => void;
    updates: unknown[];
  }
}

window.updates = [];
window.show = async (args, result) => {
  const frame = document.createElement("iframe");
  frame.sandbox.add("allow-scripts");
  document.body.replaceChildren(frame);
  const bridge = new AppBridge(
    null,
    { name: "host", version: "1" },
    { serverTools: {}, updateModelContext: { text: {} } },
    { hostContext: { theme: "light" } },
  );
  bridge.oncalltool = (params) => window.callTool(params.name, params.arguments ?? {}) as never;
  bridge.onupdatemodelcontext = async (params) => {
    window.updates.push(params);
    return {};
  };
  window.setTheme = (theme) => bridge.setHostContext({ theme });
  const isReady = new Promise<void>((resolve) => {
    bridge.addEventListener("initialized", () => resolve());
  });
  bridge.addEventListener("sizechange", ({ height }) => {
    if (height !== undefined) frame.style.height = `${height}px`;
  });
  await bridge.connect(new PostMessageTransport(frame.contentWindow!, frame.contentWindow!));
  frame.src = "/app";
  await isReady;
  await bridge.sendToolInput({ arguments: args as Record<string, unknown> });
  await bridge.sendToolResult(result as never);
};
