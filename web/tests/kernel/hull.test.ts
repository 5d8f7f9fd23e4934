// Visual hulls in the page compared with Python's: cameras, silhouettes, meshes, frames.
import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { beforeAll, expect, test } from "vitest";
import { cameraRing, levelRing, lookingAt, projection } from "../../src/kernel/hull/cameras.ts";
import { shapeOf } from "../../src/kernel/hull/carver.ts";
import { glbFile, plyFile } from "../../src/kernel/hull/mesh-files.ts";
import { type HullAnswer, type HullQuestion, HullService } from "../../src/kernel/hull/service.ts";
import { type HullWorker, Sculptor } from "../../src/kernel/hull/sculptor.ts";
import { different, opaque } from "../../src/kernel/hull/silhouettes.ts";
import { fromBase64 } from "../../src/kernel/memory.ts";
import { packBody, unpackBody } from "../../src/wire/body-frame.ts";

interface Given {
  wasm: string;
  ring: { name: string; focal: number[]; centre: number[]; pose: number[]; projection: number[] }[];
  background: string;
  picture: string;
  mask: string;
  ball: {
    masks: string;
    volume: number;
    vertices: number[];
    triangles: number[];
    colors: number[];
    body: string;
  };
}

let given: Given;
let module: WebAssembly.Module;
beforeAll(async () => {
  const script = fileURLToPath(new URL("../hull-fixtures.py", import.meta.url));
  const venv = fileURLToPath(new URL("../../../.venv/bin/python", import.meta.url));
  const python = process.env.PYTHON ?? (existsSync(venv) ? venv : "python3");
  given = JSON.parse(execFileSync(python, [script], { encoding: "utf8", maxBuffer: 1 << 28 }));
  module = await WebAssembly.compile(fromBase64(given.wasm));
});

const bytes = (text: string): Uint8Array<ArrayBuffer> => new Uint8Array(fromBase64(text));
const rgba = (rgb: Uint8Array): Uint8Array<ArrayBuffer> =>
  Uint8Array.from({ length: (rgb.length / 3) * 4 }, (_, i) =>
    i % 4 === 3 ? 255 : rgb[3 * (i >> 2) + (i % 4)],
  );

test("a ring of cameras is Python's", () => {
  const ring = cameraRing({
    ...{ target: [0.1, -0.2, 0.3], distance: 3, count: 5, pixels: [48, 36], fieldOfView: 0.9 },
  });
  ring.forEach((camera, i) => {
    const twin = given.ring[i];
    expect(camera.name).toBe(twin.name);
    for (const key of ["focal", "centre", "pose"] as const)
      camera[key].forEach((x, k) => expect(x).toBeCloseTo(twin[key][k], 12));
    projection(camera).forEach((x, k) => expect(x).toBeCloseTo(twin.projection[k], 10));
  });
});

test("a level ring stands at its height and sees its target in the middle", () => {
  const [one] = levelRing({
    ...{ target: [1, 2, 1], distance: 2.5, height: 1.7, count: 3 },
    ...{ pixels: [320, 240], fieldOfView: 0.8 },
  });
  expect(one.pose[11]).toBeCloseTo(1.7, 12);
  const P = projection(one);
  const [u, v, depth] = [0, 1, 2].map((i) => P[4 * i] + 2 * P[4 * i + 1] + P[4 * i + 2] + P[4 * i + 3]); // prettier-ignore
  expect([u / depth, v / depth, depth].map((x) => Number(x.toFixed(9)))).toEqual([160, 120, 2.5]);
  expect(() => levelRing({ target: [0, 0, 0], distance: 1, height: 2, count: 3, pixels: [4, 3], fieldOfView: 1 })).toThrow("less than their distance"); // prettier-ignore
  expect(() => lookingAt("a", [0, 0, 0], [0, 0, 0], [4, 3], 1)).toThrow("at its own target");
});

