"""DefiLlama's package from npm, driven by node against loopback."""

# The package is left as it is: only where the network leads is changed, as a host map would.
LED = """
const [url, source] = [process.argv[2], process.argv[3]];
const ask = globalThis.fetch;
globalThis.fetch = (asked, how) => {
  const to = new URL(asked);
  return ask(url + to.pathname + to.search, how);
};
const { DefiLlama } = await import("@defillama/api");
const free = new DefiLlama(), paid = new DefiLlama({ apiKey: "SCRUBBED" });
const found = {};
for (const [name, run] of Object.entries(eval(source)(free, paid))) {
  try { found[name] = await run(); }
  catch (fault) { found[name] = { fault: fault.name, status: fault.statusCode, said: fault.response }; }
}
console.log(JSON.stringify(found));
"""
