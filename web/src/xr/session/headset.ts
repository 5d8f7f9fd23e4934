// The headset: what the browser can do, and one session at a time.
import type { StudioHost } from "../../store/hosts.ts";
import type { Viewer } from "../../view/viewer.ts";
import { type Abilities, abilities, begin, type Begun, type Mode } from "./session.ts";
import { Visit } from "./visit.ts";

export class Headset {
  abilities: Abilities = { vr: false, ar: false, words: "" };
  /** What is shown; null while no session runs. */
  mode: Mode | null = null;
  visit: Visit | null = null;
  /** Called when `mode` or `abilities` have changed. */
  changed: () => void = () => undefined;

  private session: XRSession | null = null;
  private isStarting = false;
  /** Pixels of the canvas per pixel of the page, before the session. */
  private ratio = 1;
  private readonly recheck = (): void => {
    void abilities().then((now) => {
      this.abilities = now;
      this.changed();
    });
  };

  constructor(
    private readonly viewer: Viewer,
    private readonly studio: StudioHost,
  ) {
    this.recheck();
    navigator.xr?.addEventListener("devicechange", this.recheck);
  }

  /** Begins a session; called from a click. What stands in the way is said. */
  async enter(mode: Mode): Promise<void> {
    if (this.isStarting || this.session) {
      this.studio.notice("info", "a headset already shows this page: leave VR or AR there first");
      return;
    }
    this.isStarting = true;
    try {
      await this.start(await begin(mode), mode);
    } catch (error) {
      this.studio.notice("error", error instanceof Error ? error.message : String(error));
    } finally {
      this.isStarting = false;
    }
  }

  /** Ends the session; the pose stays. */
  async leave(): Promise<void> {
    // one that the system has just ended is over all the same
    await this.session?.end().catch(() => undefined);
  }

  dispose(): void {
    navigator.xr?.removeEventListener("devicechange", this.recheck);
    this.changed = () => undefined;
    void this.leave();
    this.over();
  }

  private async start(begun: Begun, mode: Mode): Promise<void> {
    const { session, space } = begun;
    const { renderer } = this.viewer.stage;
    this.session = session;
    this.ratio = renderer.getPixelRatio();
    renderer.xr.enabled = true;
    // after three.js has put back what it had changed
    renderer.xr.addEventListener("sessionend", this.over);
    renderer.xr.setReferenceSpaceType(space);
    try {
      await renderer.xr.setSession(session);
    } catch (error) {
      await this.leave();
      this.over();
      throw error;
    }
    // it may have been ended meanwhile
    if (this.session !== session) return;
    this.viewer.immersed = true;
    const visit = new Visit(this.viewer, this.studio, begun, mode);
    this.visit = visit;
    this.mode = mode;
    renderer.setAnimationLoop((now, frame) => {
      if (frame && this.visit === visit) visit.frame(now, frame);
    });
    this.changed();
  }

  /** The session has ended, whoever did it. */
  private readonly over = (): void => {
    if (this.session === null) return;
    this.session = this.mode = null;
    this.visit?.dispose();
    this.visit = null;
    const { renderer } = this.viewer.stage;
    renderer.xr.removeEventListener("sessionend", this.over);
    renderer.setAnimationLoop(null);
    renderer.xr.enabled = false;
    // three.js has put back what it does not know where the session has failed to begin
    renderer.setPixelRatio(this.ratio);
    this.viewer.immersed = false;
    this.changed();
  };
}
