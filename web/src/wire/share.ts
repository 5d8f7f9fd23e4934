// A mechanism and its pose in a link: deflated, base64url, behind the #; works from file:// too.
export interface Shared {
  text: string;
  q: number[];
}

/** How the part behind the # begins; the number is the version of what follows. */
const PREFIX = "m1=";
/** Larger texts are not unpacked: a link is not a file. */
const LARGEST = 4 << 20;

/** The part of an address behind the #. */
export async function packShare(shared: Shared): Promise<string> {
  // 12 digits: loops are closed again where the link is opened
  const q = shared.q.map((value) => Number(value.toPrecision(12)));
  const bytes = new TextEncoder().encode(JSON.stringify({ text: shared.text, q }));
  const packed = new Uint8Array(await through(bytes, new CompressionStream("deflate-raw")));
  let binary = "";
  for (const byte of packed) binary += String.fromCharCode(byte);
  const base64 = btoa(binary).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
  return PREFIX + base64;
}

/** The mechanism in the part behind the #; null when there is none or it is damaged. */
export async function unpackShare(hash: string): Promise<Shared | null> {
  const text = hash.startsWith("#") ? hash.slice(1) : hash;
  if (!text.startsWith(PREFIX)) return null;
  try {
    const base64 = text.slice(PREFIX.length).replaceAll("-", "+").replaceAll("_", "/");
    const packed = Uint8Array.from(atob(base64), (one) => one.charCodeAt(0));
    const bytes = await through(packed, new DecompressionStream("deflate-raw"));
    const value: unknown = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
    return isShared(value) ? value : null;
  } catch {
    return null;
  }
}

/** The link to the present page with a mechanism in it. */
export async function shareLink(address: string, shared: Shared): Promise<string> {
  return `${address.split("#")[0]}#${await packShare(shared)}`;
}

function isShared(value: unknown): value is Shared {
  if (typeof value !== "object" || value === null) return false;
  const { text, q } = value as Record<string, unknown>;
  return (
    typeof text === "string" &&
    Array.isArray(q) &&
    q.every((one) => typeof one === "number" && Number.isFinite(one))
  );
}

async function through(
  bytes: Uint8Array<ArrayBuffer>,
  stream: GenericTransformStream,
): Promise<ArrayBuffer> {
  const reader = (
    new Blob([bytes]).stream().pipeThrough(stream) as ReadableStream<Uint8Array<ArrayBuffer>>
  ).getReader();
  const parts: Uint8Array<ArrayBuffer>[] = [];
  let size = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    size += value.length;
    if (size > LARGEST) throw new Error("too large for a link");
    parts.push(value);
  }
  return new Blob(parts).arrayBuffer();
}
