// What is chosen and what the pointer is over: outlined, tinted, named.
import type { ChoiceHost, DragHost, ModelHost } from "../../store/hosts.ts";
import type { Label } from "../labels/labels.ts";
import type { SceneObjects } from "../objects/objects.ts";
import type { ViewContext } from "../part.ts";
import type { Hit } from "../pointing/rays.ts";

export class Emphasizer {
  private hovered: Hit | null = null;
  /** The place that was looked at for `hovered`. */
  private looked: { x: number; y: number } | null = null;
  private readonly name: Label;
  private isOverChoice = false;

  constructor(
    private readonly context: ViewContext<
      ModelHost & DragHost & ChoiceHost,
      "links" | "labels" | "materials" | "touched" | "invalidate"
    >,
    private readonly objects: SceneObjects,
    private readonly canvas: HTMLCanvasElement,
  ) {
    this.name = context.labels.add("name");
  }

  /** Looks what the pointer is over; a picture only if that is another link. */
  look(
    hover: { x: number; y: number } | null,
    pick: (x: number, y: number) => Hit | null,
    choice: (x: number, y: number) => boolean,
  ): void {
    if (hover === this.looked) return;
    this.looked = hover;
    const hit = hover ? pick(hover.x, hover.y) : null;
    this.isOverChoice = hover !== null && hit === null && choice(hover.x, hover.y);
    if (hit?.link !== this.hovered?.link) this.context.invalidate();
    this.hovered = hit;
  }

  /** What the pointer is over. */
  get over(): Hit | null {
    return this.hovered;
  }

  show(): void {
    const { studio, links, materials } = this.context;
    const { selection, grabs } = studio;
    const chosen = selection?.kind === "link" ? selection.index : -1;
    const over = this.hovered?.link ?? -1;
    const { touching: pairs } = studio.collisions;
    const isLit = studio.settings.showCollisions;
    const touching = new Set(isLit ? pairs.flatMap(({ a, b }) => [a, b]) : []);
    const names = studio.model?.data.links ?? [];
    const stopped = this.stopped();
    for (const view of links.views)
      view.emphasise(
        touching.has(names[view.index])
          ? "touching"
          : stopped.has(view.index)
            ? "stopped"
            : view.index === chosen
              ? "selected"
              : view.index === over || this.context.touched.has(view.index)
                ? "hover"
                : "none",
      );
    this.objects.light(touching);
    this.objects.emphasise(selection?.kind === "object" ? selection.index : -1, materials);
    const isPressed = over === 0 || this.isOverChoice;
    const cursor = grabs.length ? "grabbing" : over > 0 ? "grab" : isPressed ? "pointer" : "";
    if (this.canvas.style.cursor !== cursor) this.canvas.style.cursor = cursor;
    this.name.visible = this.hovered !== null && !grabs.length;
    if (!this.hovered) return;
    this.name.at = this.hovered.at;
    this.name.text = studio.model?.data.links[this.hovered.link] ?? "";
  }

  /** Links whose joints are held back by a limit while they are pulled. */
  private stopped(): Set<number> {
    const { model, status, grabs } = this.context.studio;
    const held = grabs.length ? (status?.limits ?? []) : [];
    return new Set(
      (model?.data.joints ?? [])
        .filter(({ name }) => held.some(({ joint }) => joint === name))
        .map(({ child }) => child),
    );
  }
}
