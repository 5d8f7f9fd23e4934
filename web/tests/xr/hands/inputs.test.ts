import { Matrix4 } from "three";
import { describe, expect, it, vi } from "vitest";

import { Hands, type PanelsInSpace } from "../../../src/xr/hands/hands.ts";
import { type Hand, Inputs, kindOf } from "../../../src/xr/hands/inputs.ts";
import type { Rig } from "../../../src/xr/space/rig.ts";
import { Quaternion, Vector3 } from "three";

interface Fake {
  source: XRInputSource;
  pose: Matrix4;
}

/** A finger on a screen, or eyes with a pinch: both are there only while they press. */
function fake(mode: string, hasGrip: boolean, x = 0): Fake {
  const pose = new Matrix4().makeTranslation(x, 1.5, 0);
  const source = {
    ...{ targetRayMode: mode, handedness: "none", targetRaySpace: {}, profiles: [] },
    ...(hasGrip ? { gripSpace: {} } : {}),
  } as unknown as XRInputSource;
  return { source, pose };
}

class Session extends EventTarget {
  inputSources: XRInputSource[] = [];
  private known: Fake[] = [];
  readonly inputs: Inputs;
  readonly lost: Hand[] = [];
  readonly frame = {
    session: this,
    getPose: (space: unknown) => {
      const found = this.known.find(
        ({ source }) => space === source.targetRaySpace || space === source.gripSpace,
      );
      return found ? { transform: { matrix: found.pose.elements } } : null;
    },
  } as unknown as XRFrame;

  constructor() {
    super();
    this.inputs = new Inputs(this as unknown as XRSession, (hand) => this.lost.push(hand));
  }
  read() {
    return this.inputs.read(this.frame, {} as XRReferenceSpace);
  }
  press(one: Fake): void {
    this.known.push(one);
    this.inputSources = [...this.inputSources, one.source];
    this.say("selectstart", one);
  }
  letGo(one: Fake): void {
    this.say("selectend", one);
    this.inputSources = this.inputSources.filter((source) => source !== one.source);
    this.dispatchEvent(Object.assign(new Event("inputsourceschange"), { removed: [one.source] }));
  }
  private say(name: string, { source }: Fake): void {
    const more = { inputSource: source, frame: this.frame };
    this.dispatchEvent(Object.assign(new Event(name), more));
  }
}

describe("hands that are there only while they press", () => {
  for (const [mode, hasGrip] of [
    ["transient-pointer", true],
    ["gaze", false],
    ["screen", false],
  ] as const)
    it(`${mode}: a tap between two frames is read, and then the hand is lost`, () => {
      const session = new Session();
      session.read();
      const one = fake(mode, hasGrip);
      session.press(one);
      session.letGo(one);
      const presses = session.read();
      expect(presses.map(({ isDown }) => isDown)).toEqual([true, false]);
      expect(presses[0].hand.kind).toBe("pointer");
      expect(presses[0].hand.ray).not.toBeNull();
      expect(session.lost).toEqual([]);
      session.read();
      expect(session.lost).toEqual([presses[0].hand]);
      expect(session.inputs.hands).toEqual([]);
    });
});

describe("what a source is", () => {
  const source = (more: Partial<XRInputSource>, buttons = 1): XRInputSource =>
    ({
      ...{ targetRayMode: "tracked-pointer", profiles: [], ...more },
      gamepad: { mapping: "xr-standard", buttons: new Array(buttons).fill({}) },
    }) as unknown as XRInputSource;
  const hand = {} as XRHand;

  it("is a controller also where the runtime makes up the hand that holds it", () => {
    const profiles = ["valve-index", "generic-trigger-squeeze-touchpad-thumbstick"];
    expect(kindOf(source({ hand, profiles }, 4))).toBe("controller");
    expect(kindOf(source({ profiles }, 4))).toBe("controller");
  });

  it("is a bare hand by its profiles, or where it has nothing to grip", () => {
    expect(kindOf(source({ hand, profiles: ["oculus-hand", "generic-hand"] }, 5))).toBe("tracked");
    expect(kindOf(source({ hand }))).toBe("tracked");
    expect(kindOf(source({ targetRayMode: "transient-pointer" }))).toBe("pointer");
  });
});

describe("what such hands do beside all parts", () => {
  const world = () => {
    const session = new Session();
    session.read();
    const menu = vi.fn();
    const panels: PanelsInSpace = {
      distance: () => null,
      press: () => ({ move: () => undefined, end: () => undefined }),
      menu,
    };
    const rig: Rig = { position: new Vector3(), quaternion: new Quaternion(), scale: 1 };
    const place = { rig };
    const viewer = { touched: new Set(), lightPhantom: () => undefined, goAlong: () => false };
    const studio = { model: null, snapshot: null };
    const hands = new Hands(studio as never, viewer as never, panels, place);
    // nothing stands there
    Object.assign(hands, { aims: { of: () => null } });
    const frame = (): void => hands.update(session.inputs.hands, session.read(), 0.01);
    return { session, menu, place, frame };
  };

  it("a tap opens the menu and moves nothing", () => {
    const { session, menu, place, frame } = world();
    const before = place.rig;
    const finger = fake("screen", false);
    session.press(finger);
    frame();
    finger.pose.makeTranslation(0.1, 1.5, 0);
    frame();
    session.letGo(finger);
    frame();
    expect(menu).toHaveBeenCalledTimes(1);
    expect(place.rig).toBe(before);
  });

  it("bare hands point at nothing once eyes have led a pinch", () => {
    const session = new Session();
    const bare = fake("tracked-pointer", true);
    Object.assign(bare.source, { hand: new Map(), profiles: ["generic-hand"] });
    session.press(bare);
    session.read();
    expect(session.inputs.hands[0].ray).not.toBeNull();
    const eyes = fake("transient-pointer", true);
    session.press(eyes);
    session.read();
    session.letGo(eyes);
    session.read();
    session.read();
    expect(session.inputs.hands.map(({ kind, ray }) => [kind, ray])).toEqual([["tracked", null]]);
    expect(session.inputs.hands[0].grip).not.toBeNull();
  });

  it.each([
    ["screen", false],
    ["transient-pointer", true],
  ] as const)("two of them move and scale the world: %s", (mode, hasGrip) => {
    const { session, menu, place, frame } = world();
    const [left, right] = [fake(mode, hasGrip, -0.1), fake(mode, hasGrip, 0.1)];
    session.press(left);
    session.press(right);
    frame();
    expect(place.rig.scale).toBe(1);
    left.pose.makeTranslation(-0.2, 1.5, 0);
    right.pose.makeTranslation(0.2, 1.5, 0);
    frame();
    expect(place.rig.scale).toBeCloseTo(0.5, 6);
    // one of them goes: the world stays where it is
    const held = place.rig;
    session.letGo(right);
    frame();
    left.pose.makeTranslation(-0.5, 1.5, 0);
    frame();
    expect(place.rig).toBe(held);
    expect(menu).not.toHaveBeenCalled();
  });
});
