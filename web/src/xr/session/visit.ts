// One session of a headset: everything that is there from its beginning to its end.
import { Group, Matrix4, PerspectiveCamera, Vector3 } from "three";
import type { StudioHost } from "../../store/hosts.ts";
import type { Viewer } from "../../view/viewer.ts";
import { Figures } from "../space/figures.ts";
import { Hands, type Place } from "../hands/hands.ts";
import { type Hand, Inputs, X_RS } from "../hands/inputs.ts";
import { LabelCards } from "../space/label-cards.ts";
import { Panels } from "../panels/panels.ts";
import { halfOf, type Sight } from "../panels/places.ts";
import { prepare } from "../hands/near.ts";
import { presenceOf } from "./presence.ts";
import { Pulses } from "../hands/pulses.ts";
import { SessionQuality } from "./quality.ts";
import { HitTests } from "../space/hit-tests.ts";
import { standAt } from "../space/placing.ts";
import { PutDown } from "../space/put-down.ts";
import { firstScale, type Head, headIn, matrixOf, moveBetween, recentred, type Rig, scaleText, type Standing, standBefore, toRoom, upright } from "../space/rig.ts"; // prettier-ignore
import type { Begun, Mode } from "./session.ts";
import { Stopping } from "./stopping.ts";
import { Surroundings } from "../space/surroundings.ts";
import { Tags } from "../space/tags.ts";
import { Walking } from "../space/walking.ts";

/** Height of the eyes where no floor is known, and of a standing user [m]. */
const EYES = 1.3;
const STANDING = 1.6;
/** What the eyes see [m of the room]. */
const [NEAR, FAR] = [0.04, 120];

/** All that can be taken is prepared for that every so many frames. */
const PREPARING = 30;
/** A session that fails in so many frames on end is ended. */
const MOST_FAILURES = 72;
/** How to get to the menu is said after so many frames, when hands and controllers are known. */
const WELCOME = 60;

export class Visit implements Place {
  rig: Rig = { position: new Vector3(), quaternion: new Group().quaternion, scale: 1 };
  readonly quality: SessionQuality;
  readonly hands: Hands;
  readonly panels: Panels;
  /** Frames so far. */
  frames = 0;
  /** In the room; null until the first frame that knows it. */
  head: (Head & Sight) | null = null;
  /** The same with all of its rotation: looks along -z, y up. */
  private readonly X_RH = new Matrix4();

  /** The user's room in the world: z up, metres of the user. */
  private readonly room = new Group();
  /** The same with y up, as the session counts. */
  private readonly space = new Group();
  private readonly eyes = new PerspectiveCamera(70, 1, NEAR, FAR);
  private readonly inputs: Inputs;
  private readonly walking = new Walking(this);
  private readonly figures = new Figures();
  private readonly around = new Surroundings();
  private readonly putting: PutDown | null;
  private readonly pulses: Pulses;
  private readonly tags: Tags;
  private readonly stopping: Stopping;
  /** Ends whatever moves. */
  readonly stop: () => void;
  private wasMenuPressed = false;
  /** The view's labels, which are part of the page elsewhere. */
  readonly labels: LabelCards;
  private readonly endings: (() => void)[] = [];
  /** The mechanism that the user was stood before. */
  private shown: string | null = null;
  private last: number | null = null;
  /** Of this page in a frame, besides drawing [ms]. */
  private work = 0;
  private isVisible = true;
  /** Frames on end that have failed. */
  private failures = 0;
  /** Where the head was before the room's origin moved, nobody knows how far. */
  private before: Head | null = null;
  /** What the session counts is so far above the floor [m]. */
  private raised = 0;
  /** What a seat adds to that [m]. */
  private seat = 0;

