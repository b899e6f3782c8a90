// Leads Node's fetch, http and https through the proxy. Node does so itself from the version on that knows
// --use-env-proxy; before, only a hook like this does.
"use strict";
const proxy = process.env.HTTPS_PROXY;
if (proxy && !process.allowedNodeEnvironmentFlags.has("--use-env-proxy")) {
  const http = require("http");
  const https = require("https");
  const tls = require("tls");
  const at = new URL(proxy);
  const plain = new http.Agent();

  const tunnel = (host, port, done) => {
    const path = `${host.includes(":") && !host.startsWith("[") ? `[${host}]` : host}:${port}`;
    const asked = http.request({ host: at.hostname, port: at.port, method: "CONNECT", path, agent: plain });
    asked.once("connect", (reply, socket) =>
      reply.statusCode === 200 ? done(null, socket) : done(new Error(`the proxy says ${reply.statusCode}`)));
    asked.once("error", done);
    asked.end();
  };
  const secured = (options, socket) =>
    tls.connect({ ...options, socket, servername: options.servername || options.host, ALPNProtocols: ["http/1.1"] });

  const led = (Agent, isTls) => class extends Agent {
    createConnection(options, done) {
      tunnel(options.host, options.port, (fault, socket) =>
        fault ? done(fault) : done(null, isTls ? secured({ ...options, path: undefined }, socket) : socket));
    }
  };
  http.globalAgent = new (led(http.Agent, false))();
  https.globalAgent = new (led(https.Agent, true))();

  void globalThis.Response; // loads what fetch is made of
  const slot = Symbol.for("undici.globalDispatcher.1");
  const before = globalThis[slot];
  if (before) {
    const connect = (options, done) => {
      const isTls = options.protocol === "https:";
      tunnel(options.hostname, options.port || (isTls ? 443 : 80), (fault, socket) => {
        if (fault || !isTls) return done(fault, socket);
        const wrapped = secured({ host: options.hostname, servername: options.servername }, socket);
        wrapped.once("secureConnect", () => done(null, wrapped));
        wrapped.once("error", done);
      });
    };
    globalThis[slot] = new before.constructor({ connect });
  }
}
