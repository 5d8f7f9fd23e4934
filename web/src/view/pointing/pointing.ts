// The window's pointer on the view: what it is over, who takes it, and what a click means.
import type { Vector3 } from "three";
import type {
  ChoiceHost,
  DragHost,
  NoticeHost,
  PoseHost,
  SceneHost,
  SimulationHost,
} from "../../store/hosts.ts";
import { FlyKeys } from "../camera/fly.ts";
import type { Ghosts } from "../ghosts.ts";
import { Emphasizer } from "../links/emphasizer.ts";
import { ObjectDrag } from "../objects/object-drag.ts";
import type { ViewContext } from "../part.ts";
import type { Picking } from "./picking.ts";
import { Pointers, type Taken } from "./pointers.ts";
import type { Hit } from "./rays.ts";

/** What the view has for pointers. */
export interface PointingOptions {
  readonly canvas: HTMLCanvasElement;
  readonly picking: Picking;
  readonly ghosts: Ghosts;
  /** The plane that a link's points move in, if the mechanism is flat. */
  planeOf(): Vector3 | null;
  /** Lets a part of the view take a pointer before links do. */
  take(event: PointerEvent): Taken | null;
  /** Whether a click beside links and objects, in the picture [px], was meant for a part of it. */
  beside(x: number, y: number): boolean;
}

export class Pointing {
  readonly fly: FlyKeys;
  private readonly pointers: Pointers;
  private readonly emphasis: Emphasizer;

  constructor(
    private readonly view: ViewContext<
      PoseHost & DragHost & ChoiceHost & NoticeHost & SimulationHost & SceneHost,
      | "root"
      | "camera"
      | "links"
      | "objects"
      | "labels"
      | "materials"
      | "touched"
      | "extent"
      | "height"
      | "width"
      | "aim"
      | "invalidate"
    >,
    private readonly options: PointingOptions,
  ) {
    const { canvas, picking, planeOf } = options;
    const pulled = new ObjectDrag(view, {
      hit: ({ clientX, clientY }) => picking.object(clientX, clientY),
      planeOf,
    });
    this.fly = new FlyKeys(canvas, () => view.invalidate());
    this.pointers = new Pointers(
      canvas,
      view,
      {
        pick: (x, y) => picking.link(x, y),
        clicked: (hit, event) => this.clicked(hit, event),
        take: (event) => options.take(event) ?? pulled.take(event),
        planeOf,
      },
      this.fly,
    );
    this.emphasis = new Emphasizer(view, view.objects, canvas);
  }

  /** What the pointer is over. */
  get over(): Hit | null {
    return this.emphasis.over;
  }

  /** Looks what the pointer is over. */
  look(): void {
    const { picking, ghosts } = this.options;
    this.emphasis.look(
      this.pointers.hover,
      (x, y) => picking.link(x, y),
      (x, y) => ghosts.hover(this.view.aim(x, y)),
    );
  }

  /** The pointer is at nothing: a headset draws. */
  rest(): void {
    this.emphasis.look(
      null,
      () => null,
      () => false,
    );
  }

  /** Lights what is chosen and what the pointer is over. */
  show(): void {
    this.emphasis.show();
  }

  dispose(): void {
    this.pointers.dispose();
    this.fly.dispose();
  }

  private clicked(hit: Hit | null, { clientX, clientY }: PointerEvent): void {
    const { studio, width, height } = this.view;
    if (hit) {
      studio.select({ kind: "link", index: hit.link, point: hit.point });
      return;
    }
    const { picking, ghosts, beside } = this.options;
    const aim = this.view.aim(clientX, clientY);
    const ghost = ghosts.pick(aim);
    if (ghost) {
      ghosts.choose(ghost);
      return;
    }
    const index = picking.object(clientX, clientY)?.index ?? null;
    const [x, y] = [((aim.clip.x + 1) / 2) * width, ((1 - aim.clip.y) / 2) * height];
    if (index === null && beside(x, y)) return;
    studio.select(index === null ? null : { kind: "object", index });
  }
}
