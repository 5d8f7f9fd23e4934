// CAD meshes named in the file: fetched once, shown when they are there, marked when they are not.
import {
  type BufferGeometry,
  Group,
  type Material,
  Matrix4,
  Mesh,
  MeshStandardMaterial,
  type Object3D,
} from "three";
import type { MeshRef } from "../../shapes/index.ts";

export interface MeshProblem {
  file: string;
  link: number;
  message: string;
}

/** Where the studio serves the files of the project folder. */
export function fileUrl(file: string): string {
  const path = file.split("/").map(encodeURIComponent).join("/");
  return new URL(`files/${path}`, document.baseURI).href;
}

export class MeshFiles {
  readonly problems: MeshProblem[] = [];
  private readonly fetched = new Map<string, Promise<Object3D>>();
  private readonly arrived = new Set<string>();

  /** @param changed Called when a file has arrived or turned out to be missing. */
  constructor(private readonly changed: () => void) {}

  known(file: string): boolean {
    return this.arrived.has(file);
  }

  /** Puts a copy of the mesh where the shape says, as soon as it is there. */
  place(shape: MeshRef, link: number, fill: string, done: (object: Object3D) => void): void {
    let promise = this.fetched.get(shape.file);
    if (!promise) this.fetched.set(shape.file, (promise = load(shape.file)));
    promise.then(
      (object) => {
        this.arrived.add(shape.file);
        done(placed(object, shape, link, fill));
        this.changed();
      },
      (error: unknown) => {
        const message = error instanceof Error ? error.message : String(error);
        if (!this.problems.some((one) => one.file === shape.file && one.link === link))
          this.problems.push({ file: shape.file, link, message });
        this.changed();
      },
    );
  }

  /** Forgets everything, for another mechanism. */
  clear(): void {
    this.problems.length = 0;
    this.fetched.clear();
    this.arrived.clear();
  }
}

async function load(file: string): Promise<Object3D> {
  const answer = await fetch(fileUrl(file));
  if (!answer.ok)
    throw new Error(answer.status === 404 ? "the file is missing" : `refused (${answer.status})`);
  const kind = file.toLowerCase().split(".").pop() ?? "";
  try {
    return await parse(kind, file, answer);
  } catch (error) {
    if (error instanceof UnknownKind) throw error;
    throw new Error(`not a readable ${kind.toUpperCase()} file`, { cause: error });
  }
}

class UnknownKind extends Error {}

async function parse(kind: string, file: string, answer: Response): Promise<Object3D> {
  if (kind === "stl") {
    const { STLLoader } = await import("three/examples/jsm/loaders/STLLoader.js");
    return asObject(new STLLoader().parse(await answer.arrayBuffer()));
  }
  if (kind === "ply") {
    const { PLYLoader } = await import("three/examples/jsm/loaders/PLYLoader.js");
    return asObject(new PLYLoader().parse(await answer.arrayBuffer()));
  }
  if (kind === "dae") {
    const { ColladaLoader } = await import("three/examples/jsm/loaders/ColladaLoader.js");
    const found = new ColladaLoader().parse(await answer.text(), "");
    if (!found) throw new Error("no scene");
    // the loader turns files with z up to y up; robots use their coordinates as they stand
    found.scene.rotation.set(0, 0, 0);
    found.scene.userData.ownColors = true;
    return found.scene;
  }
  if (kind === "obj") {
    const { OBJLoader } = await import("three/examples/jsm/loaders/OBJLoader.js");
    return new OBJLoader().parse(await answer.text());
  }
  if (kind === "glb" || kind === "gltf") {
    const { GLTFLoader } = await import("three/examples/jsm/loaders/GLTFLoader.js");
    const folder = fileUrl(file).replace(/[^/]*$/, "");
    const { scene } = await new GLTFLoader().parseAsync(await answer.arrayBuffer(), folder);
    // glTF is y up; the mechanism is z up.
    const turned = new Group();
    scene.rotation.x = Math.PI / 2;
    turned.add(scene);
    turned.userData.ownColors = true;
    return turned;
  }
  throw new UnknownKind("meshes are .stl, .obj, .ply, .dae, .glb or .gltf files");
}

function asObject(geometry: BufferGeometry): Object3D {
  // Many programs leave the normals of STL files at zero.
  geometry.computeVertexNormals();
  return new Mesh(geometry);
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
  const material = new MeshStandardMaterial({ color: fill, roughness: 0.5, metalness: 0.05 });
  object.traverse((part) => {
    if (!(part instanceof Mesh)) return;
    part.castShadow = part.receiveShadow = true;
    part.userData.link = link;
    part.material = source.userData.ownColors ? (part.material as Material).clone() : material;
  });
  return object;
}
