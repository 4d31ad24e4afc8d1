// Lists and triage: picked rows, keys, decisions that show at once and are sent one after the other, undo.
import { toast } from "./toasts.js";
import { copyText } from "./clipboard.js";

const $ = (selector, root = document) => root.querySelector(selector);
const all = (selector, root = document) => [...root.querySelectorAll(selector)];
const list = $("#list");
const triage = $("#triage");
const KEYS = { s: "Selected", m: "Maybe", r: "Rejected", e: "Archived" };
const rowsBox = () => $("#rows") ?? triage;
const rows = () => all("#rows tbody tr");
const shown = () => all("[data-id]", list ?? triage).map((row) => row.dataset.id).join(",");
const storage = (area, name, value) => {
  try {
    if (value === undefined) return JSON.parse(area.getItem(name));
    area.setItem(name, JSON.stringify(value));
  } catch { /* Private windows may refuse; nothing depends on it. */ }
  return null;
};

// ---- requests: one after the other, in the order of the keys

let tail = Promise.resolve();
let waiting = 0;
function enqueue(work) {
  waiting += 1;
  tail = tail.then(work).catch(() => toast("Not saved: the server does not answer. Try again.", "bad")).finally(() => { waiting -= 1; });
  return tail;
}
async function request(url, data, failed) {
  let response;
  const headers = { "HX-Request": "true", Accept: "text/html" };
  try {
    response = await fetch(url, data ? { method: "POST", body: new URLSearchParams(data), headers } : { headers });
  } catch (error) {
    failed?.();
    throw error;
  }
  if (response.headers.has("HX-Redirect")) return location.assign(response.headers.get("HX-Redirect"));
  const text = await response.text();
  if (response.ok) return text;
  failed?.();
  await swap(text, "#toasts", "beforeend");
  if (response.status === 409 && list) reload();
  return null;
}
const swap = (text, target = "body", style = "none") => window.htmx.swap({ text, target: $(target), swap: style, sourceElement: document.body });
const send = (url, data, failed) => enqueue(async () => {
  const text = await request(url, data, failed);
  if (text) await swap(text);
  drawn();
});
const reload = () => window.htmx.ajax("GET", location.pathname + location.search, { target: "#list", swap: "innerMorph" });
window.addEventListener("beforeunload", (event) => { if (waiting) event.preventDefault(); });

// ---- undo: the operations of this tab, the latest last

const undoable = storage(sessionStorage, "undoable") ?? [];
function rememberUndo() {
  for (const item of all("#toasts :is([data-operation], [data-undone]):not([data-seen])")) {
    all("#toasts :is([data-operation], [data-undone])[data-seen]").forEach((old) => old.remove());
    item.dataset.seen = "";
    if (item.dataset.operation) undoable.push(item.dataset.operation);
    updateTotal(item.dataset);
  }
  storage(sessionStorage, "undoable", undoable.slice(-50));
}
// When an operation in the background has ended, the list shows what it did.
function followOperations() {
  for (const strip of all("#operations [data-finished]:not([data-seen])")) {
    strip.dataset.seen = "";
    if (list && strip.dataset.entity === rowsBox()?.dataset.entity) reload();
    if (strip.dataset.undoable) undoable.push(strip.id.slice("operation-".length));
  }
}
function updateTotal(data) {
  if (!list || !rowsBox()) return;
  rowsBox().dataset.total = data.total;
  rowsBox().dataset.totalText = data.totalText;
}
function undo(operation) {
  enqueue(async () => {
    const id = operation ?? undoable.at(-1);
    if (!id) return toast("Nothing to undo here");
    const at = undoable.lastIndexOf(id);
    if (at >= 0) undoable.splice(at, 1);
    all(`#toasts [data-operation="${CSS.escape(id)}"]`).forEach((item) => item.remove());
    const text = await request(`/operations/${id}/undo`, { query: rowsBox()?.dataset.query ?? "", shown: list ? shown() : "" });
    if (text) await swap(text);
    drawn();
    if (triage) stepBack();
  });
}

// ---- picked rows: kept while the filter is the same

