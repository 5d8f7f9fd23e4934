// Files that an exported page carries in itself: found by the address at which a studio has them.

const files = new Map<string, Blob>();
let isAlone = false;

/** Where the studio serves the files of the project folder. */
export function fileUrl(file: string): string {
  const path = file.split("/").map(encodeURIComponent).join("/");
  return new URL(`files/${path}`, document.baseURI).href;
}

/** Makes files part of this page, which has no others then. */
export function embed(carried: ReadonlyMap<string, ArrayBuffer>): void {
  isAlone = true;
  for (const [file, data] of carried) files.set(fileUrl(file), new Blob([data]));
}

/** A file of a studio or of this page. */
export async function fetchFile(address: string): Promise<Response> {
  const own = files.get(address);
  if (own) return new Response(own, { headers: { "content-length": String(own.size) } });
  return isAlone ? new Response(null, { status: 404 }) : fetch(address);
}

/** The address at which a loader of three.js finds a file. */
export function loaderUrl(address: string): string {
  const own = files.get(address);
  return own ? URL.createObjectURL(own) : address;
}
