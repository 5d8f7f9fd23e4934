// Devices in words: what they are called, what they move, how they are used.
import type { Mapping } from "../../interact/devices/mapping.ts";
import type { IconName } from "../icons/paths.ts";

/** What a page can read, as the file calls it and as people do. */
export const DEVICE_TYPES = [
  { type: "mouse", label: "Mouse" },
  { type: "keyboard", label: "Keyboard" },
  { type: "sliders", label: "Slider box" },
  { type: "buttons", label: "Button box" },
  { type: "gamepad", label: "Gamepad" },
  { type: "spacemouse", label: "SpaceMouse" },
] as const;

const ICONS: Record<string, IconName> = {
  mouse: "hand",
  keyboard: "keyboard",
  sliders: "trim",
  buttons: "grid",
  gamepad: "gamepad",
  spacemouse: "knob",
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
  if (device.type === "gamepad" && !device.isConnected) return "plug it in and press a button";
  if (device.type === "spacemouse" && !device.isConnected)
    return hid ? `6 axes, by WebHID; moves ${mapping.moves}` : "needs a Chromium browser";
  const ways: Record<string, string> = {
    keyboard: "arrow keys in the view, ",
    mouse: "Ctrl and drag in the view, ",
  };
  const scales = [
    ...(data && data.scale !== 1 ? [`${data.scale} ×`] : []),
    ...(data && data.rotation_scale !== 1 ? [`turns ${data.rotation_scale} ×`] : []),
  ];
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
