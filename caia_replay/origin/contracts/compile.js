// Reads solc standard JSON on stdin, writes solc's standard JSON on stdout; imports come from the given folder.
const fs = require("fs");
const path = require("path");
const modules = process.argv[2];
const solc = require(path.join(modules, "solc"));
const find = (name) => {
  try {
    return { contents: fs.readFileSync(path.join(modules, name), "utf8") };
  } catch (fault) {
    return { error: String(fault) };
  }
};
const output = JSON.parse(solc.compile(fs.readFileSync(0, "utf8"), { import: find }));
process.stdout.write(JSON.stringify({ version: solc.version(), ...output }));
