// Files that were dropped or chosen: single ones, or all of a folder with their paths in it.

export interface FoundFile {
  /** Below the folder, with '/'. */
  path: string;
  file: File;
}

export interface FoundFiles {
  /** The folder's name; '' for files without one. */
  folder: string;
  files: FoundFile[];
}

/** A folder of more files is not that of a robot. */
export const MOST_FILES = 20_000;
const SKIPPED = /^(\.|node_modules$|__pycache__$)/;

/** What was dropped. The browser shows it while the event lasts only: nothing is awaited before. */
export function droppedFiles(data: DataTransfer): Promise<FoundFiles> {
  const items = [...data.items].filter((item) => item.kind === "file");
  const entries = items.map((item) => item.webkitGetAsEntry?.() ?? null);
  const files = items.map((item) => item.getAsFile());
  return collect(entries, files);
}

async function collect(
  entries: (FileSystemEntry | null)[],
  plain: (File | null)[],
): Promise<FoundFiles> {
  const files: FoundFile[] = [];
  const [only] = entries;
  if (entries.length === 1 && only?.isDirectory) {
    await walk(only as FileSystemDirectoryEntry, "", files);
    return { folder: only.name, files };
  }
  for (const [i, entry] of entries.entries()) {
    if (entry?.isDirectory) await walk(entry as FileSystemDirectoryEntry, `${entry.name}/`, files);
    else if (plain[i]) add(files, plain[i].name, plain[i]);
  }
  return { folder: "", files };
}

async function walk(
  folder: FileSystemDirectoryEntry,
  path: string,
  files: FoundFile[],
): Promise<void> {
  const reader = folder.createReader();
  // it gives some at a time, and none at the end
  for (;;) {
    const entries = await new Promise<FileSystemEntry[]>((resolve, reject) =>
      reader.readEntries(resolve, reject),
    );
    if (!entries.length) return;
    for (const entry of entries) {
      if (SKIPPED.test(entry.name)) continue;
      if (entry.isDirectory)
        await walk(entry as FileSystemDirectoryEntry, `${path}${entry.name}/`, files);
      else {
        const file = await new Promise<File>((resolve, reject) =>
          (entry as FileSystemFileEntry).file(resolve, reject),
        );
        add(files, path + entry.name, file);
      }
    }
  }
}

/** Files of an input: of a folder, they have their paths with the folder's name first. */
export function listedFiles(list: Iterable<File>): FoundFiles {
  const files: FoundFile[] = [];
  let folder = "";
  for (const file of list) {
    const [first = "", ...rest] = file.webkitRelativePath.split("/");
    if (!rest.length) add(files, file.name, file);
    else if (!rest.some((part) => SKIPPED.test(part))) {
      folder = first;
      add(files, rest.join("/"), file);
    }
  }
  return { folder, files };
}

/** Lets the user choose files, or a folder with all that is in it; null when nothing was. */
export function chooseFiles(kind: "files" | "folder", accept = ""): Promise<FoundFiles | null> {
  return new Promise((resolve) => {
    const input = document.createElement("input");
    input.type = "file";
    input.multiple = true;
    if (kind === "folder") input.webkitdirectory = true;
    else input.accept = accept;
    input.addEventListener("change", () => resolve(listedFiles(input.files ?? [])));
    input.addEventListener("cancel", () => resolve(null));
    input.click();
  });
}

function add(files: FoundFile[], path: string, file: File): void {
  if (files.length >= MOST_FILES)
    throw new Error(`the folder has more than ${MOST_FILES} files: drop the folder of one robot`);
  files.push({ path, file });
}
