// Hit tests: where hands, or the middle of a phone's picture, point at the real room.
import { Matrix4 } from "three";
import { X_RS } from "../hands/inputs.ts";
import { type Surface, surfaceOf } from "./placing.ts";

/** Whoever points: a hand, or the eyes. */
type Pointer = XRInputSource | "eyes";

export class HitTests {
  private readonly sources = new Map<Pointer, XRHitTestSource | null>();
  private isOver = false;

  /** @param failed Called once where the headset does not answer after all. */
  constructor(
    private readonly session: XRSession,
    private readonly failed: (error: Error) => void,
  ) {}

  /** Whether the headset knows the surfaces around the user. */
  static isOffered(session: XRSession): boolean {
    const { enabledFeatures } = session as { enabledFeatures?: readonly string[] };
    return !!session.requestHitTestSource && (enabledFeatures?.includes("hit-test") ?? true);
  }

  /**
   * What a hand points at; the eyes: what is in the middle of the picture.
   * @param raised What the session counts from is so far above the floor [m].
   */
  of(pointer: Pointer, frame: XRFrame, space: XRReferenceSpace, raised: number): Surface | null {
    const source = this.sourceFor(pointer);
    if (!source) return null;
    const pose = frame.getHitTestResults(source).at(0)?.getPose(space);
    if (!pose) return null;
    const X_RH = new Matrix4().fromArray(pose.transform.matrix).premultiply(X_RS);
    X_RH.elements[14] += raised;
    return surfaceOf(X_RH);
  }

  dispose(): void {
    this.isOver = true;
    for (const source of this.sources.values()) source?.cancel();
    this.sources.clear();
  }

  /** Asked for once for each; null until it is there. */
  private sourceFor(pointer: Pointer): XRHitTestSource | null {
    const known = this.sources.get(pointer);
    if (known !== undefined) return known;
    this.sources.set(pointer, null);
    this.request(pointer).then(
      (source) => {
        if (this.isOver) source.cancel();
        else this.sources.set(pointer, source);
      },
      (error: unknown) => {
        if (!this.isOver) this.failed(error instanceof Error ? error : new Error(String(error)));
      },
    );
    return null;
  }

  private async request(pointer: Pointer): Promise<XRHitTestSource> {
    const { session } = this;
    const space =
      pointer === "eyes" ? await session.requestReferenceSpace("viewer") : pointer.targetRaySpace;
    const source = await session.requestHitTestSource?.({ space });
    if (!source) throw new Error("this browser offers no hit tests");
    return source;
  }
}
