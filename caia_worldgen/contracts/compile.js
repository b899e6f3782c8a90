// Compiles a list of jobs with one compiler: standard JSON inputs on stdin, their outputs on stdout.
// Every source is in its job; nothing is looked up on disk.
const fs = require("fs");
const path = require("path");
const [modules, compiler] = process.argv.slice(2);
const solc = require(path.resolve(modules, compiler));
const jobs = JSON.parse(fs.readFileSync(0, "utf8"));
const outputs = jobs.map((job) => JSON.parse(solc.compile(JSON.stringify(job))));
fs.writeSync(1, JSON.stringify({ version: solc.version(), outputs }));
