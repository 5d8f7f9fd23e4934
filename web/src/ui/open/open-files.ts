// Opens what was dropped or chosen: a robot file, a folder with its meshes, a mesh alone.
import type {
  ChoiceHost,
  ConnectionHost,
  ModelHost,
  NoticeHost,
  RequestHost,
  SimulationHost,
} from "../../store/hosts.ts";
import { type FolderUploaded, uploadFolder } from "../../store/folder-upload.ts";
import type { RobotFile } from "../../wire/messages.ts";
import { addMeshObject } from "../scene/objects/actions.ts";
import type { AppOf } from "../state/app.svelte.ts";
import type { FoundFile, FoundFiles } from "./found-files.ts";
import { isLog, openLog } from "./log-file.ts";
import { LARGEST_TEXT } from "../../wire/limits.ts";

type Opening = ModelHost & ChoiceHost & ConnectionHost & SimulationHost & RequestHost;

const MESH = /\.(stl|obj|ply|dae|gltf|glb)$/i;
const ARCHIVE = /\.(zip|tar|gz|tgz|7z|rar|xz|bz2)$/i;

/** Opens files; says what is wrong with them, and what is missing. */
export async function openFiles(
  app: AppOf<Opening & NoticeHost>,
  found: FoundFiles,
): Promise<void> {
  if (app.studio.refuseIfWatching()) return;
  const [first] = found.files;
  if (!first) {
    app.toasts.say("The dropped item contains no files", "warning");
    return;
  }
  app.openFailure = null;
  if (found.folder === "" && found.files.length === 1) await openSingle(app, first);
  else await openFolder(app, found);
}

async function openSingle(app: AppOf<Opening>, found: FoundFile): Promise<void> {
  const { file } = found;
  if (MESH.test(file.name)) return addMeshObject(app, file);
  if (await isLog(file)) {
    await open(app, file.name, () => openLog(app, file));
    return;
  }
  if (ARCHIVE.test(file.name))
    return fail(app, file.name, "it is an archive: unpack it and drop the folder inside");
  if (file.size > LARGEST_TEXT) {
    const size = `${(file.size / 2 ** 20).toFixed(0)} MB`;
    return fail(
      app,
      file.name,
      `it has ${size}; a robot file has at most ${LARGEST_TEXT / 2 ** 20} MB`,
    );
  }
  const text = await file.text();
  app.lastFile = { name: file.name, text };
  await open(app, file.name, () => app.studio.open("text", text, null, file.name));
}

async function openFolder(
  app: AppOf<ModelHost & ConnectionHost & RequestHost>,
  found: FoundFiles,
): Promise<void> {
  const { name, files } = completed(app, found);
  const stop = new AbortController();
  const upload = uploadFolder(
    app.studio,
    name,
    files,
    (share) => app.toasts.progress(share, `Uploading ${name}`),
    stop.signal,
  );
  let uploaded: FolderUploaded | null = null;
  const done = upload.then(
    (result) => (uploaded = result),
    (error: unknown) => {
      // what was called off needs no words
      if (!stop.signal.aborted) fail(app, name, words(error));
    },
  );
  await app.toasts.run(`Uploading ${name}`, done, () => stop.abort());
  if (uploaded === null) return;
  const { robots, passedOver } = uploaded as FolderUploaded;
  app.passedOver = passedOver;
  const likely = robots.filter((robot) => robot.likely);
  if (likely.length === 1) await openRobot(app, likely[0]);
  else {
    app.robots = robots;
    app.dialog = "robots";
  }
}

/** Opens a robot file of the project folder. */
export function openRobot(app: AppOf<RequestHost>, robot: RobotFile): Promise<boolean> {
  return open(app, robot.file, () => app.studio.open("file", robot.file));
}

/** What is uploaded: meshes alone belong to the file that was opened before and lacks them. */
function completed(
  app: AppOf<ModelHost & ConnectionHost>,
  found: FoundFiles,
): { name: string; files: FoundFile[] } {
  const suffixes = [...(app.studio.welcome?.suffixes ?? []), ".raff"];
  const isRobot = ({ path }: FoundFile): boolean =>
    suffixes.some((suffix) => path.toLowerCase().endsWith(suffix));
  const robot = found.files.find(isRobot);
  const stem = (path: string): string => path.replace(/^.*\//, "").replace(/\.[^.]*$/, "");
  const { lastFile } = app;
  const lacks = app.studio.snapshot?.imported?.missing_meshes ?? 0;
  if (robot || !lastFile || !lacks)
    return { name: found.folder || (robot ? stem(robot.path) : "robot"), files: found.files };
  // paths such as ../meshes/arm.stl start beside the folder of the file
  const place = lastFile.text.includes('"../') ? `urdf/${lastFile.name}` : lastFile.name;
  const own = { path: place, file: new File([lastFile.text], lastFile.name) };
  const inner = found.folder ? `${found.folder}/` : "";
  return {
    name: stem(lastFile.name),
    files: [own, ...found.files.map(({ path, file }) => ({ path: inner + path, file }))],
  };
}

async function open(app: AppOf, file: string, work: () => Promise<void>): Promise<boolean> {
  const opening = work().then(
    () => true,
    (error: unknown) => {
      fail(app, file, words(error));
      return false;
    },
  );
  return (await app.toasts.run(`Opening ${file}`, opening)) === true;
}

function fail(app: AppOf, file: string, message: string): void {
  app.openFailure = { file, message };
  app.dialog = "failure";
}

function words(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
