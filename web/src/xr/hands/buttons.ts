// What the buttons and pads of a controller mean, whichever of them it has.

/** Numbers of buttons and axes as all controllers with the 'xr-standard' layout have them. */
const [PAD, STICK, LOWER, UPPER] = [2, 3, 4, 5];
/** A pad or stick is pressed in its middle within this distance of it. */
const MIDDLE = 0.35;

/** What of a gamepad is read. */
export type Pad = Pick<Gamepad, "axes"> & {
  readonly buttons: readonly Pick<GamepadButton, "pressed">[];
};

/** Thumb stick, or touch pad while it is pressed: right and up, −1 … 1. */
export function stickOf({ axes, buttons }: Pad): readonly [number, number] {
  const [x, y] = [axes[2] ?? 0, axes[3] ?? 0];
  // a thumb that rests on the pad means nothing
  if (x !== 0 || y !== 0 || !buttons[PAD]?.pressed) return [x, -y];
  return [axes[0] ?? 0, -(axes[1] ?? 0)];
}

/**
 * Whether the buttons for the menu (A or X) and for stopping (B or Y) are pressed. Controllers without
 * them have their pad or stick, pressed in its middle: that of the left hand stops.
 */
export function commandsOf(pad: Pad, side: XRHandedness): { menu: boolean; stop: boolean } {
  const { buttons, axes } = pad;
  const isDown = (i: number): boolean => buttons[i]?.pressed ?? false;
  if (buttons.length > LOWER) return { menu: isDown(LOWER), stop: isDown(UPPER) };
  const [x, y] = isDown(STICK) ? [axes[2], axes[3]] : [axes[0], axes[1]];
  const isMiddle = Math.hypot(x ?? 0, y ?? 0) < MIDDLE;
  const isPressed = (isDown(PAD) || isDown(STICK)) && isMiddle;
  return { menu: isPressed && side !== "left", stop: isPressed && side === "left" };
}