let picked = new Set();
let takesAll = false;
let anchor = null;
function loadPicked() {
  const kept = storage(sessionStorage, `picked:${rowsBox().dataset.path}`);
  if (kept && kept.filters === rowsBox().dataset.filters) picked = new Set(kept.ids);
}
function savePicked() {
  storage(sessionStorage, `picked:${rowsBox().dataset.path}`, { filters: rowsBox().dataset.filters, ids: [...picked].slice(0, 5000) });
}
let filters = rowsBox()?.dataset.filters;
function drawn() {
  rememberUndo();
  followOperations();
  openDialog();
  if (!list || !rowsBox()) return;
  rememberView();
  if (rowsBox().dataset.filters !== filters) {
    filters = rowsBox().dataset.filters;
    if (picked.size || takesAll) toast("Selection cleared: the filter has changed");
    picked.clear();
    takesAll = false;
    anchor = null;
  }
  for (const row of rows()) {
    const box = $(".pick input", row);
    if (box) box.checked = takesAll || picked.has(row.dataset.id);
  }
  const current = rows().find((row) => row.dataset.id === currentId) ?? rows()[0];
  if (current) current.tabIndex = 0;
  showBulk();
}
function rememberView() {
  const params = new URLSearchParams(location.search);
  ["after", "done"].forEach((name) => params.delete(name));
  try {
    localStorage.setItem(`view:${location.pathname}`, String(params) && `?${params}`);
  } catch { /* As above. */ }
  all("[data-query]:is(input)").forEach((field) => { field.value = rowsBox().dataset.query; });
}
function pick(row, on) {
  takesAll = false;
  if (on) picked.add(row.dataset.id);
  else picked.delete(row.dataset.id);
  anchor = row.dataset.id;
}
function clearPicked() {
  picked.clear();
  takesAll = false;
  drawn();
  savePicked();
}
function pickScreen() {
  const ids = rows().map((row) => row.dataset.id);
  const full = ids.every((id) => picked.has(id));
  if (full && !takesAll) takesAll = true;
  ids.forEach((id) => picked.add(id));
  drawn();
  savePicked();
}
const group = (number) => String(number).replace(/\B(?=(\d{3})+$)/g, "\u202f");
function showBulk() {
  const bar = $("#bulk");
  const data = rowsBox()?.dataset;
  if (!bar || !data) return;
  bar.hidden = !picked.size && !takesAll;
  const number = takesAll ? data.totalText : group(picked.size);
  const text = takesAll ? `All ${number} that match` : `${number} selected`;
  if ($("#bulk-text").textContent !== text) $("#bulk-text").textContent = text;
  const more = $("[data-pick-matching]");
  more.hidden = takesAll || data.total === String(picked.size);
  more.textContent = `Select all ${data.totalText} that match`;
  const head = $("#pick-all");
  if (!head) return;
  const here = rows().filter((row) => picked.has(row.dataset.id)).length;
  head.checked = takesAll || (here > 0 && here === rows().length);
  head.indeterminate = !head.checked && here > 0;
}

// ---- decisions

function showPill(row, status) {
  const place = $("[data-curation]", row);
  const pill = $(`[data-status="${status}"]`, $("#pills")?.content ?? document)?.firstElementChild;
  if (place && pill) place.replaceChildren(pill.cloneNode(true));
}
function decideRow(row, decision) {
  const place = $("[data-curation]", row);
  const before = place?.firstElementChild;
  if (decision !== "run" && decision !== "reset") showPill(row, decision);
  const failed = () => before && $(`#row-${CSS.escape(row.dataset.id)} [data-curation]`)?.replaceChildren(before);
  send(`${rowsBox().dataset.path}/decisions`, { ids: row.dataset.id, decision, query: rowsBox().dataset.query, shown: row.dataset.id }, failed);
}
function decide(decision) {
  if (!list || !$("#bulk")) return;
  if (!picked.size && !takesAll) {
    const row = rows().find((each) => each.dataset.id === currentId) ?? rows()[0];
    if (!row) return;
    decideRow(row, decision);
    focusRow(row, 1);
    return;
  }
  const data = { decision, query: rowsBox().dataset.query, shown: shown() };
  if (takesAll) Object.assign(data, { all: "1", expected: rowsBox().dataset.total });
  else data.ids = [...picked].join(",");
  if (decision in { Selected: 1, Maybe: 1, Rejected: 1, Archived: 1, New: 1 }) rows().filter((row) => takesAll || picked.has(row.dataset.id)).forEach((row) => picked.size <= 200 && !takesAll && showPill(row, decision));
  send(`${rowsBox().dataset.path}/decisions`, data).then(() => { if (!$("#dialogs dialog")) clearPicked(); });
}

// ---- where the keys are

