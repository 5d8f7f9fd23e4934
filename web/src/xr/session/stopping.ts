// A flat hand, or B or Y, stops everything; where agents of a world see it, they may do so themselves.
import type { Vector3 } from "three";
import type { PoseHost, SimulationHost, RobotHost, PathHost } from "../../store/hosts.ts";
import { Patience, StopGesture, isStopHand } from "../hands/gestures.ts";
import type { Hand } from "../hands/inputs.ts";

type Host = PoseHost & SimulationHost & RobotHost & PathHost;

export class Stopping {
  private readonly gesture = new StopGesture();
  private readonly patience = new Patience();
  private wasPressed = false;

  /** @param release Lets go of everything that hands hold. */
  constructor(
    private readonly studio: Host,
    private readonly release: () => void,
  ) {}

  /** Ends whatever moves, a real robot first of all; parts that are held are let go and stay. */
  readonly stop = (): void => {
    this.studio.robot.stop("from the headset");
    this.release();
    this.studio.rest();
    this.studio.paths.walk.pause();
    if (this.studio.simulation.isRunning) void this.studio.simulation.pause();
  };

  /** One frame that came so long after the last [s]; now: real time [s]. */
  update(hands: readonly Hand[], eyes: Vector3, seconds: number, now: number): void {
    const isPressed = hands.some(({ commands }) => commands.stop);
    const isShown = hands.some(({ joints, side }) => joints && isStopHand(joints, side, eyes));
    const isBegun = this.gesture.update(isShown, seconds) || (isPressed && !this.wasPressed);
    this.wasPressed = isPressed;
    this.halt(isBegun, isPressed || this.gesture.isHeld, now);
  }

  /** Hands are not seen for a while: as if they were lowered. */
  interrupt(now: number): void {
    this.gesture.update(false, 0);
    this.wasPressed = false;
    this.halt(false, false, now);
  }

  /**
   * In a running world whose agents read gestures, only the motion that they do not end themselves is
   * stopped here.
   */
  private halt(isBegun: boolean, isShown: boolean, now: number): void {
    const { simulation, q } = this.studio;
    const { frame } = simulation;
    if (!simulation.isRunning || !frame || !simulation.sensors.areGesturesRead) {
      this.patience.reset();
      if (isBegun) this.stop();
      return;
    }
    if (isBegun) {
      this.studio.robot.stop("from the headset");
      this.release();
    }
    if (this.patience.update(isShown, [...q, ...frame.objects], frame.time, now)) this.stop();
  }
}
