// The frame: the theme, the menu of narrow screens, keys that lead somewhere, and the way into the palette.
const THEMES = ["system", "light", "dark"];
const AFTER_G = 1_200;
let wentAt = 0;

export function startFrame() {
  const button = document.querySelector("[data-theme-button]");
  if (button) {
    button.hidden = false;
    show(button);
    button.addEventListener("click", () => changeTheme(button));
  }
  startMenu();
  openLastViews();
  const tab = document.querySelector(".tabs [aria-current]");
  if (tab) tab.parentElement.scrollLeft = tab.offsetLeft - 80;
  const palette = document.querySelector("[data-palette]");
  if (palette) {
    palette.hidden = false;
    palette.addEventListener("click", openPalette);
    document.addEventListener("keydown", pressKey);
  }
  document.querySelector("[data-keys]")?.addEventListener("click", () => document.dispatchEvent(new CustomEvent("open-keys")));
}

// A list opens as it was left; the link of the list that is open leads to its first view.
function openLastViews() {
  for (const link of document.querySelectorAll("#rail-nav a[data-entity]:not([aria-current])")) {
    const view = localStorage.getItem(`view:${link.pathname}`);
    if (view !== null) link.search = view;
  }
}

function startMenu() {
  const rail = document.getElementById("rail"), menu = document.querySelector(".menu-button");
  const set = (open) => {
    menu.setAttribute("aria-expanded", String(open));
    rail.classList.toggle("open", open);
  };
  menu?.addEventListener("click", () => set(!rail.classList.contains("open")));
  rail?.addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || !rail.classList.contains("open")) return;
    set(false);
    menu.focus();
  });
}

// ---- keys

function pressKey(event) {
  if ((event.ctrlKey || event.metaKey) && !event.altKey && event.key.toLowerCase() === "k") {
    event.preventDefault();
    return openPalette();
  }
  if (event.ctrlKey || event.metaKey || event.altKey || localStorage.getItem("letter-keys") === "false") return;
  if (event.target.closest("input:not([type=checkbox], [type=radio]), select, textarea, dialog, [contenteditable]")) return;
  if (Date.now() - wentAt < AFTER_G) {
    wentAt = 0;
    const link = document.querySelector(`#rail-nav [data-key="${CSS.escape(event.key)}"]`);
    if (link) {
      event.preventDefault();
      event.stopImmediatePropagation();
      link.click();
    }
  } else if (event.key === "g") wentAt = Date.now();
  else if (event.key === "T") changeTheme();
}

async function openPalette() {
  const { showPalette } = await import("./palette.js");
  showPalette();
}

// ---- the theme

export function changeTheme(button = document.querySelector("[data-theme-button]")) {
  const next = THEMES[(THEMES.indexOf(current()) + 1) % THEMES.length];
  if (next === "system") {
    localStorage.removeItem("theme");
    delete document.documentElement.dataset.theme;
  } else {
    localStorage.setItem("theme", next);
    document.documentElement.dataset.theme = next;
  }
  show(button);
}

function current() {
  return document.documentElement.dataset.theme ?? "system";
}

function show(button) {
  const icons = { system: "monitor", light: "sun", dark: "moon" };
  button.title = `Theme: ${current()} (T)`;
  button.setAttribute("aria-label", `Theme: ${current()}. Change theme`);
  button.querySelector("use").setAttribute("href", `${document.body.dataset.icons}#${icons[current()]}`);
}