let currentId = null;
function focusRow(from, step) {
  const every = rows();
  const at = every.indexOf(from);
  const row = every[Math.min(Math.max(at + step, 0), every.length - 1)];
  if (!row) return;
  every.forEach((each) => { each.tabIndex = -1; });
  row.tabIndex = 0;
  currentId = row.dataset.id;
  row.focus({ preventScroll: true });
  row.scrollIntoView({ block: "nearest" });
}
const currentRow = () => rows().find((row) => row.dataset.id === currentId);
document.addEventListener("focusin", (event) => {
  const row = event.target.closest?.("#rows tbody tr");
  if (row) currentId = row.dataset.id;
});
const openSite = (element) => element?.dataset.site && window.open(element.dataset.site, "_blank", "noopener,noreferrer");
async function openContacts(link) {
  const text = await request(link.href).catch(() => toast("The server does not answer", "bad"));
  if (typeof text !== "string") return;
  await swap(text, "#dialogs", "innerHTML");
  openDialog();
}
function openDialog() {
  const dialog = $("#dialogs dialog:not([open])");
  if (!dialog) return;
  dialog.addEventListener("close", () => { dialog.remove(); currentRow()?.focus({ preventScroll: true }); });
  dialog.showModal();
}

// ---- keys

const usesLetters = () => storage(localStorage, "letter-keys") !== false;
let went = 0;
const inList = {
  j: () => focusRow(currentRow(), 1),
  k: () => focusRow(currentRow(), -1),
  x: () => { const row = currentRow(); if (row) { pick(row, !picked.has(row.dataset.id)); drawn(); savePicked(); } },
  X: pickRange,
  a: pickScreen,
  Enter: () => { const row = currentRow(); if (row === document.activeElement) location.assign(row.dataset.href); },
  o: () => openSite(currentRow()),
  c: () => { const link = $("[data-contacts]", currentRow() ?? document.createElement("i")); if (link) openContacts(link); },
  "]": () => $("#next-page")?.click(),
  "[": () => { if ($("#first-page")) history.back(); },
  f: () => $("#facets :is(input, select)")?.focus(),
};
function pickRange() {
  const every = rows();
  const ends = [every.findIndex((row) => row.dataset.id === anchor), every.indexOf(currentRow())].sort((a, b) => a - b);
  const from = Math.max(ends[0], 0);
  every.slice(from, ends[1] + 1).forEach((row) => { takesAll = false; picked.add(row.dataset.id); });
  drawn();
  savePicked();
}
document.addEventListener("keydown", (event) => {
  if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || $("dialog[open]")) return;
  const at = document.activeElement;
  const types = at.matches?.("input:not([type=checkbox]), textarea, select, [contenteditable]");
  if (event.key === "Escape") return leave(at, types);
  if (types || !usesLetters()) return;
  // A letter after g leads to a page, and the keys act in the list or where nothing else has the focus.
  const afterG = Date.now() - went < 1200;
  went = event.key === "g" ? Date.now() : 0;
  const free = at === document.body || at.id === "main" || (list ?? triage).contains(at) || at.closest("#bulk, #toasts");
  if (afterG || !free) return;
  const inner = at.closest?.("a, button, summary");
  const act = action(event.key, inner);
  if (!act) return;
  event.preventDefault();
  act();
});
function action(key, inner) {
  if (key === "?") return () => $("#keys").showModal();
  if (key === "/") return $("#q") && (() => $("#q").select());
  if (key === "z") return () => undo();
  if (triage) return inner && (key === " " || key === "Enter") ? null : inTriage(key);
  if (inner && key === "Enter") return null;
  if (KEYS[key]) return () => decide(KEYS[key]);
  return inList[key];
}
function leave(at, types) {
  if (types) return focusRow(currentRow() ?? rows()[0], 0);
  if (triage) return $("[data-back]").click();
  const menu = $("details.menu[open]");
  if (menu) menu.open = false;
  else if (picked.size || takesAll) clearPicked();
  return null;
}

// ---- pointer

