// Key presses to commands; fields and dialogs keep their own keys.
import type { RobotHost } from "../../store/hosts.ts";
import { COMMANDS, type Command, type CommandApp } from "./commands.ts";
import type { AppOf } from "../state/app.svelte.ts";

export const isMac = /Mac|iPhone|iPad/.test(globalThis.navigator?.platform ?? "");

/** The name of a key press as commands write it: 'Mod+Shift+Z', '?', 'Space'. */
export function chord(
  event: Pick<KeyboardEvent, "key" | "ctrlKey" | "metaKey" | "shiftKey" | "altKey">,
): string {
  const mod = isMac ? event.metaKey : event.ctrlKey;
  const key =
    event.key === " " ? "Space" : event.key.length === 1 ? event.key.toUpperCase() : event.key;
  const isLetter = /^[A-Z]$/.test(key) || key.length > 1;
  return `${mod ? "Mod+" : ""}${event.altKey ? "Alt+" : ""}${event.shiftKey && isLetter ? "Shift+" : ""}${key}`;
}

/** A key as it stands on the keyboard. */
export function keyText(key: string): string {
  return isMac ? key.replace("Mod+", "⌘").replace("Shift+", "⇧") : key.replace("Mod", "Ctrl");
}

/** After a click the space bar is the page's again, not the button's; who came by keys stays. */
export function releaseFocus(event: MouseEvent & { currentTarget: HTMLElement }): void {
  if (event.detail > 0) event.currentTarget.blur();
}

const byKey = new Map<string, Command>();
for (const command of COMMANDS) for (const key of command.keys) byKey.set(key, command);

/** Keys that are the page's also while one types: the browser's own dialogs never help here. */
const ALWAYS = new Set(["Mod+S", "Mod+Shift+S", "Mod+O"]);

/** Whether a press belongs to the element it went to. */
function isTyping(target: EventTarget | null, name: string): boolean {
  if (!(target instanceof HTMLElement)) return false;
  if (
    target.closest(
      "input:not([type=range], [type=checkbox], [type=radio]), textarea, select, .cm-editor",
    )
  )
    return true;
  return name === "Space" && target.closest("button, a, [role=tab]") !== null;
}

/** Listens for the page's shortcuts; returns the clean-up. */
export function listen(app: CommandApp & AppOf<RobotHost>): () => void {
  const onkeydown = (event: KeyboardEvent): void => {
    const name = chord(event);
    if (event.defaultPrevented || app.dialog || isTyping(event.target, name)) return;
    const command = byKey.get(name);
    if (!command) return;
    event.preventDefault();
    command.run(app);
  };
  // saving and opening are meant for the page wherever one types: fields must not keep those keys
  const first = (event: KeyboardEvent): void => {
    // a robot that moves comes before whatever else the space bar would do, in any field
    if (event.key === " " && app.studio.robot.isOn) {
      event.preventDefault();
      event.stopPropagation();
      app.studio.robot.stop();
      return;
    }
    const name = chord(event);
    if (!ALWAYS.has(name)) return;
    event.preventDefault();
    event.stopPropagation();
    if (app.dialog) return;
    // what is typed in a field counts
    const field = document.activeElement;
    if (field instanceof HTMLInputElement) {
      field.blur();
      field.focus();
    }
    byKey.get(name)?.run(app);
  };
  window.addEventListener("keydown", first, { capture: true });
  window.addEventListener("keydown", onkeydown);
  return () => {
    window.removeEventListener("keydown", first, { capture: true });
    window.removeEventListener("keydown", onkeydown);
  };
}
