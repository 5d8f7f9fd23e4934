// Sheets of what moves: recordings and motions, the simulation and its hands.
import type { StudioHost } from "../../store/hosts.ts";
import { forceText } from "../../view/units.ts";
import type { Row, Sheet } from "./rows.ts";
import { buttons, said, words } from "./sheet-rows.ts";

export function motionSheet(studio: StudioHost): Sheet {
  const { recorder, player, readOnly } = studio;
  const motions = studio.snapshot?.motions ?? [];
  const { motion, duration } = player;
  const isKept = motion !== null && motions.some(({ name }) => name === motion.name);
  const rows: Row[] = [
    buttons(
      recorder.recording
        ? { label: "Stop recording", isOn: true, run: () => void studio.stopRecording() }
        : { label: "Record", isOff: readOnly, run: () => studio.startRecording() },
      {
        label: player.playing ? "Pause" : "Play",
        isOff: motion === null,
        run: () => (player.playing ? player.pause() : player.play()),
      },
    ),
  ];
  if (recorder.recording) rows.push(words(`Recording: ${recorder.duration.toFixed(1)} s`));
  if (motion)
    rows.push(
      {
        ...{ kind: "slider", label: motion.name, value: player.time, min: 0, max: duration },
        text: `${player.time.toFixed(2)} s`,
        set: (time) => player.seek(time),
        commit: () => studio.commitPose("Move along the motion"),
      },
      buttons(
        ...(studio.link && !isKept
          ? [
              {
                label: "Keep",
                isOff: readOnly,
                run: () => said(studio, studio.storeMotion(motion)),
              },
            ]
          : []),
        { label: "Close it", run: () => player.load(null) },
      ),
    );
  else if (!recorder.recording)
    rows.push(words("Record, then move a part: the motion can be played afterwards.", "soft"));
  for (const one of motions)
    if (one.name !== motion?.name)
      rows.push(buttons({ label: `Open ${one.name}`, run: () => player.load(one) }));
  return { title: "Motion", rows };
}

export function forcesSheet(studio: StudioHost): Sheet {
  const { simulation, readOnly } = studio;
  const { isOn, isRunning, mode, settings, frame, error } = simulation;
  const act = (request: Promise<unknown>): void => said(studio, request);
  const rows: Row[] = [
    buttons(
      {
        label: isRunning ? "Pause" : isOn ? "Continue" : "Simulate",
        isOff: readOnly || simulation.busy,
        run: () => act(simulation.toggle()),
      },
      { label: "Reset", isOff: !isOn, run: () => act(simulation.reset()) },
      { label: "End", isOff: !isOn, run: () => act(simulation.end()) },
    ),
    buttons(
      { label: "Pull", isOn: mode === "pull", run: () => simulation.setMode("pull") },
      { label: "Push", isOn: mode === "push", run: () => simulation.setMode("push") },
      {
        label: "Motors hold",
        isOn: settings.hold,
        run: () => act(simulation.set({ hold: !settings.hold })),
      },
      {
        label: "Floor",
        isOn: settings.floor,
        run: () => act(simulation.set({ floor: !settings.floor })),
      },
    ),
  ];
  if (error) rows.push(words(error, "danger"));
  if (frame && isOn)
    rows.push(
      words(`${frame.time.toFixed(2)} s · force in the hand ${forceText(simulation.force)}`),
      words(`${frame.contacts} contacts`, "soft"),
    );
  else rows.push(words("Simulate, then take a part: it pulls back.", "soft"));
  return { title: "Forces", rows };
}
