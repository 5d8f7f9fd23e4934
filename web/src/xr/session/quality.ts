// Applies the steps of the pace: cheaper pictures of a session whose frames are late.
import type { WorkspaceHost } from "../../store/hosts.ts";
import type { Viewer } from "../../view/viewer.ts";
import { Pace, RATE, rateFor } from "./pace.ts";

/** Frames per second of the camera of a phone: its picture cannot be faster. */
const CAMERA_RATE = 30;

export class SessionQuality {
  readonly pace: Pace;
  private applied = "";

  constructor(
    private readonly studio: WorkspaceHost,
    private readonly viewer: Viewer,
    private readonly session: XRSession,
  ) {
    this.pace = new Pace(this.rate);
    session.addEventListener("frameratechange", this.rated);
    const rate = rateFor(session.supportedFrameRates);
    // a headset may keep its own: frames are measured by what it says
    if (rate !== null) void session.updateTargetFrameRate?.(rate).catch(() => undefined);
    this.apply();
  }

  /** Asks for the resolution of the frames to come, which hold it until they are asked again. */
  ask(views: readonly XRView[]): void {
    for (const view of views) view.requestViewportScale?.(this.pace.quality.scale);
  }

  /** A frame came `seconds` after the last, and the page's own work took `work` [ms]. */
  took(seconds: number, work: number): void {
    const { workspace } = this.studio;
    this.pace.took(seconds, work, workspace.visible ? workspace.points.count : 0);
    this.apply();
  }

  dispose(): void {
    this.session.removeEventListener("frameratechange", this.rated);
    this.viewer.spare(null);
  }

  private apply(): void {
    const { quality, points } = this.pace;
    const key = `${quality.name} ${points}`;
    if (key === this.applied) return;
    this.applied = key;
    this.viewer.spare({ ...quality, points });
    this.viewer.stage.renderer.xr.setFoveation(quality.foveation);
  }

  private get rate(): number {
    return isHandheld(this.session) ? CAMERA_RATE : (this.session.frameRate ?? RATE);
  }

  private readonly rated = (): void => {
    this.pace.shown = this.rate;
  };
}

/** A phone or tablet, which shows the room on its screen. */
const isHandheld = (session: XRSession): boolean =>
  (session as { interactionMode?: string }).interactionMode === "screen-space";