  constructor(
    private readonly viewer: Viewer,
    private readonly studio: StudioHost,
    private readonly begun: Begun,
    mode: Mode,
  ) {
    const { session } = begun;
    this.quality = new SessionQuality(studio, viewer, session);
    this.pulses = new Pulses(studio);
    this.tags = new Tags(studio);
    this.panels = new Panels(
      studio,
      this,
      () => this.head,
      (hand) => this.pulses.tap(hand.source),
    );
    this.labels = new LabelCards(viewer.labels);
    this.hands = new Hands(studio, viewer, this.panels, this);
    this.stopping = new Stopping(studio, () => this.hands.release());
    this.stop = this.stopping.stop;
    this.inputs = new Inputs(session, (hand) => this.hands.lose(hand));
    this.around.isReal = mode === "immersive-ar" && session.environmentBlendMode !== "opaque";
    const seesRoom = mode === "immersive-ar" && HitTests.isOffered(session);
    const isAtPanel = (hand: Hand): boolean => this.panels.distance(hand) !== null;
    this.putting = seesRoom
      ? new PutDown(session, studio, isAtPanel, (place) => this.standAt(place))
      : null;
    this.room.matrixAutoUpdate = false;
    this.space.applyMatrix4(X_RS);
    // where no floor is known the session counts from the eyes
    if (begun.space === "local") this.raised = EYES;
    this.space.position.z = this.raised;
    this.space.add(this.eyes);
    this.room.add(this.space, this.figures.group, this.around.group);
    this.room.add(this.panels.group, this.tags.group, this.labels.group);
    if (this.putting) this.room.add(this.putting.group);
    viewer.root.add(this.room);
    const seen = (): void => {
      this.isVisible = session.visibilityState === "visible";
      // the system's own menu lies over it: hands mean that, not the mechanism
      if (!this.isVisible) this.interrupt();
    };
    session.addEventListener("visibilitychange", seen);
    const origin = viewer.stage.renderer.xr.getReferenceSpace();
    origin?.addEventListener("reset", this.moved);
    const feel = (): void => void (studio.collisions.felt = studio.settings.haptics);
    feel();
    this.endings.push(
      () => session.removeEventListener("visibilitychange", seen),
      () => origin?.removeEventListener("reset", this.moved),
      studio.on("settings", feel),
      () => (studio.collisions.felt = false),
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
    const short = Math.min(0.1, Math.max(0, seconds));
    const trouble =
      failure(() => {
        const space = this.viewer.stage.renderer.xr.getReferenceSpace();
        this.look(frame, space);
        if (space && this.head) this.act(frame, space, seconds);
        this.arrange();
        if (this.frames === WELCOME) this.welcome();
        // meshes come when they are loaded
        if (this.frames % PREPARING === 1) prepare(this.viewer.touchable);
        this.work = performance.now() - started;
      }) ??
      failure(() => {
        this.viewer.stepFor(this.eyes, this.rig.scale, short);
        if (this.isVisible) this.pulses.tick(this.hands.actors, this.rig.scale, now);
        this.quality.took(seconds, this.work);
      });
    if (trouble) this.fail(trouble);
    else this.failures = 0;
  }

  /** A frame has failed: everything is let go, and what there is is drawn: nobody is left in the dark. */
  private fail(error: Error): void {
    this.failures += 1;
    failure(() => this.interrupt());
    const { renderer, scene } = this.viewer.stage;
    failure(() => renderer.render(scene, this.eyes));
    if (this.failures === 1) {
      reportError(error);
      failure(() => this.studio.robot.stop("after an error in the headset"));
      const what = `An error in the headset's view: ${error.message}`;
      this.studio.notice("error", `${what}. What was held has been released`);
    }
    if (this.failures !== MOST_FAILURES) return;
    this.studio.notice("error", "The headset's session was ended: the error did not go away");
    this.leave();
  }

  /** Hands mean nothing for a while: what is held stays, what is aimed does not happen. */
  private interrupt(): void {
    this.walking.cancel();
    this.hands.release();
    this.stopping.interrupt((this.last ?? 0) / 1000);
  }

  /** The system has moved the room's origin: the user sees the world where it was. */
  private readonly moved = ({ transform }: XRReferenceSpaceEvent): void => {
    this.interrupt();
    if (!this.head) return;
    if (!transform) {
      // the next frame that knows the head shows how far: it has hardly moved meanwhile
      this.before ??= this.head;
      return;
    }
    const X_ON = new Matrix4().fromArray(transform.matrix).premultiply(X_RS);
    this.recentre(upright(X_ON.multiply(X_RS.clone().invert())));
  };

  private recentre(X_ON: Matrix4): void {
    this.rig = recentred(this.rig, X_ON);
    this.panels.recentre(X_ON.clone().invert());
    if (!this.head) return;
    const along = this.head.along.clone().transformDirection(X_ON.clone().invert());
    this.head = { ...this.head, ...headIn(this.head, X_ON), along };
  }

  get scaleText(): string {
    return scaleText(this.rig.scale);
  }
  get paceText(): string {
    return this.quality.pace.words;
  }

  /** Says how one gets to the menu, with what is at hand. */
  private welcome(): void {
    if (!this.head) return;
    const { actors } = this.hands;
    const isHeld = actors.some(({ hand }) => hand.kind === "controller");
    const hasHands = actors.some(({ hand }) => hand.kind === "tracked");
    const words = isHeld
      ? "Menu: A or X. Trigger: grab a part. Grip: move the world"
      : hasHands
        ? "Menu: look at the back of your wrist, as if to read a watch. Pinch a part to grab it"
        : "Menu: tap or pinch beside the mechanism. Drag a part to move it";
    this.tags.say(words, this.head, this.last ?? 0);
  }

  get isSeated(): boolean {
    return this.seat !== 0;
  }

  /** Lifts a seated user, with hands and panels, to standing height; again: back down. */
  readonly sit = (): void => {
    if (!this.head) return;
    const by = this.seat ? -this.seat : STANDING - this.head.place.z;
    this.seat += by;
    this.raised += by;
    this.space.position.z = this.raised;
    this.panels.raise(by);
    // what is held would come along
    this.hands.release();
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

  /** Whether it can be put on a real table or floor. */
  get canPutDown(): boolean {
    return this.putting !== null;
  }
  get isPuttingDown(): boolean {
    return this.putting?.isOn ?? false;
  }

  /** Looks for a real table or floor to put the mechanism on; again: gives up. */
  readonly putDown = (): void => this.putting?.toggle(this.inputs.hands);

  private standAt(place: Vector3): void {
    if (!this.head) return;
    this.hands.release();
    this.rig = standAt(this.standing(), place, this.head, this.rig.scale);
  }

  dispose(): void {
    for (const end of this.endings) end();
    this.putting?.dispose();
    this.hands.release();
    this.viewer.lightPhantom(null);
    this.inputs.dispose();
    this.figures.dispose();
    this.panels.dispose();
    this.labels.dispose();
    this.tags.dispose();
    this.around.dispose();
    this.room.removeFromParent();
    this.quality.dispose();
  }

  /** Where the head is; while it is not tracked it stays where it was. */
  private look(frame: XRFrame, space: XRReferenceSpace | null): void {
    const pose = space && frame.getViewerPose(space);
    if (!pose) return;
    const X_RH = new Matrix4().fromArray(pose.transform.matrix).premultiply(X_RS);
    X_RH.elements[14] += this.raised;
    this.X_RH.copy(X_RH);
    this.quality.ask(pose.views);
    const ahead = new Vector3(0, 0, -1).transformDirection(X_RH).setZ(0);
    // one who looks straight down still looks somewhere
    if (ahead.length() < 1e-3) ahead.set(0, 1, 0).transformDirection(X_RH).setZ(0);
    const head = {
      place: new Vector3().setFromMatrixPosition(X_RH),
      ahead: ahead.normalize(),
      along: new Vector3(0, 0, -1).transformDirection(X_RH),
      half: halfOf(pose.views[0].projectionMatrix),
    };
    if (this.before) this.recentre(moveBetween(this.before, head));
    this.before = null;
    this.head = head;
    const name = this.studio.model?.data.name ?? null;
    if (name === null || name === this.shown || !this.viewer.isCurrent) return;
    this.shown = name;
    this.bring();
  }

  private act(frame: XRFrame, space: XRReferenceSpace, seconds: number): void {
    const presses = this.inputs.read(frame, space);
    if (!this.isVisible) return;
    if (this.raised) this.lift();
    const { hands } = this.inputs;
    const eyes = this.head!.place;
    const { raised } = this;
    const others = this.putting?.update(frame, space, hands, presses, raised) ?? presses;
    this.hands.update(hands, others, Math.min(0.1, seconds));
    const isMenuPressed = hands.some(({ commands }) => commands.menu);
    if (isMenuPressed && !this.wasMenuPressed) this.panels.toggle("Menu");
    this.wasMenuPressed = isMenuPressed;
    this.stopping.update(hands, eyes, Math.min(0.5, seconds), this.last! / 1000);
    this.walking.update(this.hands.idle, eyes);
  }

  /** Hands, too, count from the floor. */
  private lift(): void {
    const { raised } = this;
    for (const { grip, ray, joints } of this.inputs.hands) {
      for (const matrix of [grip, ray]) if (matrix) matrix.elements[14] += raised;
      if (joints) for (let i = 2; i < joints.length; i += 4) joints[i] += raised;
    }
  }

  /** Puts room, hands and surroundings where they belong. */
  private arrange(): void {
    matrixOf(this.rig, this.room.matrix);
    this.room.matrixWorldNeedsUpdate = true;
    const { palette } = this.viewer;
    const { wristHand } = this.panels;
    this.figures.show(this.hands.actors, this.room.matrix, palette, this.walking.aimed, wristHand);
    this.around.paint(palette);
    if (!this.head) return;
    const now = this.last ?? 0;
    this.panels.update(this.inputs.hands, this.hands.idle, palette, this.room.matrix, now);
    const X_RW = this.room.matrix.clone().invert();
    this.labels.update(X_RW, this.head, palette, now);
    this.tags.update(this.hands.actors, this.head, palette, now, X_RW);
    const { actors } = this.hands;
    this.studio.people.be(
      presenceOf(this.studio, actors, this.room.matrix, this.X_RH, this.rig.scale),
    );
    const { centre, up, floor, radius } = this.stood ?? this.standing();
    const foot = centre.clone().addScaledVector(up, floor - centre.dot(up));
    this.around.place(this.head.place, toRoom(this.rig, foot), radius / this.rig.scale);
    this.putting?.show(palette, radius / this.rig.scale);
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
}

/** What an action throws; null: nothing. */
function failure(action: () => void): Error | null {
  try {
    action();
    return null;
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
}
