// Charts as one picture: below each other, each under its heading, on the page's own colours.

/** Height of a heading [px]. */
const HEAD = 18;

/** A PNG of all charts; null where there is none. */
export async function stacked(figures: readonly HTMLElement[]): Promise<Blob | null> {
  const parts = figures.flatMap((figure) => {
    const canvas = figure.querySelector("canvas");
    const names = [...(figure.getAttribute("aria-label") ?? "").matchAll(/Chart of (.*)/g)];
    const unit = /\[.*\]/.exec(figure.querySelector("figcaption")?.textContent ?? "")?.[0] ?? "";
    return canvas ? [{ canvas, title: `${names[0]?.[1] ?? ""} ${unit}` }] : [];
  });
  const [first] = parts;
  if (!first) return null;
  const ratio = devicePixelRatio || 1;
  const sheet = document.createElement("canvas");
  sheet.width = Math.max(...parts.map(({ canvas }) => canvas.width));
  sheet.height = parts.reduce((sum, { canvas }) => sum + canvas.height + HEAD * ratio, 0);
  const pen = sheet.getContext("2d")!;
  const style = getComputedStyle(first.canvas);
  pen.fillStyle = style.getPropertyValue("--surface") || "#fff";
  pen.fillRect(0, 0, sheet.width, sheet.height);
  let top = 0;
  for (const { canvas, title } of parts) {
    pen.fillStyle = style.getPropertyValue("--text") || "#000";
    pen.font = `${12 * ratio}px ${style.getPropertyValue("--font") || "sans-serif"}`;
    pen.fillText(title, 8 * ratio, top + 13 * ratio);
    pen.drawImage(canvas, 0, top + HEAD * ratio);
    top += canvas.height + HEAD * ratio;
  }
  return new Promise((resolve) => sheet.toBlob(resolve));
}
