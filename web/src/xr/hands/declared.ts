// Hands and controllers that the file declares: each holds its frame, wherever the hand is.
import { Matrix4, Quaternion, Vector3 } from "three";
import { follow, type SixPose } from "../../interact/devices/absolute.ts";
import { placeOf, poseAt, quatOf } from "../../kernel/spatial.ts";
import type { ModelHost, DragHost, NoticeHost, SimulationHost } from "../../store/hosts.ts";
import type { DeviceData } from "../../wire/messages.ts";
import { inPlane, type Job } from "./jobs.ts";

type Host = ModelHost & DragHost & NoticeHost & SimulationHost;

/** Arms with few joints cannot keep the rotation: the place counts more. */
const ROTATION_WEIGHT = 0.1;

/** Takes what a declared device moves, as the hand is now; null where that cannot be taken. */
export function takeDeclared(
  studio: Host,
  flat: Vector3 | null,
  data: DeviceData,
  X_WH: Matrix4,
): Job | null {
  const site = studio.model?.site(data.moves[0] ?? "") ?? -1;
  if (site < 0) {
    studio.notice("warning", `${data.name} moves ${data.moves[0]}, which is not a frame or link`);
    return null;
  }
  if (studio.refuseIfWatching()) return null;
  const pose = poseAt(studio.poses, site);
  const part: SixPose = { position: placeOf(pose), quat: quatOf(pose) };
  const at = new Vector3(...part.position);
  const from = sixPose(X_WH);
  const isPose = data.holds === "pose";
  const known = studio.simulation.hands.all.length;
  const grab = studio.grab({
    ...{ site, position: part.position },
    ...(isPose
      ? { kind: "pose", quat: part.quat, rotationWeight: ROTATION_WEIGHT }
      : { kind: "point", point: [0, 0, 0] }),
  });
  if (!grab.active) return null;
  const isSimulated = studio.simulation.hands.all.length > known;
  return {
    grab,
    number: isSimulated ? (studio.simulation.hands.all.at(-1)?.number ?? null) : null,
    move: (X) => {
      const free = follow({ from, now: sixPose(X) }, part, data.scale);
      const target = inPlane(free, flat, at, part.quat);
      grab.move(isPose ? target : { position: target.position });
    },
    push: () => undefined,
    end: (lost) => grab.release(lost ? "keep" : undefined),
  };
}

function sixPose(X: Matrix4): SixPose {
  const [place, turn] = [new Vector3(), new Quaternion()];
  X.decompose(place, turn, new Vector3());
  return { position: place.toArray(), quat: [turn.w, turn.x, turn.y, turn.z] };
}