test("background subtraction is Python's, opacity needs none", () => {
  const [picture, background] = [given.picture, given.background].map((text) => rgba(bytes(text)));
  const mask = new Uint8Array(48 * 36);
  different(picture, background, [48, 36], 40, mask, new Uint8Array(48 * 36));
  expect(mask).toEqual(bytes(given.mask));
  expect(mask.includes(1) && mask.includes(0)).toBe(true);
  picture.fill(0);
  picture[7] = 128;
  opaque(picture, mask);
  expect(Array.from(mask.subarray(0, 3))).toEqual([0, 1, 0]);
});

/** Pictures of the ball: the body opaque in one colour. */
function ballPictures(): Uint8Array<ArrayBuffer>[] {
  const masks = bytes(given.ball.masks);
  return Array.from({ length: 6 }, (_, camera) => {
    const out = new Uint8Array(4 * 64 * 48);
    for (let i = 0; i < 64 * 48; ++i)
      out.set([200, 80, 40, 255 * masks[camera * 64 * 48 + i]], 4 * i);
    return out;
  });
}
const ballRing = () =>
  cameraRing({
    ...{ target: [0, 0, 0], distance: 2, count: 6, pixels: [64, 48] },
    fieldOfView: (40 * Math.PI) / 180,
  });
const order = (change: Partial<HullQuestion> = {}): HullQuestion => ({
  ...{ id: 1, pictures: ballPictures(), linear: false, box: [-0.6, -0.5, -0.5, 0.6, 0.5, 0.5] },
  ...{ resolution: 24, threshold: 30, carves: true, preview: true, coarse: 12, ...change },
});

test("the worker's hull is Python's, with previews and a coarser mesh for others", () => {
  const service = new HullService();
  const found = service.answer(order({ module, cameras: ballRing() }));
  expect(found.error).toBe("");
  const { ball } = given;
  expect(found.hull!.volume).toBeCloseTo(ball.volume, 12);
  expect(Array.from(found.hull!.triangles)).toEqual(ball.triangles);
  expect(Array.from(found.hull!.colors)).toEqual(ball.colors);
  found.hull!.vertices.forEach((x, i) => expect(x).toBeCloseTo(ball.vertices[i], 6));
  expect(found.hull!.touchesBox).toBe(false);
  // the body is a ball around the origin: its normals point away from there
  for (let i = 0; i < found.hull!.vertices.length; i += 3) {
    const at = found.hull!.vertices.subarray(i, i + 3);
    const along = at.reduce((sum, x, k) => sum + x * found.hull!.normals[i + k], 0);
    expect(along).toBeGreaterThan(0.8 * Math.hypot(...at));
  }
  expect(found.coarse!.triangles.length).toBeLessThan(0.4 * found.hull!.triangles.length);
  expect(found.preview!.pictures).toHaveLength(6);
  expect(found.shares.every((share) => share > 0.1 && share < 0.6)).toBe(true);
  // again: the same cameras, a box that cuts the ball
  const cut = service.answer(order({ box: [-0.6, -0.5, -0.5, 0.2, 0.5, 0.5], coarse: 0 }));
  expect(cut.hull!.touchesBox).toBe(true);
  expect(cut.hull!.volume).toBeLessThan(0.9 * ball.volume);
  expect(cut.coarse).toBeNull();
});

test("what does not fit is an error, and the worker continues", () => {
  const service = new HullService();
  expect(service.answer(order()).error).toContain("kernels");
  const cameras = ballRing();
  expect(service.answer(order({ module, cameras, pictures: [] })).error).toContain("0 pictures");
  const small = ballPictures().map((one) => one.slice(8));
  expect(service.answer(order({ pictures: small })).error).toContain("'camera1'");
  expect(service.answer(order({ box: [0, 0, 0, 0, 1, 1] })).error).toContain("kg_hull_carve");
  expect(service.answer(order()).hull!.volume).toBeCloseTo(given.ball.volume, 12);
  // without a background there is nothing to carve yet, and the pictures are shown as they are
  const looking = service.answer(order({ carves: false }));
  expect(looking.hull).toBeNull();
  expect(looking.preview!.pictures[0].slice(0, 4)).toEqual(Uint8ClampedArray.of(200, 80, 40, 255));
});

