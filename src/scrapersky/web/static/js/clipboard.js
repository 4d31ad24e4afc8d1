// Buttons that copy: data-copy holds the text itself, data-picture stands in the chart that is copied.
import { toast } from "./toasts.js";

export function startCopying() {
  document.addEventListener("click", async (event) => {
    const button = event.target.closest("[data-copy], [data-picture]");
    if (!button) return;
    if ("copy" in button.dataset) return copyText(button.dataset.copy);
    const { copyPicture } = await import("./picture.js");
    copyPicture(button);
  });
}

export async function copyText(text) {
  try {
    await navigator.clipboard.writeText(text);
    toast("Copied");
  } catch {
    toast("The browser refused to copy", "bad");
  }
}
