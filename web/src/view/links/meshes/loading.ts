// Mesh files of all kinds as objects of three.js, z up, in metres, with colours where they have any.
import {
  type BufferGeometry,
  Camera,
  Group,
  Light,
  Loader,
  LoadingManager,
  type Material,
  Mesh,
  MeshStandardMaterial,
  type Object3D,
  type Texture,
} from "three";
import { fetchFile, loaderUrl } from "./embedded.ts";

/** A mesh that was loaded. */
export interface LoadedMesh {
  object: Object3D;
  /** Textures and other parts that it names and that are not there. */
  missing: string[];
}

/** What colours a mesh may have of its own, whatever material its loader made. */
type Coloured = Partial<
  Pick<MeshStandardMaterial, "color" | "map" | "vertexColors" | "transparent" | "opacity" | "side">
>;

export class UnknownKind extends Error {}

/** Where a file's parts are found, and which were not. */
class Parts {
  readonly missing: string[] = [];
  readonly manager = new LoadingManager();
  /** Resolves when all parts have arrived or failed. */
  private readonly loaded: Promise<void>;
  private started = false;

  /** @param folder Address of the file's folder, with '/' at the end. */
  constructor(readonly folder: string) {
    this.manager.setURLModifier(loaderUrl);
    this.manager.onStart = () => (this.started = true);
    this.manager.onError = (url) => this.missing.push(decodeURIComponent(nameOf(url)));
    this.loaded = new Promise((resolve) => (this.manager.onLoad = resolve));
  }

  settled(): Promise<void> {
    return this.started ? this.loaded : Promise.resolve();
  }
}

const nameOf = (url: string): string => url.replace(/^.*\//, "").replace(/\?.*$/, "");

/** Reads a mesh; `address` is where it was fetched from. */
export async function loadMesh(kind: string, address: string, data: Blob): Promise<LoadedMesh> {
  const parts = new Parts(address.replace(/[^/]*$/, ""));
  const object = await parse(kind, parts, data);
  // lamps and cameras of a CAD scene are no part of a robot
  const strangers: Object3D[] = [];
  object.traverse((part) => {
    if (part instanceof Light || part instanceof Camera) strangers.push(part);
  });
  for (const one of strangers) one.removeFromParent();
  await parts.settled();
  dress(object);
  return { object, missing: [...new Set(parts.missing)] };
}

async function parse(kind: string, parts: Parts, data: Blob): Promise<Object3D> {
  const { manager, folder } = parts;
  if (kind === "stl") {
    const { STLLoader } = await import("three/examples/jsm/loaders/STLLoader.js");
    const geometry = new STLLoader().parse(await data.arrayBuffer());
    // exporters that mark a file as coloured leave its facets black more often than not
    geometry.deleteAttribute("color");
    return asObject(geometry);
  }
  if (kind === "ply") {
    const { PLYLoader } = await import("three/examples/jsm/loaders/PLYLoader.js");
    return asObject(new PLYLoader().parse(await data.arrayBuffer()));
  }
  if (kind === "dae") {
    const { ColladaLoader } = await import("three/examples/jsm/loaders/ColladaLoader.js");
    const found = new ColladaLoader(manager).parse(await data.text(), folder);
    if (!found) throw new Error("no scene");
    // the loader turns files with z up to y up; robots use their coordinates as they stand
    found.scene.rotation.set(0, 0, 0);
    return found.scene;
  }
  if (kind === "obj") return parseObj(await data.text(), parts);
  if (kind === "glb" || kind === "gltf") {
    const { GLTFLoader } = await import("three/examples/jsm/loaders/GLTFLoader.js");
    const { scene } = await new GLTFLoader(manager).parseAsync(await data.arrayBuffer(), folder);
    // glTF is y up; the mechanism is z up.
    const turned = new Group();
    scene.rotation.x = Math.PI / 2;
    turned.add(scene);
    return turned;
  }
  throw new UnknownKind("meshes are .stl, .obj, .ply, .dae, .glb or .gltf files");
}

async function parseObj(text: string, { manager, folder, missing }: Parts): Promise<Object3D> {
  const { OBJLoader } = await import("three/examples/jsm/loaders/OBJLoader.js");
  const loader = new OBJLoader(manager);
  const library = /^mtllib[ \t]+(\S.*?)[ \t]*$/m.exec(text)?.[1];
  if (library) {
    const answer = await fetchFile(folder + library.split("/").map(encodeURIComponent).join("/"));
    if (answer.ok) {
      const { MTLLoader } = await import("three/examples/jsm/loaders/MTLLoader.js");
      const own = folder + library.replace(/[^/]*$/, "");
      const materials = new MTLLoader(manager).parse(await answer.text(), own);
      materials.preload();
      loader.setMaterials(materials);
    } else missing.push(library);
  }
  const object = loader.parse(text);
  if (!library || missing.length) object.traverse((part) => (part.userData.plain = true));
  return object;
}

function asObject(geometry: BufferGeometry): Object3D {
  if (!geometry.getAttribute("position")?.count) throw new Error("no triangles");
  // Many programs leave the normals of STL files at zero.
  geometry.computeVertexNormals();
  const mesh = new Mesh(geometry);
  if (geometry.hasAttribute("color")) {
    mesh.material = new MeshStandardMaterial({ vertexColors: true });
  } else mesh.userData.plain = true;
  return mesh;
}

/** Gives every part a material of one kind; parts without colours of their own are marked plain. */
function dress(object: Object3D): void {
  const made = new Map<Material, MeshStandardMaterial | null>();
  const dressed = (own: Material): MeshStandardMaterial | null => {
    if (!made.has(own)) made.set(own, standard(own));
    return made.get(own)!;
  };
  object.traverse((part) => {
    if (!(part instanceof Mesh) || part.userData.plain) return;
    const own = part.material as Material | Material[];
    const list = (Array.isArray(own) ? own : [own]).map(dressed);
    if (list.some((one) => one === null)) part.userData.plain = true;
    else part.material = Array.isArray(own) ? (list as Material[]) : list[0];
  });
}

/** A material as the view has them all; null for what a loader puts in where a file says nothing. */
function standard(own: Material): MeshStandardMaterial | null {
  if (own.name === Loader.DEFAULT_MATERIAL_NAME) return null;
  const { color, map, vertexColors, transparent, opacity, side } = own as Coloured;
  const made =
    own instanceof MeshStandardMaterial
      ? own
      : new MeshStandardMaterial({
          ...(color && { color }),
          ...(map && { map }),
          vertexColors: vertexColors ?? false,
          transparent: transparent ?? false,
          opacity: opacity ?? 1,
          ...(side !== undefined && { side }),
          roughness: 0.5,
          metalness: 0.05,
        });
  // a texture that did not arrive would be drawn black
  if (made.map && !hasImage(made.map)) made.map = null;
  return made;
}

function hasImage(texture: Texture): boolean {
  const image = texture.image as { width?: number } | null | undefined;
  return Boolean(image?.width);
}
