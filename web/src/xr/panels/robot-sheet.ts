// The sheet of the real robot: found at its port, switched on after agreement, led and stopped.
import { stateText } from "../../store/robot/state-text.ts";
import type { RobotChoice } from "../../store/robot/robot.ts";
import type { NoticeHost, MotionHost, RobotHost } from "../../store/hosts.ts";
import type { ButtonItem, Row, Sheet } from "./rows.ts";
import { buttons, said, words } from "./sheet-rows.ts";

type Host = NoticeHost & MotionHost & RobotHost;

/** What was chosen in the headset, by page. */
interface Choice {
  bus: string;
  port: string | null;
  onStop: RobotChoice["on_stop"];
  /** Whether the user said that nothing is in the robot's way. */
  isAgreed: boolean;
  /** Limits while their sliders are held; the studio gets them when they are let go. */
  limits: Record<Limit, number | null>;
}
type Limit = "speed" | "torque";

const choices = new WeakMap<object, Choice>();
/** The port of a robot that the studio simulates. */
const VIRTUAL = "virtual";

export function robotSheet(studio: Host): Sheet {
  const { robot } = studio;
  let choice = choices.get(studio);
  if (!choice) {
    choice = {
      bus: "feetech",
      port: null,
      onStop: "hold",
      isAgreed: false,
      limits: { speed: null, torque: null },
    };
    choices.set(studio, choice);
    void robot.loadPorts();
  }
  // every connection asks again whether something is in the way
  if (!robot.isConnected) choice.isAgreed = false;
  const rows = robot.isConnected ? drivingRows(studio, choice) : portRows(studio, choice);
  if (robot.error) rows.push(words(robot.error, "danger"));
  return { title: "Robot", rows };
}

/** What the servos are, and at which port: nothing moves. */
function portRows(studio: Host, choice: Choice): Row[] {
  const { robot, readOnly } = studio;
  const { speed, torque } = robot.state;
  const port = choice.port ?? robot.ports[0]?.device ?? VIRTUAL;
  const isBusy = robot.busy || robot.phase === "connecting";
  const at = (device: string, label: string): Row =>
    buttons({ label, isOn: port === device, run: () => void (choice.port = device) });
  const stop = (label: string, onStop: Choice["onStop"]): ButtonItem => ({
    ...{ label, isOn: choice.onStop === onStop },
    run: () => void (choice.onStop = onStop),
  });
  const note =
    choice.bus === "ssc32"
      ? "An SSC-32 does not measure positions: put the robot into the pose of the mechanism first."
      : "Nothing moves yet. IDs, offsets and limits are those of the file.";
  const find = {
    label: isBusy ? "Looking for servos…" : "Find the servos",
    isOff: readOnly || isBusy,
    run: () =>
      said(studio, robot.connect({ bus: choice.bus, port, speed, torque, on_stop: choice.onStop })),
  };
  const kinds = robot.kinds.map((bus) => ({
    label: bus,
    isOn: choice.bus === bus,
    run: () => void (choice.bus = bus),
  }));
  return [
    words("Servos", "soft"),
    ...pairs(kinds, 4),
    words("Port of the computer that runs the studio", "soft"),
    ...robot.ports.map(({ device, description }) =>
      at(device, [device, description].filter(Boolean).join(", ")),
    ),
    at(VIRTUAL, "A simulated robot, to try it"),
    buttons(stop("A stop holds it", "hold"), stop("A stop switches it off", "off")),
    buttons(find, { label: "Look for ports", run: () => void robot.loadPorts() }),
    words(note, "soft"),
  ];
}

function drivingRows(studio: Host, choice: Choice): Row[] {
  const { robot, readOnly, player } = studio;
  const { state, phase } = robot;
  const isOff = readOnly || robot.busy || phase === "lost";
  const act = (request: Promise<unknown>): void => said(studio, request);
  const rows: Row[] = [
    words(stateText(state)),
    buttons({ label: "Stop the robot", isAlarm: true, run: () => robot.stop("from the headset") }),
    limitRow(studio, choice, "speed"),
    limitRow(studio, choice, "torque"),
  ];
  if (state.task)
    rows.push(
      buttons({
        label: state.task === "teach" ? "Stop and save the motion" : "End",
        isOff,
        run: () => act(robot.finish()),
      }),
    );
  else if (phase === "on") {
    rows.push(
      buttons(
        { label: "Follow the page", isOff, run: () => act(robot.follow()) },
        {
          ...{ label: "Play the motion", isOff: isOff || !player.motion },
          run: () => act(robot.play()),
        },
      ),
    );
    if (state.measures)
      rows.push(
        buttons(agreement(choice, isOff), {
          ...{ label: "Teach by hand", isOff: isOff || !choice.isAgreed },
          run: () => act(robot.teach()),
        }),
      );
  } else rows.push(...agreementRows(studio, choice, isOff));
  if (!state.task)
    rows.push(
      buttons(
        { label: "Motors off", isOff, run: () => act(robot.letGo()) },
        { label: "Disconnect", isOff: robot.busy, run: () => act(robot.disconnect()) },
      ),
    );
  return rows;
}

/** Nothing moves before the user has agreed. */
function agreementRows(studio: Host, choice: Choice, isOff: boolean): Row[] {
  const { robot } = studio;
  return [
    words(
      "The motors are switched on and hold the robot where it is; then it moves within these limits. " +
        "B, Y, a flat hand and Stop stop it. Keep clear of the robot, and keep a hand on the switch " +
        "of its power supply.",
      "soft",
    ),
    buttons(agreement(choice, isOff), {
      ...{ label: "Switch the motors on", isOff: isOff || !choice.isAgreed },
      run: () => {
        choice.isAgreed = false;
        said(studio, robot.start(robot.state.twin));
      },
    }),
  ];
}

const agreement = (choice: Choice, isOff: boolean): ButtonItem => ({
  ...{ label: "Nothing is in its way", isOn: choice.isAgreed, isOff },
  run: () => void (choice.isAgreed = !choice.isAgreed),
});

function limitRow(studio: Host, { limits }: Choice, key: Limit): Row {
  const { robot } = studio;
  const value = limits[key] ?? robot.state[key];
  return {
    ...{ kind: "slider", label: key === "speed" ? "Speed limit" : "Torque limit", value },
    ...{ min: key === "speed" ? 0.02 : 0.05, max: 1, text: `${Math.round(100 * value)} %` },
    set: (next) => void (limits[key] = next),
    commit: () => {
      const { speed, torque } = robot.state;
      said(studio, robot.limit(limits.speed ?? speed, limits.torque ?? torque));
      limits[key] = null;
    },
  };
}

/** Items in rows of a few. */
function pairs(items: readonly ButtonItem[], count: number): Row[] {
  const rows: Row[] = [];
  for (let i = 0; i < items.length; i += count) rows.push(buttons(...items.slice(i, i + count)));
  return rows;
}
