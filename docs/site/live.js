// A picture becomes the mechanism itself when it is pressed: six of them at once would be heavy.
for (const button of document.querySelectorAll(".live button")) {
  button.addEventListener("click", () => {
    const frame = document.createElement("iframe");
    frame.src = button.dataset.page;
    frame.title = button.dataset.title;
    button.replaceWith(frame);
    frame.focus();
  });
}