test("one frame is in flight, and a worker that fails says so", async () => {
  const sent: HullQuestion[] = [];
  const worker: HullWorker = {
    ...{ onmessage: null, onerror: null, terminate: () => undefined },
    postMessage: (question) => void sent.push(question),
  };
  const sculptor = new Sculptor(worker, module);
  const cameras = ballRing();
  const none: Uint8Array<ArrayBuffer>[] = [];
  const first = sculptor.carve(order(), cameras, none);
  expect([sent[0].module, sent[0].cameras, sent[0].backgrounds]).toEqual([module, cameras, []]);
  worker.onmessage!({ data: { id: sent[0].id, volume: 1 } } as unknown as MessageEvent<HullAnswer>);
  expect((await first).id).toBe(sent[0].id);
  const second = sculptor.carve(order(), cameras, none);
  expect([sent[1].module, sent[1].cameras, sent[1].backgrounds]).toEqual([undefined, undefined, undefined]); // prettier-ignore
  worker.onerror!({ message: "out of memory" } as ErrorEvent);
  expect((await second).error).toContain("out of memory");
  expect((await sculptor.carve(order(), cameras, none)).error).toContain("out of memory");
});

test("bodies travel as Python packs them", () => {
  const { ball } = given;
  const mesh = {
    vertices: Float32Array.from(ball.vertices),
    triangles: Uint32Array.from(ball.triangles),
    colors: Uint8Array.from(ball.colors),
  };
  const theirs = unpackBody(fromBase64(ball.body))!;
  const ours = unpackBody(packBody(mesh)!)!;
  for (const { client, body } of [theirs, ours]) {
    expect(client).toBe(0);
    expect(Array.from(body!.triangles)).toEqual(ball.triangles);
    expect(Array.from(body!.colors)).toEqual(ball.colors);
    // rounded to 1/65535 of a box of less than a metre
    body!.vertices.forEach((x, i) => expect(Math.abs(x - ball.vertices[i])).toBeLessThan(1e-5));
  }
  expect(unpackBody(packBody(null)!)).toEqual({ client: 0, body: null });
  expect(unpackBody(fromBase64(ball.body).slice(0, -1))).toBeNull();
  const wrong = fromBase64(ball.body);
  new Uint16Array(wrong, 40 + 2 * ball.vertices.length)[0] = 65535;
  expect(unpackBody(wrong)).toBeNull();
  const large = { ...mesh, vertices: new Float32Array(3 * 15000), colors: new Uint8Array(3 * 15000) }; // prettier-ignore
  expect(packBody(large)).toBeNull();
});

test("files hold the mesh", () => {
  const mesh = {
    vertices: Float32Array.of(0, 0, 0, 1, 0, 0, 0, 2, 0),
    triangles: Uint32Array.of(0, 1, 2),
    colors: Uint8Array.of(255, 0, 0, 0, 255, 0, 0, 0, 255),
  };
  const ply = new TextDecoder("latin1").decode(plyFile(mesh));
  expect(ply).toContain("element vertex 3\n");
  expect(plyFile(mesh)).toHaveLength(ply.indexOf("end_header\n") + 11 + 3 * 15 + 13);
  const glb = glbFile(mesh);
  const view = new DataView(glb.buffer);
  expect(view.getUint32(8, true)).toBe(glb.length);
  const size = view.getUint32(12, true);
  const json = JSON.parse(new TextDecoder().decode(glb.subarray(20, 20 + size)));
  expect(json.accessors[0].max).toEqual([1, 2, 0]);
  expect(json.buffers[0].byteLength).toBe(view.getUint32(20 + size, true));
  expect(shapeOf([0, 0, 0, 1, 2, 0.01], 64)).toEqual([32, 64, 1]);
});
