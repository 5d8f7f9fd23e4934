import { expect, it } from "vitest";
import { uploadFolder, type UploadHost } from "../../src/store/folder-upload.ts";
import { Cancelled } from "../../src/wire/answers.ts";

const work = <T>(value: T) => ({ promise: Promise.resolve(value), cancel: () => undefined });
const files = ["a.urdf", "b.stl", "c.md"].map((path) => ({ path, file: new Blob(["1234"]) }));

function host(): UploadHost & { ended: string[] } {
  const ended: string[] = [];
  return {
    ended,
    startUpload: (_, list) =>
      work({
        key: "k",
        wanted: list.slice(0, 2).map((one) => one.path),
        passed_over: [],
        others: 1,
      }),
    finishUpload: (key) => {
      ended.push(`finish ${key}`);
      return work({ folder: "arm", robots: [] });
    },
    cancelUpload: (key) => {
      ended.push(`cancel ${key}`);
      return Promise.resolve();
    },
  };
}

it("sends what is wanted and reports what was refused", async () => {
  const studio = host();
  const sent: string[] = [];
  const shares: number[] = [];
  const send = async (_: string, path: string): Promise<string | null> => {
    sent.push(path);
    return path === "b.stl" ? "no mesh" : null;
  };
  const stop = new AbortController().signal;
  const done = await uploadFolder(studio, "arm", files, (share) => shares.push(share), stop, send);
  expect(sent.sort()).toEqual(["a.urdf", "b.stl"]);
  expect(shares).toEqual([0.5, 1]);
  expect(done.passedOver).toEqual([{ path: "b.stl", reason: "no mesh" }]);
  expect(studio.ended).toEqual(["finish k"]);
});

it("is forgotten by the studio when it is stopped or fails", async () => {
  const stop = new AbortController();
  const stopped = host();
  const never = () =>
    new Promise<null>((_, reject) => {
      stop.signal.addEventListener("abort", () => reject(new Error("aborted")));
    });
  const upload = uploadFolder(stopped, "arm", files, () => undefined, stop.signal, never);
  setTimeout(() => stop.abort());
  await expect(upload).rejects.toBeInstanceOf(Cancelled);
  expect(stopped.ended).toEqual(["cancel k"]);
  const broken = host();
  const fails = () => Promise.reject(new Error("no connection"));
  const signal = new AbortController().signal;
  await expect(uploadFolder(broken, "arm", files, () => undefined, signal, fails)).rejects.toThrow(
    "no connection",
  );
  expect(broken.ended).toEqual(["cancel k"]);
});