document.addEventListener("click", (event) => {
  const on = (selector) => event.target.closest(selector);
  if (on("[data-close]")) on("dialog").close();
  else if (on("[data-contacts]") && !event.ctrlKey && !event.metaKey) {
    event.preventDefault();
    currentId = on("tr")?.dataset.id ?? currentId;
    openContacts(on("[data-contacts]"));
  } else if (on("[data-pick-matching]")) {
    takesAll = true;
    drawn();
  } else if (on("[data-unpick]")) clearPicked();
  else if (on("#bulk [data-decision]")) decide(on("[data-decision]").dataset.decision);
  else if (on("[data-keys]")) $("#keys").showModal();
  else if (on("[data-remove]")) on(".operation").remove();
  else if (on("[data-copy-link]")) copyText(location.href);
  else if (on("[data-copy-picked]")) copyText(all(".found li :checked", on("dialog")).map((box) => box.value).join("\n"));
  else if (on("[data-copy-emails]")) copyText(all("[data-group=emails] li > input", on("dialog")).map((box) => box.value).join("\n"));
  else if (!on("details.menu")) all("details.menu[open]").forEach((menu) => { menu.open = false; });
});
document.addEventListener("change", (event) => {
  const box = event.target;
  if (box.name === "density") setDensity(box.value);
  else if (box.id === "letter-keys") storage(localStorage, "letter-keys", box.checked);
  else if (box.id === "pick-all") {
    rows().forEach((row) => pick(row, box.checked));
    drawn();
    savePicked();
  } else if (box.matches("#rows .pick input")) {
    pick(box.closest("tr"), box.checked);
    showBulk();
    savePicked();
  } else if (box.closest("#page-contacts")) {
    const dialog = box.closest("dialog");
    if (box.matches("[data-pick-entries]")) all(".found li > input", dialog).forEach((each) => { each.checked = box.checked; });
    $("[data-copy-picked]", dialog).disabled = !$(".found li :checked", dialog);
  }
});
document.addEventListener("submit", (event) => {
  const form = event.target;
  if (form.dataset.undo) {
    event.preventDefault();
    undo(form.dataset.undo);
  } else if (triage && form.id === "decide") {
    event.preventDefault();
    decideCard(event.submitter.value);
  } else if ("alike" in form.dataset) {
    event.preventDefault();
    decideAlike(event.submitter.value);
  } else if ("send" in form.dataset) {
    form.elements.query.value = rowsBox().dataset.query ?? "";
    form.elements.ids.value = takesAll ? "" : [...picked].join(",");
    form.elements.all.value = takesAll ? "1" : "";
  } else if ("decide" in form.dataset) {
    event.preventDefault();
    submitDecision(form, event.submitter);
  }
});
function submitDecision(form, button) {
  if (button?.name === "row") {
    const [id, ...words] = button.value.split(" ");
    return decideRow($(`#row-${CSS.escape(id)}`), words.join(" "));
  }
  const data = new FormData(form, button);
  if (form.id === "decide") {
    data.delete("ids");
    if (!data.has("all") && takesAll) data.set("all", "1");
    if (!data.has("all")) data.set("ids", [...picked].join(","));
  }
  if (!form.closest("dialog")) data.set("query", rowsBox()?.dataset.query ?? "");
  data.set("shown", shown());
  form.closest("dialog")?.close();
  return send(form.getAttribute("action"), data).then(() => { if (!$("#dialogs dialog")) clearPicked(); });
}

// ---- triage: one row after the other

