// The tour of the first visit: four small steps, the last with a four-bar of one's own that moves.
import type { DragHost, ModelHost, MotionHost, RequestHost } from "../../store/hosts.ts";
import type { Store } from "../../store/settings.ts";
import type { AppOf } from "./app.svelte.ts";

export const TOUR_KEY = "kinegen.tour";
/** Of one who has been here before there was a tour. */
const BEFORE_KEY = "kinegen.hasDragged";

const OWN_NAME = "my-four-bar";
/** The mechanism that the visitor makes: a crank-rocker, four lengths, one motor. */
export const OWN_FOUR_BAR = `raff: 1
name: ${OWN_NAME}
title: My four-bar
parameters:                     # each becomes a slider
  crank: {value: 80 mm, min: 40 mm, max: 100 mm}
  coupler: {value: 220 mm, min: 200 mm, max: 300 mm}
  rocker: {value: 180 mm, min: 150 mm, max: 200 mm}
  ground: {value: 200 mm, min: 180 mm, max: 240 mm}
gravity: [0, -9.81, 0]          # it stands upright
joints:
  - {name: crank, parent: base, start: 60 deg, motor: true}
  - {name: coupler, parent: crank, d: crank, start: -40 deg}
  - {name: rocker, parent: base, d: ground, start: 80 deg}
  - {name: pin, parent: coupler, d: coupler, start: 60 deg, closes: {onto: rocker, d: rocker}}
frames:
  - {name: handle, parent: coupler, d: 1.3*coupler}
`;

const MAKE = 1;
const CHANGE = 2;
const RUN = 3;
export const TOUR_STEPS = [
  {
    title: "Pull any part",
    text: "Press on a part and move it. Everything else follows, and every loop stays closed.",
    action: null,
  },
  {
    title: "Make a four-bar of your own",
    text: "A crank, a coupler, a rocker and the ground. Undo restores the current mechanism.",
    action: "Make it",
  },
  {
    title: "Change its lengths",
    text: "Move a slider in Parameters: the mechanism changes with it.",
    action: "Show Parameters",
  },
  {
    title: "Run it",
    text: "The crank has a motor: let it turn and watch the rocker swing.",
    action: "Run the motor",
  },
] as const;

export class Tour {
  /** Index of the step that is shown; that after the last is the end. */
  step = $state(0);
  isOn = $state(false);
  /** Whether somebody has just asked for it: then it takes the keys. */
  isAsked = $state(false);

  constructor(
    private readonly app: AppOf<ModelHost & DragHost & MotionHost & RequestHost>,
    private readonly store: Store | null,
  ) {
    const saved = this.read(TOUR_KEY);
    this.step = Math.min(TOUR_STEPS.length, Math.max(0, Math.floor(Number(saved)) || 0));
    this.isOn = saved === null && this.read(BEFORE_KEY) === null;
    const { studio } = app;
    studio.on("grabs", () => studio.grabs.length && this.reached(0));
    studio.on("numbers", () => this.reached(CHANGE));
    studio.on("run", () => studio.run.isRunning && this.reached(RUN));
  }

  /** Whether the next step only makes sense after the one that is shown was done. */
  get mustAct(): boolean {
    return this.step === MAKE || this.step === RUN;
  }

  /** Shows it: where it was left, or from the start when it had come to its end. */
  resume(): void {
    if (this.step >= TOUR_STEPS.length) this.step = 0;
    // a step with the four-bar needs the four-bar
    if (this.step > MAKE && this.app.studio.model?.data.name !== OWN_NAME) this.step = MAKE;
    this.isOn = this.isAsked = true;
  }

  /** Closes it for good; the help has it. */
  close(): void {
    this.isOn = false;
    this.keep();
  }

  next(): void {
    this.step += 1;
    this.keep();
  }

  /** Does what the step's button says. */
  async act(): Promise<void> {
    const { app } = this;
    if (this.step === MAKE) {
      const opened = app.studio.open("text", OWN_FOUR_BAR).then(() => true);
      // who has closed the tour meanwhile is not taken along
      if ((await app.ask("Creating a four-bar", opened)) && this.isOn) this.next();
    } else if (this.step === CHANGE) app.showRight("parameters");
    else app.studio.run.startUsual();
  }

  private reached(step: number): void {
    if (this.isOn && this.step === step) this.next();
  }

  private read(key: string): string | null {
    try {
      return this.store?.getItem(key) ?? null;
    } catch {
      return null;
    }
  }

  private keep(): void {
    try {
      this.store?.setItem(TOUR_KEY, String(this.step));
    } catch {
      // then the tour is offered again next time
    }
  }
}
