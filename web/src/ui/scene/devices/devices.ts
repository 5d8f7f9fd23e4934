// Devices in words: what they are called, what they move, how they are used.
import type { Mapping } from "../../../interact/devices/mapping.ts";
import type { DeviceData } from "../../../wire/messages.ts";
import type { IconName } from "../../icons/paths.ts";

/** What a page can read, as the file calls it and as people do. */
export const DEVICE_TYPES = [
  { type: "mouse", label: "Mouse" },
  { type: "keyboard", label: "Keyboard" },
  { type: "sliders", label: "Slider box" },
  { type: "buttons", label: "Button box" },
  { type: "gamepad", label: "Gamepad" },
  { type: "spacemouse", label: "SpaceMouse" },
] as const;

const HANDS: Record<string, string> = {
  controller: "controller",
  hand: "bare hand",
  tracker: "tracker",
};

/** Devices that the page itself does not read: what they move, and where they are used. */
export function elsewhereNote(data: DeviceData): string {
  const moves = data.moves.join(", ") || "the last frame";
  const scale = data.scale === 1 ? "" : ` (${data.scale} ×)`;
  if (data.type in HANDS) {
    const side = data.side ?? "either";
    const held = { controller: `hold its ${data.button}`, hand: "pinch", tracker: "always on" };
    const how = held[data.type as keyof typeof held];
    const who = data.type === "tracker" ? "a tracker" : `${side} ${HANDS[data.type]}`;
    // browsers report no trackers: a port is how they come in
    const advice = data.type === "tracker" ? "; give it a port to receive it by UDP" : "";
    return `in a headset, ${who}: ${how}; moves ${moves}${scale}${advice}`;
  }
  return `force device (${data.type}), moves ${moves}${scale}; connect it to the studio's computer`;
}

const ICONS: Record<string, IconName> = {
  mouse: "hand",
  keyboard: "keyboard",
  sliders: "trim",
  buttons: "grid",
  gamepad: "gamepad",
  spacemouse: "knob",
  controller: "gamepad",
  hand: "hand",
};

export function deviceIcon(type: string): IconName {
  return ICONS[type] ?? "info";
}

export function deviceLabel(type: string): string {
  return DEVICE_TYPES.find((one) => one.type === type)?.label ?? type;
}

/** How a device is used and what it moves. */
export function deviceNote(
  mapping: Pick<Mapping, "device" | "data" | "moves">,
  hid: boolean,
): string {
  const { device, data } = mapping;
  if (device.type === "tracker" && data)
    return `UDP packets on port ${data.port}; moves ${mapping.moves}${data.scale === 1 ? "" : ` (${data.scale} ×)`}`;
  if (device.type === "gamepad" && !device.isConnected) return "plug it in and press a button";
  if (device.type === "spacemouse" && !device.isConnected)
    return hid ? `6 axes, by WebHID; moves ${mapping.moves}` : "needs a Chromium browser";
  const ways: Record<string, string> = {
    keyboard: "arrow keys in the view: ",
    mouse: "Ctrl and drag in the view: ",
  };
  const scales = [
    ...(data && data.scale !== 1 ? [`${data.scale} ×`] : []),
    ...(data && data.rotation_scale !== 1 ? [`turns ${data.rotation_scale} ×`] : []),
  ];
  // what a file says about ports is for other programs: a browser connects devices by itself
  if (data?.port) scales.push("the browser chooses the port");
  const more = scales.length ? ` (${scales.join(", ")})` : "";
  return `${ways[device.type] ?? ""}moves ${mapping.moves}${more}`;
}

/** How far a slider goes either way [SI], and where it is; null where nothing is known of it. */
export interface Travel {
  low: number;
  high: number;
  value: number;
  quantity: "angle" | "length" | "number";
}
