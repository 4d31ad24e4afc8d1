// The command palette: go to a page, open a saved view, find a domain, do something. Loaded when it is first opened.
import { changeTheme } from "./frame.js";

const DELAY = 150;
const WAYS = [["Add domains", "/add"], ["Upload a file", "/add/file"], ["Start a search", "/add/search"]];
let dialog, input, list, status, options = [], active = 0, timer = 0, asked = 0;

export function showPalette() {
  if (!dialog) build();
  if (dialog.open) return dialog.close();
  input.value = "";
  dialog.showModal();
  search();
}

function build() {
  dialog = make("dialog", { id: "palette", "aria-label": "Search or jump" });
  input = make("input", { type: "text", role: "combobox", "aria-expanded": "true", "aria-controls": "palette-list", "aria-autocomplete": "list", "aria-label": "Command, page or domain", placeholder: "Type a command, a page, a domain…", autocomplete: "off", spellcheck: "false", maxlength: "200" });
  list = make("ul", { id: "palette-list", role: "listbox", "aria-label": "Commands" });
  status = make("p", { class: "sr-only", role: "status" });
  const foot = make("p", { class: "palette-foot", "aria-hidden": "true" });
  for (const [key, text] of [["↑↓", "choose"], ["↵", "open"], ["Esc", "close"]]) foot.append(make("kbd", {}, key), ` ${text} `);
  dialog.append(input, list, status, foot);
  document.getElementById("dialogs").append(dialog);
  input.addEventListener("input", search);
  input.addEventListener("keydown", press);
  list.addEventListener("click", (event) => {
    const option = event.target.closest("[role=option]");
    if (option) run(options[Number(option.dataset.place)], event);
  });
  list.addEventListener("pointermove", (event) => {
    const option = event.target.closest("[role=option]");
    if (option) choose(Number(option.dataset.place), false);
  });
  dialog.addEventListener("click", (event) => event.target === dialog && dialog.close());
}

function make(tag, attributes, text) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  if (text !== undefined) element.textContent = text;
  return element;
}

// ---- what there is

function commands() {
  const found = [];
  for (const link of document.querySelectorAll("#rail-nav [data-key]")) found.push({ group: "Go to", name: `Go to ${link.querySelector(".label").textContent}`, key: `g ${link.dataset.key}`, href: link.href });
  found.push({ group: "Go to", name: "Go to Report", href: "/report" });
  for (const link of document.querySelectorAll("#rail-nav [data-view]")) found.push({ group: "Saved views", name: link.querySelector(".label").textContent, href: link.href });
  if (document.querySelector(".add-button")) for (const [name, href] of WAYS) found.push({ group: "Actions", name, href });
  found.push({ group: "Actions", name: "Change theme", key: "T", act: () => changeTheme() });
  const live = document.getElementById("live");
  if (live && !live.hidden) found.push({ group: "Actions", name: live.dataset.state === "paused" ? "Resume live numbers" : "Pause live numbers", key: "p", act: () => live.click() });
  const keys = document.querySelector("[data-keys]");
  if (keys && !keys.hidden) found.push({ group: "Actions", name: "Keyboard shortcuts", key: "?", act: () => keys.click() });
  return found;
}

function search() {
  const text = input.value.trim(), words = text.toLowerCase().split(/\s+/);
  const matching = commands().filter(({ name, group }) => words.every((word) => `${group} ${name}`.toLowerCase().includes(word)));
  draw(matching, text);
  clearTimeout(timer);
  if (text) timer = setTimeout(() => findDomains(matching, text), DELAY);
}

async function findDomains(matching, text) {
  const number = ++asked;
  const response = await fetch(`/palette?${new URLSearchParams({ q: text })}`, { headers: { "HX-Request": "true" } }).catch(() => null);
  if (!response?.ok || number !== asked || input.value.trim() !== text) return;
  const page = new DOMParser().parseFromString(await response.text(), "text/html");
  const domains = [...page.querySelectorAll("a")].map((link) => ({ group: "Domains", name: link.querySelector("b").textContent, note: link.querySelector("span").textContent, href: link.getAttribute("href") }));
  draw([...matching, ...domains], text);
}

// ---- drawing

function draw(found, text) {
  const before = options[active]?.name;
  options = text ? [...found, { group: found.length ? "Search" : "No command", name: `Search domains for “${text}”`, href: `/domains?${new URLSearchParams({ q: text })}` }] : found;
  let group = "";
  list.replaceChildren();
  options.forEach((option, place) => {
    if (option.group !== group) list.append(make("li", { class: "palette-group", role: "presentation" }, (group = option.group)));
    const item = make("li", { role: "option", id: `palette-${place}`, "data-place": place });
    item.append(make("span", { class: "palette-name" }, option.name));
    if (option.note) item.append(make("span", { class: "palette-note" }, option.note));
    if (option.key) item.append(make("kbd", {}, option.key));
    list.append(item);
  });
  const kept = options.findIndex(({ name }) => name === before);
  choose(text && kept > 0 && active ? kept : 0);
  status.textContent = found.length ? `${found.length} found` : "No command";
}

function choose(place, scroll = true) {
  active = Math.max(0, Math.min(place, options.length - 1));
  for (const option of list.querySelectorAll("[role=option]")) option.setAttribute("aria-selected", String(Number(option.dataset.place) === active));
  input.setAttribute("aria-activedescendant", `palette-${active}`);
  if (scroll) document.getElementById(`palette-${active}`)?.scrollIntoView({ block: "nearest" });
}

// ---- acting

function press(event) {
  const last = options.length - 1;
  const places = { ArrowDown: active === last ? 0 : active + 1, ArrowUp: active === 0 ? last : active - 1, PageDown: Math.min(active + 8, last), PageUp: Math.max(active - 8, 0) };
  if (event.key in places) choose(places[event.key]);
  else if (event.key === "Enter" && options[active]) run(options[active], event);
  else return;
  event.preventDefault();
}

function run(option, event) {
  if (option.href && (event.ctrlKey || event.metaKey)) return window.open(option.href);
  dialog.close();
  if (option.href) location.assign(option.href);
  else option.act();
}
