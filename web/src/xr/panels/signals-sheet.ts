// The sheet of a running world's signals.
import type { NoticeHost, SimulationHost } from "../../store/hosts.ts";
import { valueText } from "../../store/simulation/signal-text.ts";
import { signalValues } from "../../store/simulation/signals.ts";
import type { Row, Sheet } from "./rows.ts";
import { buttons, words } from "./sheet-rows.ts";

type Host = NoticeHost & SimulationHost;

/** All signals with their values; one that is pressed stays at its value until pressed again. */
export function signalsSheet(studio: Host): Sheet {
  const { simulation, readOnly } = studio;
  const { signals, frame, isOn } = simulation;
  const title = "Signals";
  if (!isOn || signals.table.length === 0)
    return { title, rows: [words("A world has signals while it is simulated (Forces).", "soft")] };
  const values = frame && signalValues(signals.table, frame.signals);
  const count = signals.overridden.length;
  const rows = signals.table.map(({ name, unit, override }): Row => {
    const value = override || valueText(values?.get(name), unit);
    return buttons({
      ...{ label: `${name}: ${value}`, isOn: override !== "", isOff: readOnly },
      run: () =>
        override ? signals.release(name) : signals.override(name, { kind: "freeze_signal" }),
    });
  });
  const note = count ? `${count} held` : "Press one to hold its value";
  const all = { label: "Release all", isOff: readOnly || !count, run: () => signals.releaseAll() };
  return { title, rows: [buttons(all), words(note, "soft"), ...rows] };
}
