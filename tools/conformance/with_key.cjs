// Adds the access key, if any, to every request of the suite, which cannot send one itself.
"use strict";
if (!process.env.ACCESS_KEY) return;
const http = require("node:http");
const undici = require("undici");

const Authorization = `Bearer ${process.env.ACCESS_KEY}`;
const { fetch, Request } = globalThis;
const { request: send } = http;
const { request } = undici;
globalThis.fetch = (...options) => {
  const authorized = new Request(...options);
  authorized.headers.set("Authorization", Authorization);
  return fetch(authorized);
};
http.request = (...options) => send(...options).setHeader("Authorization", Authorization);
undici.request = (url, options) => request(url, { ...options, headers: { ...options?.headers, Authorization } });
