// A number of each node of a world as its colour: links, robots and objects.
import { Color } from "three";
import type { ModelHost, SimulationHost } from "../../store/hosts.ts";
import { loadColor } from "../forces/loads.ts";
import { Skin } from "../links/skins.ts";
import type { Part, ViewContext } from "../part.ts";

/** The node whose value a link shows: itself, the joint that carries it, or its robot. */
export function nodeOf(link: string, has: (node: string) => boolean): string | null {
  for (let name = link; name; name = name.slice(0, Math.max(0, name.lastIndexOf("."))))
    if (has(name)) return name;
  return null;
}

type Shares = ReturnType<SimulationHost["simulation"]["colors"]["shares"]>;

export class NodeColorsView implements Part {
  private readonly skins = new Map<string, Skin>();
  private readonly color = new Color();
  private isShown = false;

  constructor(
    private readonly context: ViewContext<ModelHost & SimulationHost, "links" | "objects">,
  ) {}

  rebuild(): void {
    this.dispose();
  }

  frame(): void {
    const { studio, links, objects } = this.context;
    const { colors, acting } = studio.simulation;
    if (!this.isShown && colors.chosen === null) return;
    const shares: Shares = colors.chosen && acting ? colors.shares(acting.signals) : new Map();
    this.isShown = shares.size > 0;
    const names = studio.model?.data.links ?? [];
    links.views.forEach((view, i) => {
      if (i > 0) this.dye(`link ${i}`, view.group, nodeOf(names[i] ?? "", has), shares);
    });
    for (const body of objects.group.children)
      this.dye(`object ${body.name}`, body, has(body.name) ? body.name : null, shares);

    function has(node: string): boolean {
      return shares.has(node);
    }
  }

  dispose(): void {
    for (const skin of this.skins.values()) skin.dispose();
    this.skins.clear();
  }

  private dye(
    key: string,
    body: ConstructorParameters<typeof Skin>[0],
    node: string | null,
    shares: Shares,
  ): void {
    const found = node === null ? undefined : shares.get(node);
    let skin = this.skins.get(key);
    if (!skin && !found) return;
    if (!skin) this.skins.set(key, (skin = new Skin(body)));
    skin.paint(found ? loadColor(found.share, this.color) : null);
  }
}
