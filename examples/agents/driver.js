// A driver in JavaScript: lines of JSON in, lines of JSON out.
const lines = require("node:readline").createInterface({ input: process.stdin });
const wheels = ["front_left", "front_right", "rear_left", "rear_right"];

lines.on("line", (line) => {
  const asked = JSON.parse(line);
  if (asked.type === "end") process.exit(0);
  if (asked.type !== "step") return;
  const distance = asked.signals["nose.distance"];
  const speed = distance === null || distance > 0.4 ? 8 : 0;
  const command = Object.fromEntries(wheels.map((wheel) => [`cart.wheel_${wheel}`, speed]));
  console.log(JSON.stringify({ step: asked.step, command }));
});
