// Jobs and operations that move: numbers and bars follow the events, and the page is read again at the end.
const ENDED = ["complete", "failed", "cancelled", "undone"];

function set(box, name, text) {
  const element = box.querySelector(`[data-job-${name}]`);
  if (element && text !== null && text !== undefined) element.textContent = text;
}

function showJob(box, job) {
  const bar = box.querySelector("[data-job-bar]");
  if (bar) bar.value = job.progress_percent;
  set(box, "percent", `${job.progress_percent} %`);
  set(box, "message", job.progress_message);
  const pill = box.querySelector("[data-job-status] .pill");
  if (pill && pill.lastChild && pill.textContent.trim() !== job.status) pill.lastChild.textContent = job.status;
}

// A row of a list keeps its place; only the page of one job is read again.
function refresh(box, status) {
  if (box.hasAttribute("hx-get") && (ENDED.includes(status) || box.dataset.status !== status)) {
    box.dataset.status = status;
    box.dispatchEvent(new CustomEvent("refresh"));
  }
}

document.addEventListener("live:job", ({ detail }) => {
  for (const box of document.querySelectorAll(`[data-job="${CSS.escape(String(detail.id))}"]`)) {
    showJob(box, detail);
    refresh(box, detail.status);
  }
});

document.addEventListener("live:operation", ({ detail }) => {
  for (const box of document.querySelectorAll(`[data-operation="${CSS.escape(String(detail.id))}"]`)) {
    const bar = box.querySelector("[data-operation-bar]");
    if (bar && detail.matched) bar.value = Math.round((100 * detail.changed) / detail.matched);
    const changed = box.querySelector("[data-operation-changed]");
    if (changed) changed.textContent = detail.changed.toLocaleString("en").replaceAll(",", "\u202f");
    refresh(box, detail.status);
  }
});

// The box in the head picks or leaves every row of the page.
document.addEventListener("change", ({ target }) => {
  if (!target.matches("[data-pick-all]")) return;
  for (const box of target.form.querySelectorAll('input[name="pick"]')) box.checked = target.checked;
});
