// CAD meshes named in the file: fetched once, shown when they are there, marked when they are not.
import {
  BoxGeometry,
  EdgesGeometry,
  Group,
  LineBasicMaterial,
  LineSegments,
  type Material,
  Matrix4,
  Mesh,
  MeshStandardMaterial,
  type Object3D,
} from "three";
import type { MeshRef } from "../../../shapes/index.ts";
import { fetchFile, fileUrl } from "./embedded.ts";
import { type LoadedMesh, loadMesh, UnknownKind } from "./loading.ts";

export interface MeshProblem {
  file: string;
  link: number;
  message: string;
}

/** A larger file would hold up the page [bytes]; the studio gives out no more either. */
export const LARGEST = 50 * 2 ** 20;

export class MeshFiles {
  readonly problems: MeshProblem[] = [];
  private readonly fetched = new Map<string, Promise<LoadedMesh>>();
  private readonly arrived = new Set<string>();
  private waiting = 0;

  /**
   * @param changed Called when a file has arrived or turned out to be missing.
   * @param settled Called when all of them have.
   */
  constructor(
    private readonly changed: () => void,
    private readonly settled: () => void = () => undefined,
  ) {}

  known(file: string): boolean {
    return this.arrived.has(file);
  }

  /** Puts a copy of the mesh where the shape says, as soon as it is there. */
  place(
    shape: MeshRef,
    link: number,
    fill: string,
    done: (object: Object3D) => void,
    failed: () => void = () => undefined,
  ): void {
    const { fetched } = this;
    let promise = fetched.get(shape.file);
    if (!promise) fetched.set(shape.file, (promise = load(shape.file)));
    ++this.waiting;
    promise
      .then(
        ({ object, missing }) => {
          this.arrived.add(shape.file);
          done(placed(object, shape, link, fill));
          if (missing.length) this.report(shape.file, link, `without ${missing.join(", ")}`);
        },
        (error: unknown) => {
          this.report(shape.file, link, error instanceof Error ? error.message : String(error));
          failed();
        },
      )
      .finally(() => {
        this.changed();
        if (--this.waiting === 0) this.settled();
      });
  }

  /** Forgets everything, for another mechanism. */
  clear(): void {
    this.problems.length = 0;
    this.fetched.clear();
    this.arrived.clear();
  }

  private report(file: string, link: number, message: string): void {
    if (!this.problems.some((one) => one.file === file && one.link === link))
      this.problems.push({ file, link, message });
  }
}

async function load(file: string): Promise<LoadedMesh> {
  const address = fileUrl(file);
  const answer = await fetchFile(address);
  const size = Number(answer.headers.get("content-length") ?? 0);
  if (answer.status === 413 || size > LARGEST) {
    void answer.body?.cancel();
    throw new Error(tooLarge(size));
  }
  if (!answer.ok)
    throw new Error(answer.status === 404 ? "the file is missing" : `refused (${answer.status})`);
  const kind = file.toLowerCase().split(".").pop() ?? "";
  try {
    return await loadMesh(kind, address, await answer.blob());
  } catch (error) {
    if (error instanceof UnknownKind) throw error;
    throw new Error(`not a readable ${kind.toUpperCase()} file`, { cause: error });
  }
}

function tooLarge(size: number): string {
  const has = size > LARGEST ? `it has ${Math.round(size / 2 ** 20)} MB; ` : "";
  return `too large to be shown: ${has}at most ${LARGEST >> 20} MB; reduce its triangles`;
}

/** A copy that stands where the shape says, in the link's colour unless it has its own. */
function placed(source: Object3D, shape: MeshRef, link: number, fill: string): Object3D {
  const object = new Group();
  object.add(source.clone());
  const R = shape.rotation;
  const p = shape.translation;
  const matrix = new Matrix4().set(
    R[0], R[1], R[2], p[0],
    R[3], R[4], R[5], p[1],
    R[6], R[7], R[8], p[2],
    0, 0, 0, 1,
  ); // prettier-ignore
  object.matrixAutoUpdate = false;
  object.matrix.multiplyMatrices(matrix, new Matrix4().makeScale(...shape.scale));
  object.matrixWorldNeedsUpdate = true; // or it is measured without its scale before it is drawn
  const plain = new MeshStandardMaterial({ color: fill, roughness: 0.5, metalness: 0.05 });
  object.traverse((part) => {
    if (!(part instanceof Mesh)) return;
    part.castShadow = part.receiveShadow = true;
    const own = part.material as Material | Material[];
    if (part.userData.plain) part.material = plain;
    else part.material = Array.isArray(own) ? own.map((one) => one.clone()) : own.clone();
    part.userData = { link };
  });
  return object;
}

/** What stands for an object whose mesh cannot be shown: the edges of a box of that size [m]. */
export function emptyBox(size: number, color: string): Object3D {
  const edges = new EdgesGeometry(new BoxGeometry(size, size, size));
  return new LineSegments(edges, new LineBasicMaterial({ color }));
}
