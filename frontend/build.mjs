// Builds the report's page: one script and one style inside one file, whose policy lets those two run and nothing else.
// "npm ci && npm run build" writes caia_replay/report/html/shell.html; "node build.mjs --out FILE" writes elsewhere.
import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const here = dirname(fileURLToPath(import.meta.url));
const at = process.argv.indexOf("--out");
const out = at > 0 ? process.argv[at + 1] : join(here, "..", "caia_replay", "report", "html", "shell.html");

async function bundled(entry) {
  const options = { bundle: true, minify: true, write: false, charset: "utf8", legalComments: "none" };
  const made = await build({
    ...options,
    entryPoints: [join(here, "src", entry)],
    absWorkingDir: here,
    format: "iife",
    target: ["es2022"],
    jsx: "automatic",
    jsxImportSource: "preact",
    loader: { ".svg": "text" },
  });
  return made.outputFiles[0].text.trim();
}

const hash = (text) => `'sha256-${createHash("sha256").update(text, "utf8").digest("base64")}'`;
const [script, style] = [await bundled("main.tsx"), await bundled("style.css")];
if (/<\/(script|style)|<!--/i.test(script + style)) throw new Error("the built code would end its own element");
const policy = [
  "default-src 'none'",
  `script-src ${hash(script)}`,
  `style-src ${hash(style)}`,
  "base-uri 'none'",
  "form-action 'none'",
].join("; ");
const preact = JSON.parse(readFileSync(join(here, "node_modules", "preact", "package.json"), "utf8")).version;
writeFileSync(
  out,
  `<!doctype html><!-- caia-replay report -->
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<meta name="color-scheme" content="light dark">
<title>caia-replay report</title>
<!-- Built from frontend/ by build.mjs. Holds Preact ${preact}, MIT License, Copyright (c) 2015-present Jason Miller. -->
<style>${style}</style>
</head>
<body>
<div id="app"><p class="loading">Reading the report. It needs JavaScript, and no network.</p></div>
<!--caia-replay: overview-->
<script>${script}</script>
<!--caia-replay: everything else-->
</body>
</html>
`,
);
