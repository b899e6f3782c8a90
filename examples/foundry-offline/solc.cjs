#!/usr/bin/env node
// forge downloads a native solc unless it is given one. This is the one from npm, called as forge calls the native one.
const fs = require("node:fs");
const solc = require("solc");

if (process.argv.includes("--version")) {
  console.log(`solc\nVersion: ${solc.version().replace(".Emscripten.clang", ".Linux.g++")}`);
} else {
  console.log(solc.compile(fs.readFileSync(0, "utf8")));
}
