// A folder on its way into the studio's project: which files it takes, then one after the other.
import type { PassedOver, Uploaded, UploadPlan } from "../wire/messages.ts";
import { Cancelled } from "../wire/answers.ts";
import type { Work } from "./requests.ts";

/** Files on their way at the same time. */
const AT_ONCE = 4;

export interface FolderFile {
  /** Below the folder, with '/'. */
  path: string;
  file: Blob;
}

export interface UploadHost {
  startUpload(name: string, files: { path: string; size: number }[]): Work<UploadPlan>;
  finishUpload(key: string): Work<Uploaded>;
  cancelUpload(key: string): Promise<void>;
}

export interface FolderUploaded extends Uploaded {
  /** Parts of the robot that were not taken, each with the reason. */
  passedOver: PassedOver[];
}

/**
 * Brings a folder to the studio.
 * @param onShare How much of it is there, 0 … 1.
 * @param send Sends one file; another one for tests.
 */
export async function uploadFolder(
  studio: UploadHost,
  name: string,
  files: readonly FolderFile[],
  onShare: (share: number) => void,
  stop: AbortSignal,
  send: typeof sendFile = sendFile,
): Promise<FolderUploaded> {
  const sizes = files.map(({ path, file }) => ({ path, size: file.size }));
  const { key, wanted, passed_over: passedOver } = await studio.startUpload(name, sizes).promise;
  const contents = new Map(files.map(({ path, file }) => [path, file]));
  const total = wanted.reduce((sum, path) => sum + (contents.get(path)?.size ?? 0), 0);
  const waiting = [...wanted];
  let sent = 0;
  const work = async (): Promise<void> => {
    for (let path = waiting.shift(); path !== undefined; path = waiting.shift()) {
      const content = contents.get(path);
      if (!content) continue;
      const reason = await send(key, path, content, stop);
      // one bad mesh does not keep the robot out
      if (reason !== null) passedOver.push({ path, reason });
      sent += content.size;
      onShare(total ? sent / total : 1);
    }
  };
  try {
    await Promise.all(Array.from({ length: AT_ONCE }, work));
    stop.throwIfAborted();
    return { ...(await studio.finishUpload(key).promise), passedOver };
  } catch (error) {
    await studio.cancelUpload(key).catch(() => undefined);
    throw stop.aborted ? new Cancelled() : error;
  }
}

/** Sends a file of an upload; why the studio did not take it, null when it did. */
async function sendFile(
  key: string,
  path: string,
  content: Blob,
  signal: AbortSignal,
): Promise<string | null> {
  const query = new URLSearchParams({ upload: key, file: path });
  const answer = await fetch(`upload?${query}`, { method: "POST", body: content, signal });
  if (answer.ok) return null;
  const words = (await answer.text()) || `refused (${answer.status})`;
  if (answer.status === 400 || answer.status === 413) return words;
  throw new Error(words);
}
