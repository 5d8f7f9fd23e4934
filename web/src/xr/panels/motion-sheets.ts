// The sheet of motions: recorded, played, followed under forces.
import { sentence } from "../../kernel/reasons.ts";
import type {
  PoseHost,
  ModelHost,
  ChoiceHost,
  NoticeHost,
  ConnectionHost,
  MotionHost,
  SimulationHost,
  TrackerHost,
  RequestHost,
} from "../../store/hosts.ts";
import { follow } from "../../store/simulation/follow.ts";
import type { MotionData } from "../../wire/messages.ts";
import { planText, runText } from "../../view/forces/plan-words.ts";
import { lengthText } from "../../view/units.ts";
import { handItems, speedRow } from "./forces-sheet.ts";
import type { ButtonItem, Row, Sheet } from "./rows.ts";
import { buttons, said, words } from "./sheet-rows.ts";

type Host = PoseHost &
  ChoiceHost &
  NoticeHost &
  ConnectionHost &
  MotionHost &
  SimulationHost &
  TrackerHost &
  RequestHost;

/** What happens after a hand has led the mechanism aside. */
const RESUMES = [
  ["Rejoin", "rejoin", "When released, it returns to the planned motion."],
  ["Keep course", "keep", "When released, it continues beside the planned motion."],
  ["Stop", "stop", "When released, it stops; Continue returns it to the motion."],
] as const;

export function motionSheet(studio: Host): Sheet {
  const { recorder, player, readOnly, simulation } = studio;
  if (simulation.settings.motion !== null) return followSheet(studio, simulation.settings.motion);
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
                label: "Save",
                isOff: readOnly,
                run: () => said(studio, studio.storeMotion(motion)),
              },
            ]
          : []),
        ...underForces(studio, motion),
        { label: "Close it", run: () => player.load(null) },
      ),
    );
  else if (!recorder.recording)
    rows.push(words("Record, then move a part: the motion can be played afterwards.", "soft"));
  for (const one of motions)
    if (one.name !== motion?.name)
      rows.push(
        buttons(
          { label: `Open ${one.name}`, run: () => player.load(one) },
          ...underForces(studio, one),
        ),
      );
  return { title: "Motion", rows };
}

/** Motors follow a motion under forces, so that a hand can lead the mechanism aside. */
export function underForces(
  studio: ModelHost & NoticeHost & ConnectionHost & MotionHost & SimulationHost & RequestHost,
  motion: MotionData,
): ButtonItem[] {
  if (!studio.link) return [];
  const run = (): void => said(studio, follow(studio, motion));
  return [{ label: "Simulate with forces", isOff: studio.readOnly || studio.simulation.busy, run }];
}

/** A motion that is followed under forces: run, led aside by a hand, and what happens then. */
function followSheet(studio: Host, name: string): Sheet {
  const { simulation, readOnly } = studio;
  const { isOn, isRunning, settings, frame, state, error } = simulation;
  const act = (request: Promise<unknown>): void => said(studio, request);
  const isOff = readOnly || simulation.busy;
  const rows: Row[] = [
    buttons(
      {
        label: isRunning ? "Pause" : (frame?.time ?? 0) > 0 ? "Continue" : "Run",
        isOff,
        run: () => act(simulation.toggle()),
      },
      { label: "Undo the touch", isOff: isOff || !isOn, run: () => act(simulation.undo()) },
      { label: "End", isOff, run: () => act(simulation.set({ motion: null })) },
    ),
    buttons(...handItems(studio)),
    buttons(
      ...RESUMES.map(([label, resume]) => ({
        ...{ label, isOn: settings.resume === resume, isOff: readOnly },
        run: () => act(simulation.set({ resume })),
      })),
    ),
    words(RESUMES.find(([, resume]) => resume === settings.resume)?.[2] ?? "", "soft"),
    speedRow(studio),
  ];
  if (error) rows.push(words(sentence(error), "danger"));
  rows.push(...clearanceRows(studio));
  if (frame)
    rows.push(
      words(`${frame.time.toFixed(2)} s · ${frame.is_led ? "your hand leads" : "it follows"}`),
    );
  rows.push(
    words(sentence(state.reason) || "Grab a part while it runs: it yields to your hand.", "soft"),
  );
  return { title: `Motion ${name}`, rows };
}

/** What the plan would hit until it runs; from then on, how near the run came to it. */
function clearanceRows({ simulation, settings, snapshot }: Host): Row[] {
  const { frame, state } = simulation;
  if (!state.plan) return [];
  const length = (metres: number): string => lengthText(metres, settings.lengthUnit);
  if (!frame?.time)
    return [words(planText(state.plan, length), state.plan.start === null ? "soft" : "danger")];
  const object = snapshot?.objects[frame.least_object]?.name ?? "";
  const { text, isClear } = runText(frame.least, object, length);
  return [words(text, isClear ? "soft" : "danger")];
}
