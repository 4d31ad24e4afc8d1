// The overview: the chart of the throughput, the period by key, and numbers that follow the live events.
const figures = document.getElementById("figures");
const REFRESH_EVERY = 5_000;
let chart, refreshed = 0;
// Hours of the day without a.m. and p.m.; a new day shows its date below.
const AXIS_TIMES = [
  [86_400, "{D} {MMM}", null, null, null, null, null, null, 1],
  [60, "{HH}:{mm}", "\n{D} {MMM}", null, "\n{D} {MMM}", null, null, null, 1],
];

if (figures) start();

function start() {
  drawChart();
  new MutationObserver(drawChart).observe(document.documentElement, { attributeFilter: ["data-theme"] });
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", drawChart);
  new ResizeObserver(resize).observe(document.getElementById("throughput"));
  document.addEventListener("htmx:after:swap", updateChart);
  document.addEventListener("live:counts", (event) => showCounts(event.detail));
  for (const name of ["reset", "alert", "operation"]) document.addEventListener(`live:${name}`, refresh);
  document.addEventListener("keydown", choosePeriod);
  const filter = document.querySelector("[data-search-filter]");
  filter?.querySelector("button").setAttribute("hidden", "");
  filter?.addEventListener("change", () => filter.submit());
}

function group(number) {
  return number.toLocaleString("en", { maximumFractionDigits: 1 }).replaceAll(",", "\u202f");
}

// ---- the chart

function readData() {
  const data = JSON.parse(document.getElementById("throughput-data").textContent);
  return [data.times, data.done, data.failed];
}

function drawChart() {
  const box = document.getElementById("throughput-plot");
  if (!window.uPlot || !box) return;
  chart?.destroy();
  const style = getComputedStyle(document.documentElement);
  const colour = (name) => resolveColour(style.getPropertyValue(name));
  const grid = { stroke: colour("--line"), width: 1 };
  const axis = { stroke: colour("--ink-2"), font: "12px Inter, system-ui, sans-serif", ticks: { show: false } };
  const series = (label, name, fill) => ({ label, stroke: colour(name), width: 1.5, fill, points: { show: false }, value: (_, value) => (value == null ? "–" : group(value)) });
  box.hidden = false;
  const options = {
    width: box.clientWidth, height: 170, cursor: { y: false, points: { size: 7 } }, legend: { live: true },
    scales: { y: { range: (_, _low, high) => [0, Math.max(1, high * 1.1)] } },
    axes: [{ ...axis, grid: { show: false }, values: AXIS_TIMES }, { ...axis, grid, size: 46, values: (_, marks) => marks.map(group) }],
    series: [{ value: "{DD} {MMM} {HH}:{mm}" }, series("done", "--accent", `color-mix(in srgb, ${colour("--accent")} 14%, transparent)`), series("failed", "--bad")],
  };
  chart = new uPlot(options, readData(), box);
}

// Canvas does not know every colour that style sheets know.
function resolveColour(value) {
  const probe = document.createElement("span");
  probe.style.color = value.trim();
  document.body.append(probe);
  const colour = getComputedStyle(probe).color;
  probe.remove();
  return colour;
}

function resize() {
  const box = document.getElementById("throughput-plot");
  if (chart && box?.clientWidth) chart.setSize({ width: box.clientWidth, height: 170 });
}

// There is no chart while nothing was processed in the period.
function updateChart() {
  if (!document.getElementById("throughput-plot")) {
    chart?.destroy();
    chart = undefined;
  } else if (chart) chart.setData(readData());
  else drawChart();
}

// ---- live numbers

function showCounts(detail) {
  for (const cell of figures.querySelectorAll("[data-stage]")) {
    const number = detail.stages?.[cell.dataset.stage]?.[cell.dataset.count];
    if (number !== undefined) cell.textContent = group(number);
  }
  refresh();
}

// Not while somebody reads a table or marks text.
function refresh() {
  if (Date.now() - refreshed < REFRESH_EVERY || figures.querySelector("details[open]") || !document.getSelection().isCollapsed) return;
  refreshed = Date.now();
  figures.dispatchEvent(new CustomEvent("refresh"));
}

// ---- keys

function choosePeriod(event) {
  if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest("input, select, textarea, dialog")) return;
  if (localStorage.getItem("letter-keys") !== "false") document.querySelector(`[data-period="${CSS.escape(event.key)}"]`)?.click();
}
