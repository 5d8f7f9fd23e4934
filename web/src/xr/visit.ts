// One session of a headset: everything that is there from its beginning to its end.
import { Group, Matrix4, PerspectiveCamera, Vector3 } from "three";
import type { StudioHost } from "../store/hosts.ts";
import type { Viewer } from "../view/viewer.ts";
import { Figures } from "./figures.ts";
import { StopGesture, isStopHand } from "./gestures.ts";
import { Hands, type Place } from "./hands.ts";
import { type Hand, Inputs, X_RS } from "./inputs.ts";
import { Pace } from "./pace.ts";
import { Panels } from "./panels/panels.ts";
import { Pulses } from "./pulses.ts";
import { firstScale, type Head, matrixOf, type Rig, scaleText, type Standing, standBefore, toRoom } from "./rig.ts"; // prettier-ignore
import type { Begun, Mode } from "./session.ts";
import { Surroundings } from "./surroundings.ts";
import { Tags } from "./tags.ts";
import { Walking } from "./walking.ts";

/** Where the eyes are taken to be where no floor is known [m]. */
const EYES = 1.3;
/** What the eyes see [m of the room]. */
const [NEAR, FAR] = [0.04, 120];

/** Buttons of a controller: A or X opens the menu, B or Y stops whatever moves. */
const [MENU, STOP] = [4, 5];

export class Visit implements Place {
  rig: Rig = { position: new Vector3(), quaternion: new Group().quaternion, scale: 1 };
  readonly pace = new Pace();
  readonly hands: Hands;
  readonly panels: Panels;
  /** Frames so far. */
  frames = 0;
  /** In the room; null until the first frame that knows it. */
  head: Head | null = null;

  /** The user's room in the world: z up, metres of the user. */
  private readonly room = new Group();
  /** The same with y up, as the session counts. */
  private readonly space = new Group();
  private readonly eyes = new PerspectiveCamera(70, 1, NEAR, FAR);
  private readonly inputs: Inputs;
  private readonly walking = new Walking(this);
  private readonly figures = new Figures();
  private readonly around = new Surroundings();
  private readonly pulses: Pulses;
  private readonly tags: Tags;
  private readonly gesture = new StopGesture();
  /** Buttons that were down in the last frame, by hand. */
  private readonly down = new Map<Hand, readonly boolean[]>();
  private readonly endings: (() => void)[] = [];
  /** The mechanism that the user was stood before. */
  private shown: string | null = null;
  private last: number | null = null;
  private isVisible = true;
  private level = 0;

  constructor(
    private readonly viewer: Viewer,
    private readonly studio: StudioHost,
    private readonly begun: Begun,
    mode: Mode,
  ) {
    const { session } = begun;
    this.pulses = new Pulses(studio);
    this.tags = new Tags(studio);
    this.panels = new Panels(
      studio,
      this,
      () => this.head,
      (hand) => this.pulses.tap(hand.source),
    );
    this.hands = new Hands(studio, viewer, this.panels, this);
    this.inputs = new Inputs(session, (hand) => this.hands.lose(hand));
    this.around.isReal = mode === "immersive-ar" && session.environmentBlendMode !== "opaque";
    this.room.matrixAutoUpdate = false;
    this.space.applyMatrix4(X_RS);
    // where no floor is known the session counts from the eyes
    if (begun.space === "local") this.space.position.z = EYES;
    this.space.add(this.eyes);
    this.room.add(this.space, this.figures.group, this.around.group);
    this.room.add(this.panels.group, this.tags.group);
    viewer.root.add(this.room);
    const seen = (): void => {
      this.isVisible = session.visibilityState === "visible";
      // the system's own menu lies over it: hands mean that, not the mechanism
      if (!this.isVisible) this.hands.release();
    };
    session.addEventListener("visibilitychange", seen);
    this.endings.push(
      () => session.removeEventListener("visibilitychange", seen),
      studio.on("notice", ({ message }) => {
        if (this.head) this.tags.say(message, this.head, this.last ?? 0);
      }),
    );
  }

  /** One frame, `now`: [ms]. */
  frame(now: number, frame: XRFrame): void {
    const seconds = this.last === null ? 0 : (now - this.last) / 1000;
    this.last = now;
    const started = performance.now();
    this.frames += 1;
    const { renderer } = this.viewer.stage;
    const space = renderer.xr.getReferenceSpace();
    this.look(frame, space);
    if (space && this.head) this.act(frame, space, Math.min(0.1, seconds));
    this.arrange();
    const work = performance.now() - started;
    this.viewer.stepFor(this.eyes, Math.min(0.1, Math.max(0, seconds)));
    if (this.isVisible) this.pulses.tick(this.hands.actors, this.rig.scale, now);
    this.pace.took(seconds, work);
    this.adapt();
  }

  get scaleText(): string {
    return scaleText(this.rig.scale);
  }
  get paceText(): string {
    return this.pace.words;
  }

