// What pointers and keys do in the view, for the help sheet; commands on keys are the ui's.
export interface Gesture {
  keys: readonly string[];
  label: string;
  /** Heading it stands under. */
  group: "Mouse" | "Touch" | "Move with keys" | "Gamepad" | "SpaceMouse";
}

export const GESTURES: readonly Gesture[] = [
  { group: "Mouse", keys: ["Drag a link"], label: "Pull the part at that point" },
  { group: "Mouse", keys: ["Shift", "Drag a link"], label: "Rotate the part" },
  { group: "Mouse", keys: ["Wheel", "while dragging"], label: "Push away or pull nearer" },
  { group: "Mouse", keys: ["Drag the background"], label: "Turn the view" },
  { group: "Mouse", keys: ["Right button"], label: "Open the part menu" },
  { group: "Touch", keys: ["One finger on a link"], label: "Pull the part" },
  { group: "Touch", keys: ["Two fingers on links"], label: "Hold two points at once" },
  { group: "Touch", keys: ["Two fingers on the background"], label: "Turn and zoom the view" },
  { group: "Move with keys", keys: ["←", "→", "↑", "↓"], label: "Move the selected part" },
  { group: "Move with keys", keys: ["Page ↑", "Page ↓"], label: "Raise or lower the part" },
  { group: "Move with keys", keys: ["Alt", "arrows"], label: "Rotate the part" },
  { group: "Move with keys", keys: ["Shift", "arrows"], label: "Move in small steps" },
  { group: "Gamepad", keys: ["Left stick"], label: "Move sideways" },
  { group: "Gamepad", keys: ["Triggers"], label: "Lower or raise" },
  { group: "Gamepad", keys: ["Right stick"], label: "Rotate" },
  { group: "SpaceMouse", keys: ["Cap"], label: "Move and turn the selected part" },
];
