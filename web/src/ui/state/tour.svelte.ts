// The tour of the first visit: four small steps, the last with a four-bar of one's own that moves.
import type { Store } from "../../store/settings.ts";
import type { App } from "./app.svelte.ts";

export const TOUR_KEY = "kinegen.tour";
/** Of one who has been here before there was a tour. */
const BEFORE_KEY = "kinegen.hasDragged";
/** Time of a turn of the crank [s]. */
const TURN = 5;

/** The mechanism that the visitor makes: a crank-rocker, four lengths, one motor. */
export const OWN_FOUR_BAR = `raff: 1
name: my-four-bar
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

export const TOUR_STEPS = [
  {
    title: "Pull any part",
    text: "Press on a part and move it. Everything else follows, every loop stays closed.",
    action: null,
  },
  {
    title: "Make a four-bar of your own",
    text: "A crank, a coupler, a rocker and the ground. What is open now stays in the library.",
    action: "Make it",
  },
  {
    title: "Give it your lengths",
    text: "Move a slider in Numbers: the mechanism changes with it.",
    action: "Show Numbers",
  },
  {
    title: "Let it run",
    text: "The crank has a motor: turn it all the way round and watch the rocker swing.",
    action: "Turn the crank",
  },
] as const;

export class Tour {
  /** Index of the step that is shown; that after the last is the end. */
  step = $state(0);
  isOn = $state(false);
  /** Whether the crank turns. */
  isTurning = $state(false);
  private request = 0;

  constructor(
    private readonly app: App,
    private readonly store: Store | null,
  ) {
    const saved = this.read(TOUR_KEY);
    this.step = Math.min(TOUR_STEPS.length - 1, Math.max(0, Number(saved) || 0));
    this.isOn = saved === null && this.read(BEFORE_KEY) === null;
    const { studio } = app;
    studio.on("grabs", () => {
      this.stop();
      if (this.step === 0 && studio.grabs.length) this.reached(0);
    });
    studio.on("numbers", () => this.reached(2));
  }

  /** Shows it: where it was left, or from the start when it had come to its end. */
  resume(): void {
    if (this.step >= TOUR_STEPS.length) this.step = 0;
    // a step with the four-bar needs the four-bar
    if (this.step > 1 && !this.hasFourBar) this.step = 1;
    this.isOn = true;
  }

  /** Puts it away; it can be taken up again from the help. */
  skip(): void {
    this.stop();
    this.isOn = false;
    this.keep();
  }

  next(): void {
    this.stop();
    this.step += 1;
    this.keep();
  }

  /** Does what the step's button says. */
  async act(): Promise<void> {
    if (this.step === 1) {
      const opened = this.app.studio.open("text", OWN_FOUR_BAR).then(() => true);
      if (await this.app.ask("Making a four-bar", opened)) this.next();
    } else if (this.step === 2) this.app.showRight("parameters");
    else if (this.isTurning) this.stop();
    else this.turn();
  }

  private get hasFourBar(): boolean {
    return this.app.studio.model?.data.joints[0]?.name === "crank";
  }

  private reached(step: number): void {
    if (this.isOn && this.step === step) this.next();
  }

  /** Turns the crank once; a hand on the mechanism stops it. */
  private turn(): void {
    const { studio } = this.app;
    const { model } = studio;
    const crank = model?.data.joints[0];
    if (!model || !crank || studio.readOnly) return;
    const start = studio.q[crank.q]!;
    const began = performance.now();
    this.isTurning = true;
    const frame = (now: number): void => {
      const share = Math.min(1, Math.max(0, (now - began) / 1000 / TURN));
      if (studio.model !== model || !this.isTurning) return;
      studio.setVariable(0, 0, start + 2 * Math.PI * share);
      if (share < 1) this.request = requestAnimationFrame(frame);
      else {
        this.stop();
        this.reached(TOUR_STEPS.length - 1);
      }
    };
    this.request = requestAnimationFrame(frame);
  }

  private stop(): void {
    if (!this.isTurning) return;
    cancelAnimationFrame(this.request);
    this.isTurning = false;
    this.app.studio.commitPose("turn the crank");
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
