// Live data over one connection per browser: the tab that holds the lock listens and tells the others.
// Each part of the page hears document events: live:counts, live:job, live:operation, live:alert, live:reset.
const ADDRESS = "/api/v3/events";
const NAMES = ["counts", "job", "operation", "alert", "reset"];
const CHANNEL = "scrapersky-live";
const APPLY_EVERY = 1_000, RAIL_EVERY = 2_000, STALE_AFTER = 30_000, SILENT_AFTER = 40_000;
const MAX_WAITING = 500, MAX_PAUSE = 30_000;

let box, channel, source, silence, retry = 0, missed = false;
let state = "off", lostAt = 0, paused = false;
let waiting = new Map(), timer = 0, appliedAt = 0, railAt = 0, railTimer = 0;

export function startLive() {
  box = document.getElementById("live");
  if (!box || !window.EventSource) return;
  box.hidden = false;
  box.addEventListener("click", togglePause);
  document.addEventListener("keydown", pauseByKey);
  document.addEventListener("visibilitychange", () => document.hidden || schedule());
  for (const name of ["counts", "operation", "reset"]) document.addEventListener(`live:${name}`, refreshRail);
  setInterval(showState, 5_000);
  change("connecting");
  // Locks and channels need a secure context; elsewhere each tab has a connection of its own.
  if (!navigator.locks || !window.BroadcastChannel) return lead();
  channel = new BroadcastChannel(CHANNEL);
  channel.onmessage = ({ data }) => hear(data);
  channel.postMessage({ ask: true });
  navigator.locks.request(CHANNEL, () => new Promise(lead));
}

// ---- the leading tab

function lead() {
  source = new EventSource(ADDRESS);
  source.onopen = () => {
    retry = 0;
    listen();
    if (missed) tell({ name: "reset", detail: {} });
    missed = false;
  };
  source.onerror = () => {
    tell({ state: "lost" });
    // After a broken connection the browser connects again; after a refusal we do.
    if (source.readyState === EventSource.CLOSED) reconnect();
  };
  source.addEventListener("ping", listen);
  for (const name of NAMES) {
    source.addEventListener(name, (event) => {
      listen();
      tell({ name, detail: JSON.parse(event.data) });
    });
  }
}

// A connection that is silent for longer than the server's pings take is dead.
function listen() {
  if (state !== "on") tell({ state: "on" });
  clearTimeout(silence);
  silence = setTimeout(() => { tell({ state: "lost" }); reconnect(); }, SILENT_AFTER);
}

function reconnect() {
  source.close();
  clearTimeout(silence);
  const pause = Math.min(1_000 * 2 ** retry++, MAX_PAUSE);
  // A new connection does not know what the old one had seen.
  missed = true;
  setTimeout(lead, pause * (0.7 + Math.random() * 0.6));
}

function tell(message) {
  channel?.postMessage(message);
  hear(message);
}

// ---- every tab

function hear(message) {
  if (message.ask) {
    if (source) channel.postMessage({ state: state === "on" ? "on" : "lost" });
  } else if (message.state) change(message.state);
  else {
    if (waiting.size < MAX_WAITING) waiting.set(`${message.name} ${message.detail.id ?? ""}`, message);
    else waiting = new Map([["reset ", { name: "reset", detail: {} }]]);
    schedule();
  }
}

// At most once a second, and never in a tab that nobody sees.
function schedule() {
  if (timer || paused || document.hidden || !waiting.size) return;
  timer = setTimeout(apply, Math.max(0, appliedAt + APPLY_EVERY - Date.now()));
}

function apply() {
  timer = 0;
  if (paused || document.hidden) return;
  appliedAt = Date.now();
  const messages = [...waiting.values()];
  waiting.clear();
  for (const { name, detail } of messages) document.dispatchEvent(new CustomEvent(`live:${name}`, { detail }));
}

function change(next) {
  if (next === "lost" && state === "on") lostAt = Date.now();
  if (next === "on") lostAt = 0;
  state = next;
  showState();
}

function showState() {
  const stale = lostAt && Date.now() - lostAt > STALE_AFTER;
  const shown = paused ? "paused" : stale ? "stale" : state === "lost" ? "reconnecting" : state;
  const since = stale ? ` since ${new Date(lostAt).toTimeString().slice(0, 5)}` : "";
  const text = { on: "Live", off: "Not live", connecting: "Connecting", paused: "Paused", stale: `Stale${since}`, reconnecting: "Reconnecting" }[shown];
  if (box.dataset.state === shown && box.dataset.text === text) return;
  box.dataset.state = shown;
  box.dataset.text = text;
  box.querySelector(".label").textContent = text;
  box.title = paused ? "Resume live numbers (p)" : "Pause live numbers (p)";
  box.setAttribute("aria-pressed", String(paused));
  showBar(shown === "stale" ? `The numbers on this page are from ${new Date(lostAt).toTimeString().slice(0, 5)}; the connection to the server is lost. Reconnecting…` : "");
}

function showBar(text) {
  let bar = document.getElementById("stale");
  if (!text) return bar?.remove();
  if (!bar) {
    bar = document.createElement("div");
    bar.id = "stale";
    bar.className = "notice warn";
    bar.setAttribute("role", "status");
    document.getElementById("main").prepend(bar);
  }
  bar.textContent = text;
}

// ---- pause

function togglePause() {
  paused = !paused;
  showState();
  schedule();
}

function pauseByKey(event) {
  if (event.key !== "p" || event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.target.closest("input, select, textarea, dialog, [contenteditable]")) return;
  if (localStorage.getItem("letter-keys") === "false") return;
  togglePause();
}

// ---- the numbers in the rail

function refreshRail() {
  if (railTimer) return;
  railTimer = setTimeout(readRail, Math.max(0, railAt + RAIL_EVERY - Date.now()));
}

async function readRail() {
  railTimer = 0;
  railAt = Date.now();
  const response = await fetch("/rail-counts", { headers: { "HX-Request": "true" } }).catch(() => null);
  if (!response?.ok || response.status === 204) return;
  const counts = new DOMParser().parseFromString(await response.text(), "text/html");
  for (const { value, textContent } of counts.querySelectorAll("data")) {
    for (const place of document.querySelectorAll(`[data-review="${CSS.escape(value)}"], [data-review-number="${CSS.escape(value)}"]`)) {
      if (place.textContent !== textContent) place.textContent = textContent || (place.dataset.review ? "" : "0");
    }
  }
}
