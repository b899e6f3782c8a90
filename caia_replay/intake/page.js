// Keeps what is typed, so that a closed tab or a killed server loses at most the sentence being typed.
// The page works without this script; then what is typed is kept with every button.
const form = document.querySelector("form[data-keep]");
const put = (address, body) => fetch(address, {
  method: "PUT", headers: { "content-type": "application/json" }, body, keepalive: body.length < 60000,
});
if (form) {
  let timer = 0, last = "", sent = false;
  const state = document.getElementById("kept");
  const keep = async () => {
    const fields = JSON.stringify(Object.fromEntries(new FormData(form)));
    if (sent || fields === last) return;
    try {
      const reply = await put(form.dataset.keep, fields);
      if (!reply.ok) throw new Error(String(reply.status));
      last = fields;
      if (state) state.textContent = "What you typed is kept.";
    } catch {
      if (state) state.textContent = "What you typed since is NOT kept: the server does not answer.";
    }
  };
  form.addEventListener("input", (event) => {
    clearTimeout(timer);
    const ended = /[.!?。！？\n]$/.test(event.target.value ?? "") || event.target.type === "radio";
    timer = setTimeout(keep, ended ? 0 : 400);
  });
  // A button sends everything by itself: what is kept after it would be older than what it did.
  form.addEventListener("submit", () => { clearTimeout(timer); sent = true; });
  addEventListener("pagehide", keep);
}
// On the page where a person plays: which controls were used, and when, in milliseconds since the page was opened.
if (form?.dataset.clicks) {
  let clicks = [];
  const send = () => {
    if (!clicks.length) return;
    const body = JSON.stringify({ turn: form.elements.turn.value, clicks: clicks.splice(0, 500) });
    put(form.dataset.clicks, body).catch(() => {});
  };
  const note = (name) => {
    clicks.push([name, Math.round(performance.now())]);
    if (clicks.length >= 100) send();
  };
  addEventListener("click", (event) => {
    const on = event.target.closest?.("button, summary, a, select, input, textarea");
    if (!on) return;
    const tool = on.closest("details")?.querySelector("button")?.value ?? "";
    note(on.tagName === "BUTTON" ? `button ${on.value}` : `${on.tagName.toLowerCase()} ${on.name ?? tool}`.trim());
  }, true);
  addEventListener("visibilitychange", () => note(document.hidden ? "away" : "back"));
  form.addEventListener("submit", send);
  addEventListener("pagehide", send);
  setInterval(send, 5000);
}
