// Rows of the assembly modes: found on request; press one and the mechanism goes there.
import type { PageModel } from "../../kernel/page-model.ts";
import { assembleAs } from "../../store/pose/assembly-modes.ts";
import type { ConnectionHost, NoticeHost, PoseHost, RequestHost } from "../../store/hosts.ts";
import type { ModeData } from "../../wire/messages.ts";
import type { Row } from "./rows.ts";
import { buttons, said } from "./sheet-rows.ts";

type Host = PoseHost & NoticeHost & ConnectionHost & RequestHost;

/** What was found for the numbers that a model had then. */
interface Found {
  /** With the poses of all sites. */
  modes: readonly (ModeData & { poses: Float64Array })[];
  reals: Float64Array;
}

const known = new WeakMap<PageModel, Found>();
const searching = new WeakSet<PageModel>();
const IN_A_ROW = 3;
/** Places are those of a mode if they differ by less [sizes of the mechanism]. */
const SAME = 1e-4;

export function modeRows(studio: Host): Row[] {
  const { model, poses, readOnly } = studio;
  const hasLoops = model?.data.joints.some(({ is_cut }) => is_cut);
  if (!model || !hasLoops || studio.link === null) return [];
  const found = known.get(model);
  // of other lengths, the loops would not be closed there
  const isFresh = found?.reals.every((x, i) => Object.is(x, model.reals[i]));
  const isOff = readOnly || searching.has(model);
  const rows: Row[] = [
    buttons({
      ...{ label: searching.has(model) ? "Searching…" : "Find assembly modes", isOff },
      run: () => said(studio, search(studio, model)),
    }),
  ];
  const items = (isFresh && found ? found.modes : []).map((mode) => ({
    ...{
      label: mode.name,
      isOn: isSame(mode.poses, poses.map(placesOnly), SAME * model.size),
      isOff,
    },
    run: () => assembleAs(studio, mode),
  }));
  for (let i = 0; i < items.length; i += IN_A_ROW)
    rows.push(buttons(...items.slice(i, i + IN_A_ROW)));
  return rows;
}

async function search(studio: Host, model: PageModel): Promise<void> {
  searching.add(model);
  const reals = model.reals.slice();
  try {
    const { modes } = await studio.ask("modes", {}).promise;
    const posed = modes.map((mode) => {
      const poses = model.forward(Float64Array.from(mode.q)).map(placesOnly);
      return { ...mode, poses };
    });
    known.set(model, { modes: posed, reals });
    if (!modes.length)
      studio.notice("info", "No assembly mode was found for these motor positions");
  } finally {
    searching.delete(model);
  }
}

const isSame = (a: ArrayLike<number>, b: ArrayLike<number>, within: number): boolean =>
  Array.from(a).every((x, i) => Math.abs(x - b[i]!) <= within);

/** Of seven numbers of a pose, the last three: four stand for the same turn as their opposites. */
const placesOnly = (x: number, i: number): number => (i % 7 < 4 ? 0 : x);
