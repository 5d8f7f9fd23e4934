// What can be done with objects: bring a mesh into the project, let the mechanism take one.
import type { App } from "../state/app.svelte.ts";

interface GraspAnswer {
  /** Closed poses on the way. */
  path?: number[][];
  q?: number[];
  text?: string;
  reason?: string;
}

/** Asks the studio for a short way to an object and follows it. */
export async function grasp(app: App, object: string): Promise<void> {
  const { studio } = app;
  const answer = await app.ask(
    "Planning the grasp",
    studio.analyse<GraspAnswer>("grasp", { object }),
  );
  if (!answer) return;
  const poses = (answer.path ?? (answer.q ? [answer.q] : [])).map((q) => Float64Array.from(q));
  if (poses.length) studio.follow([studio.q, ...poses], "set", `grasp ${object}`);
  const words = answer.text ?? answer.reason;
  if (words) app.toasts.say(words);
}

/** Puts a mesh file into the project folder; its path there. */
export async function uploadMesh(file: File): Promise<string> {
  const name = file.name.replace(/[^\w.-]+/g, "-");
  const response = await fetch(`upload?file=${encodeURIComponent(name)}`, {
    method: "POST",
    body: file,
  });
  const text = await response.text();
  if (!response.ok) throw new Error(text || `${file.name} was not taken (${response.status})`);
  return (JSON.parse(text) as { file: string }).file;
}
