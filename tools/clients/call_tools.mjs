// Calls tools of a stdio server through a TypeScript SDK, and prints what a client gets of each call.
//
//   node call_tools.mjs SDK COMMAND [ARGUMENT ...] < CALLS
//
// SDK is sdk-1-first, sdk-1-newest or sdk-2. CALLS is a JSON list of {name, arguments}; without any, each tool is
// called with an argument that no tool has, and with too few tokens where it drops such arguments. The output is a JSON list of {name, result} or {name, thrown}.

import { readFileSync } from "node:fs";

const [sdk, command, ...args] = process.argv.slice(2);
const packages =
  sdk === "sdk-2"
    ? ["@modelcontextprotocol/client", "@modelcontextprotocol/client/stdio"]
    : [`${sdk}/client/index.js`, `${sdk}/client/stdio.js`];
const { Client, StdioClientTransport } = Object.assign({}, ...(await Promise.all(packages.map((one) => import(one)))));

const client = new Client({ name: sdk, version: "1" });
await client.connect(new StdioClientTransport({ command, args, env: process.env, stderr: "ignore" }));
const { tools } = await client.listTools();
const given = JSON.parse(readFileSync(0, "utf8"));
const calls = given.length ? given : tools.map(({ name }) => ({ name, arguments: { no_such_argument: 1, max_tokens: 1 } }));
const answers = [];
for (const call of calls) {
  try {
    answers.push({ name: call.name, result: await client.callTool(call) });
  } catch (error) {
    answers.push({ name: call.name, thrown: String(error) });
  }
}
await client.close();
console.log(JSON.stringify(answers));
