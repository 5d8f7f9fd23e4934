// A picture becomes the mechanism itself when it is pressed; those marked with data-opens do so at
// once on large screens. Browsers draw few such views at a time, so the oldest one becomes its
// picture again.
const MOST = 6;
const frames = [];

function open(button) {
  const frame = document.createElement("iframe");
  frame.src = button.dataset.page;
  frame.title = button.dataset.title;
  button.replaceWith(frame);
  frames.push({ frame, button });
  if (frames.length > MOST) {
    const oldest = frames.shift();
    oldest.frame.replaceWith(oldest.button);
  }
  return frame;
}

for (const button of document.querySelectorAll(".live button"))
  button.addEventListener("click", () => open(button).focus());

addEventListener("load", () => {
  if (matchMedia("(min-width: 60em)").matches)
    document.querySelectorAll(".live button[data-opens]").forEach(open);
});

// The wheel zooms a mechanism, but whoever scrolls past one means the page.
let waiting = 0;
addEventListener("scroll", () => {
  document.body.classList.add("scrolls");
  clearTimeout(waiting);
  waiting = setTimeout(() => document.body.classList.remove("scrolls"), 400);
});