const started = Date.now();
let decided = 0;
const cards = () => all("#cards [data-id]");
const card = () => cards().find((each) => !each.hidden);
function step() {
  const from = card();
  // Cards that were decided together with another one are passed over.
  const next = cards().slice(cards().indexOf(from) + 1).find((each) => !("done" in each.dataset));
  if (from) from.hidden = true;
  if (next) {
    next.hidden = false;
    next.focus({ preventScroll: true });
    $("#decide [name=ids]").value = next.dataset.id;
  }
  $("#triage-done").hidden = Boolean(next);
  if ($("#decide")) $("#decide").hidden = !next;
  if (cards().length - cards().indexOf(next) < 5) preload();
}
let loading = false;
async function preload() {
  const marker = $(".triage-next");
  if (loading || !marker?.dataset.next) return;
  loading = true;
  const text = await request(marker.dataset.next).catch(() => null);
  marker.remove();
  if (text) await swap(text, "#cards", "beforeend");
  cards().forEach(markAlike);
  loading = false;
  if (!card() && cards().some((each) => !("done" in each.dataset))) step();
}
function decideCard(decision) {
  const row = card();
  if (!row) return;
  row.dataset.done = decision;
  decided += 1;
  showProgress();
  step();
  send(`${triage.dataset.path}/decisions`, { ids: row.dataset.id, decision, query: triage.dataset.query }, () => {
    delete row.dataset.done;
    cards().forEach((each) => { each.hidden = each !== row; });
  });
}
// The same for all undecided rows that are like this one: pages of its type on its domain.
// Cards that were on their way meanwhile are decided too.
const together = new Map();
function markAlike(row) {
  const first = together.get(row.dataset.alike);
  if (first && !("done" in row.dataset)) Object.assign(row.dataset, { done: first.decision, together: first.id });
}
function decideAlike(decision) {
  const row = card();
  if (!row?.dataset.alike) return;
  const alike = cards().filter((each) => each.dataset.alike === row.dataset.alike && !("done" in each.dataset));
  together.set(row.dataset.alike, { decision, id: row.dataset.id });
  alike.forEach(markAlike);
  row.dataset.number = alike.length;
  decided += alike.length;
  step();
  send(`${triage.dataset.path}/decisions`, { all: "1", decision, query: row.dataset.alike }, () => location.reload()).then(() => {
    const changed = Number($("#toasts [data-changed]:last-child")?.dataset.changed ?? alike.length);
    decided += changed - alike.length;
    row.dataset.number = changed;
    showProgress();
  });
}
function stepBack() {
  const last = cards().filter((each) => each.dataset.done).at(-1);
  if (!last) return;
  const id = last.dataset.together;
  const undone = id ? cards().filter((each) => each.dataset.together === id) : [last];
  together.delete(last.dataset.alike);
  undone.forEach((each) => { delete each.dataset.done; delete each.dataset.together; });
  const first = undone[0];
  decided -= Number(first.dataset.number ?? 1);
  delete first.dataset.number;
  cards().forEach((each) => { each.hidden = each !== first; });
  $("#decide [name=ids]").value = first.dataset.id;
  $("#decide").hidden = false;
  $("#triage-done").hidden = true;
  first.focus({ preventScroll: true });
  showProgress();
}
function showProgress() {
  const left = Math.max(triage.dataset.total - decided, 0);
  $("#triage-count").textContent = `${group(left)} left`;
  $("#triage-bar").value = decided;
  const minutes = Math.max((Date.now() - started) / 60_000, 0.1);
  $("#triage-pace").textContent = `${decided} decided · ${Math.round(decided / minutes)} a minute`;
}
function inTriage(key) {
  if (KEYS[key]) return () => decideCard(KEYS[key]);
  if (key === "S") return () => decideAlike("Selected");
  if (key === "R") return () => decideAlike("Rejected");
  return { " ": () => step(), o: () => openSite(card()), c: () => { const link = $("[data-contacts]", card()); if (link) openContacts(link); } }[key];
}

// ---- live: rows never move by themselves; a line says how many are newer

let lookedAt = 0;
let timer = 0;
document.addEventListener("live:counts", () => {
  if (!list || document.hidden || timer) return;
  timer = setTimeout(async () => {
    timer = 0;
    lookedAt = Date.now();
    const box = $("#newer");
    if (!box || $("dialog[open]")) return;
    const text = await request(box.dataset.url).catch(() => null);
    if (text !== null && text !== undefined && box.textContent.trim() !== text.trim()) await swap(text || " ", "#newer", "innerHTML");
  }, Math.max(1000, 2000 - (Date.now() - lookedAt)));
});

// ---- how close together rows are, as in the settings of the look

function showDensity() {
  const choice = $("[data-density-choice]");
  if (!choice) return;
  choice.hidden = false;
  $(`[value=${document.documentElement.dataset.density ?? "comfortable"}]`, choice).checked = true;
}
function setDensity(value) {
  const root = document.documentElement.dataset;
  if (value === "compact") localStorage.setItem("density", root.density = value);
  else {
    localStorage.removeItem("density");
    delete root.density;
  }
}

// ---- start

if (list || triage) {
  const keysButton = $("[data-keys]");
  if (keysButton) keysButton.hidden = false;
  const letters = $("#letter-keys");
  if (letters) letters.checked = usesLetters();
  showDensity();
  if (list && rowsBox()) loadPicked();
  document.addEventListener("htmx:after:swap", drawn);
  document.addEventListener("htmx:after:settle", drawn);
  drawn();
  if (triage) {
    card()?.focus({ preventScroll: true });
    if (cards().length) preload();
  } else if (window.matchMedia("(max-width: 900px)").matches) $("#facets-fold").open = false;
}
