// Look and keys: choices of this browser, kept in localStorage. What is not stored is the first choice.
// theme: "light" or "dark"; density: "compact"; letter-keys: "false".
import { toast } from "./toasts.js";

const FIRST = { theme: "system", density: "comfortable", "letter-keys": "true" };
const form = document.querySelector("[data-look]");

if (form) {
  form.hidden = false;
  for (const [name, first] of Object.entries(FIRST)) {
    const stored = localStorage.getItem(name) ?? first;
    const input = form.querySelector(`input[name="${name}"][value="${CSS.escape(stored)}"]`);
    (input ?? form.querySelector(`input[name="${name}"]`)).checked = true;
  }
  form.addEventListener("change", ({ target }) => {
    if (target.value === FIRST[target.name]) localStorage.removeItem(target.name);
    else localStorage.setItem(target.name, target.value);
    show(target.name, target.value);
    toast("Saved in this browser");
  });
}

function show(name, value) {
  if (name === "letter-keys") return;
  if (value === FIRST[name]) delete document.documentElement.dataset[name];
  else document.documentElement.dataset[name] = value;
}
