// Counts the tokens of what tools are told with, for docs/models.md. Needs js-tiktoken, which has its tables in itself:
//   npm install --no-save js-tiktoken@1.0.21
//   .venv/bin/python scripts/generated_docs.py --tool-texts | node scripts/tool_tokens.mjs > scripts/tool_tokens.json
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { Tiktoken } from "js-tiktoken/lite";
import o200k from "js-tiktoken/ranks/o200k_base";

const encoder = new Tiktoken(o200k);
const texts = JSON.parse(readFileSync(0, "utf8"));
const counted = Object.entries(texts).map(([name, text]) => [
  name,
  { sha256: createHash("sha256").update(text).digest("hex"), tokens: encoder.encode(text).length },
]);
console.log(JSON.stringify({ counted_with: "js-tiktoken 1.0.21, o200k_base", texts: Object.fromEntries(counted) }, null, 1));
