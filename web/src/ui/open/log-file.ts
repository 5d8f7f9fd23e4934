// Logs of worlds that are dropped or chosen: what they are of, and playing them.
import type { ConnectionHost, ModelHost, RequestHost, SimulationHost } from "../../store/hosts.ts";
import type { AppOf } from "../state/app.svelte.ts";

const MCAP = /\.mcap$/i;
const METADATA = 0x0c;
/** Bytes of a record's head: its kind, and its length. */
const HEAD = 9;
/** Where a table begins. */
const TABLE = "time [s]";

/** Whether a file is a log of a world, by its name and how it begins. */
export async function isLog(file: File): Promise<boolean> {
  if (MCAP.test(file.name)) return true;
  return /\.csv$/i.test(file.name) && (await file.slice(0, 16).text()).startsWith(TABLE);
}

/** What an MCAP log says of its world; only heads of records are read, whatever its size. */
export async function logFacts(file: Blob): Promise<Record<string, string>> {
  let at = 8;
  while (at + HEAD <= file.size) {
    const head = new DataView(await file.slice(at, at + HEAD).arrayBuffer());
    const length = Number(head.getBigUint64(1, true));
    if (head.getUint8(0) === METADATA) {
      const found = metadata(await file.slice(at + HEAD, at + HEAD + length).arrayBuffer());
      if (found.name === "kinegen") return found.facts;
    }
    at += HEAD + length;
  }
  return {};
}

function metadata(buffer: ArrayBuffer): { name: string; facts: Record<string, string> } {
  const view = new DataView(buffer);
  let at = 0;
  const text = (): string => {
    const size = view.getUint32(at, true);
    at += 4 + size;
    return new TextDecoder().decode(new Uint8Array(buffer, at - size, size));
  };
  const name = text();
  const end = at + 4 + view.getUint32(at, true);
  at += 4;
  const facts: Record<string, string> = {};
  while (at < end) {
    const key = text();
    facts[key] = text();
  }
  return { name, facts };
}

/** Uploads a log, opens its world where another is open, and shows its beginning. */
export async function openLog(
  app: AppOf<ModelHost & ConnectionHost & SimulationHost & RequestHost>,
  file: File,
): Promise<void> {
  const { studio } = app;
  const facts = MCAP.test(file.name) ? await logFacts(file) : {};
  const name = file.name.replace(/[^\w.-]+/g, "-");
  const response = await fetch(`upload?file=${encodeURIComponent(name)}`, {
    method: "POST",
    body: file,
  });
  const text = await response.text();
  if (!response.ok) throw new Error(text || `${file.name} was not uploaded (${response.status})`);
  const stored = (JSON.parse(text) as { file: string }).file;
  const { world } = facts;
  if (facts.text && world !== studio.snapshot?.model.name) {
    const library = studio.welcome?.library.some((one) => one.name === world);
    if (library && world) await studio.open("library", world);
    else await studio.open("text", facts.text, null, `${world}.raff`);
  }
  await playLog(app, stored);
}

/** Shows the beginning of a log of the project folder. */
export async function playLog(app: AppOf<SimulationHost>, file: string): Promise<void> {
  const { simulation } = app.studio;
  await simulation.replay(file);
  if (simulation.error) throw new Error(simulation.error);
  if (!app.narrow) app.showRight("forces");
}
