// Shapes that only the studio makes, such as teeth and belts, kept up with numbers being changed.
import type { PageModel } from "../../kernel/page-model.ts";
import type { EventHost, ModelHost, RequestHost, ConnectionHost } from "../hosts.ts";

type Host = EventHost &
  Pick<ModelHost, "model"> &
  Pick<RequestHost, "ask"> &
  Pick<ConnectionHost, "link">;

export class LiveShapes {
  private busy = false;
  /** The parameters that the shapes shown were made for. */
  private shown = "";

  constructor(private readonly studio: Host) {
    studio.on("model", () => (this.shown = ""));
    studio.on("numbers", (model) => void this.follow(model));
  }

  /** Asks for shapes until they are those of the numbers; one question at a time. */
  private async follow(model: PageModel): Promise<void> {
    const { studio } = this;
    if (this.busy || studio.link === null || !needsStudio(model)) return;
    this.busy = true;
    try {
      for (;;) {
        const parameters = parametersOf(model);
        const asked = JSON.stringify(parameters);
        if (asked === this.shown || studio.model !== model) return;
        const found = await studio.ask("shapes", { parameters }).promise;
        if (studio.model !== model || found.link_shapes.length !== model.linkCount) return;
        this.shown = asked;
        model.dress({ link_shapes: found.link_shapes, drawn: found.drawn });
        studio.emit("shapes", model);
      }
    } catch {
      // the shapes stay as they are until the text says otherwise
    } finally {
      this.busy = false;
    }
  }
}

/** Whether a model has shapes that its numbers alone do not give. */
function needsStudio({ data }: PageModel): boolean {
  const isMade = (shape: unknown): boolean => typeof shape === "object" && shape !== null;
  return data.parameters.length > 0 && (data.drawn.length > 0 || data.link_shapes.some(isMade));
}

function parametersOf(model: PageModel): Record<string, number> {
  const own = model.data.parameters.filter(({ formula }) => !formula);
  return Object.fromEntries(own.map(({ name, index }) => [name, model.reals[index]]));
}
