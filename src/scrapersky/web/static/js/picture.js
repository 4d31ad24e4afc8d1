// A chart as a picture: it is drawn once more with the styles that it has, at twice its size, for the clipboard.
import { toast } from "./toasts.js";

const SCALE = 2;

export async function copyPicture(button) {
  const picture = takePicture(button.closest("figure").parentElement);
  try {
    await navigator.clipboard.write([new ClipboardItem({ "image/png": picture })]);
    toast("Picture copied");
  } catch {
    save(await picture);
    toast("The browser refused to copy; the picture is saved as a file");
  }
}

// The box of the chart with its heading, without what is only there for the hand.
async function takePicture(box) {
  const foot = box.querySelector(".chart-foot"), { width, height } = box.getBoundingClientRect();
  const copy = box.cloneNode(true), high = Math.ceil(height - foot.offsetHeight);
  copyLooks(box, copy);
  copy.querySelector("figure").style.height = "auto";
  Object.assign(copy.style, { margin: "0", border: "0", borderRadius: "0", boxShadow: "none" });
  for (const each of copy.querySelectorAll(".chart-foot, script, [hidden]")) each.remove();
  const page = getComputedStyle(document.body).backgroundColor;
  const html = `<foreignObject width="100%" height="100%">${new XMLSerializer().serializeToString(copy)}</foreignObject>`;
  const image = new Image();
  const head = `<svg xmlns="http://www.w3.org/2000/svg" width="${Math.ceil(width)}" height="${high}"><style>${await readFont()}</style>`;
  image.src = `data:image/svg+xml,${encodeURIComponent(`${head}${html}</svg>`)}`;
  await image.decode();
  const canvas = document.createElement("canvas");
  canvas.width = SCALE * image.width;
  canvas.height = SCALE * image.height;
  const context = canvas.getContext("2d");
  context.fillStyle = page;
  context.fillRect(0, 0, canvas.width, canvas.height);
  context.drawImage(image, 0, 0, canvas.width, canvas.height);
  return new Promise((resolve) => canvas.toBlob(resolve, "image/png"));
}

// A picture cannot ask for a file, so the font stands in it.
async function readFont() {
  const font = await fetch(document.querySelector("link[as=font]").href);
  const reader = new FileReader();
  reader.readAsDataURL(await font.blob());
  await new Promise((resolve) => reader.addEventListener("load", resolve));
  return `@font-face { font-family: Inter; font-weight: 100 900; src: url("data:font/woff2;base64,${reader.result.split(",")[1]}"); }`;
}

// A picture knows no style sheet, and of a canvas only what is drawn on it.
function copyLooks(from, to) {
  const style = getComputedStyle(from);
  // Every logical length is there as one of left, right, top or bottom too, which the box overrides.
  for (const name of style) if (!/inline|block/.test(name)) to.style.setProperty(name, style.getPropertyValue(name));
  [...from.children].forEach((child, place) => copyLooks(child, to.children[place]));
  if (from.tagName !== "CANVAS") return;
  const drawn = new Image();
  drawn.src = from.toDataURL();
  drawn.style.cssText = to.style.cssText;
  to.replaceWith(drawn);
}

function save(picture) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(picture);
  link.download = "chart.png";
  link.click();
  URL.revokeObjectURL(link.href);
}
