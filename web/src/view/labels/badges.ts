// Badges on links whose mesh file could not be shown.
import type { ModelHost } from "../../store/hosts.ts";
import type { Label } from "./labels.ts";
import type { MeshFiles } from "../links/meshes/files.ts";
import type { Part, ViewContext } from "../part.ts";

export class Badges implements Part {
  private labels: Label[] = [];

  constructor(
    private readonly context: ViewContext<ModelHost, "labels">,
    private readonly files: MeshFiles,
  ) {}

  frame(): void {
    const { studio } = this.context;
    const { problems } = this.files;
    while (this.labels.length < problems.length) this.labels.push(this.context.labels.add("badge"));
    while (this.labels.length > problems.length) this.labels.pop()!.remove();
    problems.forEach(({ file, link, message }, i) => {
      const at = 7 * Math.max(0, link);
      if (studio.poses.length < at + 7) return;
      this.labels[i].at = [studio.poses[at + 4], studio.poses[at + 5], studio.poses[at + 6]];
      this.labels[i].text = `${file}: ${message}`;
    });
  }

  dispose(): void {
    for (const label of this.labels) label.remove();
  }
}
