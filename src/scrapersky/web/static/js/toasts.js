// Messages at the edge of the page. Text is set as text, never as HTML.
const LIFETIME = 10_000;

export function startToasts() {
  const box = document.getElementById("toasts");
  if (!box) return;
  box.addEventListener("click", (event) => {
    if (event.target.closest("[data-dismiss]")) event.target.closest("[data-toast]")?.remove();
  });
  new MutationObserver(() => box.querySelectorAll("[data-toast]:not([data-timed])").forEach(keep)).observe(box, {
    childList: true,
  });
  box.querySelectorAll("[data-toast]").forEach(keep);
}

export function toast(message, tone = "") {
  const box = document.getElementById("toasts");
  const item = document.createElement("div");
  item.className = `toast ${tone}`;
  item.dataset.toast = "";
  item.append(message);
  box.append(item);
}

// A message goes after ten seconds, but not while somebody points at it or stands in it.
function keep(item) {
  item.dataset.timed = "";
  let timer = setTimeout(() => item.remove(), LIFETIME);
  const hold = () => clearTimeout(timer);
  const release = () => {
    clearTimeout(timer);
    timer = setTimeout(() => item.remove(), LIFETIME);
  };
  item.addEventListener("pointerenter", hold);
  item.addEventListener("pointerleave", release);
  item.addEventListener("focusin", hold);
  item.addEventListener("focusout", release);
}