  /** Ends whatever moves, a real robot first of all; parts that are held are let go and stay. */
  readonly stop = (): void => {
    this.studio.robot.stop("from the headset");
    this.hands.release();
    this.studio.rest();
    this.studio.paths.walk.pause();
    if (this.studio.simulation.isRunning) void this.studio.simulation.pause();
  };

  readonly leave = (): void => {
    void this.begun.session.end().catch(() => undefined);
  };

  /** Stands the user before the mechanism again, at true size or another scale. */
  readonly bring = (scale: number | null = null): void => {
    if (!this.head) return;
    const thing = this.standing();
    this.rig = standBefore(thing, this.head, scale ?? firstScale(thing.radius));
  };

  dispose(): void {
    for (const end of this.endings) end();
    this.hands.release();
    this.inputs.dispose();
    this.figures.dispose();
    this.panels.dispose();
    this.tags.dispose();
    this.around.dispose();
    this.room.removeFromParent();
    this.show(0);
  }

  /** Where the head is; while it is not tracked it stays where it was. */
  private look(frame: XRFrame, space: XRReferenceSpace | null): void {
    const pose = space && frame.getViewerPose(space);
    if (!pose) return;
    const X_RH = new Matrix4().fromArray(pose.transform.matrix).premultiply(X_RS);
    if (this.begun.space === "local") X_RH.elements[14] += EYES;
    const ahead = new Vector3(0, 0, -1).transformDirection(X_RH).setZ(0);
    // one who looks straight down still looks somewhere
    if (ahead.length() < 1e-3) ahead.set(0, 1, 0).transformDirection(X_RH).setZ(0);
    this.head = { place: new Vector3().setFromMatrixPosition(X_RH), ahead: ahead.normalize() };
    const name = this.studio.model?.data.name ?? null;
    if (name === null || name === this.shown || !this.viewer.isCurrent) return;
    this.shown = name;
    this.bring();
  }

  private act(frame: XRFrame, space: XRReferenceSpace, seconds: number): void {
    const presses = this.inputs.read(frame, space);
    if (!this.isVisible) return;
    if (this.begun.space === "local") this.lift();
    this.hands.update(this.inputs.hands, presses, seconds);
    this.pressButtons(seconds);
    this.walking.update(this.hands.idle, this.head!.place);
  }

  private pressButtons(seconds: number): void {
    const { hands } = this.inputs;
    const isDown = (button: number): boolean =>
      hands.some((hand) => hand.buttons[button] && !this.down.get(hand)?.[button]);
    if (isDown(MENU)) this.panels.toggle("Menu");
    const eyes = this.head!.place;
    const isShown = hands.some(({ joints, side }) => joints && isStopHand(joints, side, eyes));
    if (isDown(STOP) || this.gesture.update(isShown, seconds)) this.stop();
    this.down.clear();
    for (const hand of hands) this.down.set(hand, hand.buttons);
  }

  /** Hands, too, count from the floor. */
  private lift(): void {
    for (const { grip, ray, joints } of this.inputs.hands) {
      for (const matrix of [grip, ray]) if (matrix) matrix.elements[14] += EYES;
      if (joints) for (let i = 2; i < joints.length; i += 4) joints[i] += EYES;
    }
  }

  /** Puts room, hands and surroundings where they belong. */
  private arrange(): void {
    matrixOf(this.rig, this.room.matrix);
    this.room.matrixWorldNeedsUpdate = true;
    const { palette } = this.viewer;
    this.figures.show(this.hands.actors, this.room.matrix, palette, this.walking.aimed);
    this.around.paint(palette);
    if (!this.head) return;
    this.panels.update(this.inputs.hands, this.hands.idle, palette, this.room.matrix);
    const X_RW = this.room.matrix.clone().invert();
    this.tags.update(this.hands.actors, this.head, palette, this.last ?? 0, X_RW);
    const { centre, up, floor, radius } = this.stood ?? this.standing();
    const foot = centre.clone().addScaledVector(up, floor - centre.dot(up));
    this.around.place(this.head.place, toRoom(this.rig, foot), radius / this.rig.scale);
  }

  /** What stands there, measured when it was last brought; a measure takes time. */
  private stood: Standing | null = null;

  private standing(): Standing {
    const { centre, radius, floor, up } = this.viewer.frameOf();
    const ahead = this.viewer.camera.basis()[2].clone().negate().projectOnPlane(up);
    if (ahead.length() < 1e-3) ahead.copy(this.viewer.camera.basis()[1]).projectOnPlane(up);
    this.stood = { centre: new Vector3(...centre), radius, floor, up, ahead: ahead.normalize() };
    return this.stood;
  }

  /** Cheaper pictures when frames are late. */
  private adapt(): void {
    if (this.pace.level === this.level) return;
    this.show(this.pace.level);
  }

  private show(level: number): void {
    this.level = level;
    const { stage, links } = this.viewer;
    const { shadows, renderMode } = this.studio.settings;
    stage.shadows = shadows && renderMode === "solid" && level < 1;
    stage.renderer.xr.setFoveation(level < 2 ? 0 : 1);
    for (const { edges } of links.views) edges.visible = level < 3;
  }
}
