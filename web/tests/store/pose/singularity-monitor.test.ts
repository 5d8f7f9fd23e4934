import { beforeAll, expect, it } from "vitest";

import { PageModel } from "../../../src/kernel/page-model.ts";
import {
  type FinderAnswer,
  type FinderQuestion,
  FinderService,
  SingularDesk,
  WorkerFinder,
  type WorkerLike,
} from "../../../src/kernel/singular/finder.ts";
import { placeOf, poseAt } from "../../../src/kernel/spatial.ts";
import { canWatch } from "../../../src/kernel/singular/singular.ts";
import { farthest } from "../../../src/store/motion/timed-path.ts";
import { Studio } from "../../../src/store/studio.ts";
import { type Fixtures, fixtures, snapshotOf } from "../../fixtures.ts";

let given: Fixtures;
let now = 0;
beforeAll(async () => {
  given = await fixtures("five-bar", "so101", "puma560");
});
async function tick(studio: Studio): Promise<void> {
  studio.tick((now += 1 / 60));
  // what looks for singular poses answers in its own time
  await new Promise((resolve) => setTimeout(resolve));
}
function studioOf(name: string): Studio {
  const studio = new Studio({ kernels: given.kernels, clock: () => now });
  studio.takeSnapshot(snapshotOf(given.models[name].data));
  return studio;
}

it.for(["five-bar", "so101"])(
  "shows what lies beyond and crosses without a jump: %s",
  async (name, { skip }) => {
    const studio = studioOf(name);
    const model = studio.model!;
    if (!canWatch(model)) skip();
    await tick(studio);
    expect(studio.gauges!.near).toBe("none");
    // pull it outward until it is stretched
    const site = model.siteCount - 1;
    const at = placeOf(poseAt(studio.poses, site));
    const grab = studio.grab({ site, kind: "point" });
    const away = name === "five-bar" ? [0, 8, 0] : [8, 0, 0];
    for (let i = 0; i < 120 && studio.ghosts.length === 0; ++i) {
      grab.move({ position: at.map((value, k) => value + (away[k] * model.size * i) / 60) });
      await tick(studio);
    }
    expect(studio.gauges!.near).not.toBe("none");
    expect(studio.ghosts.length).toBeGreaterThan(1);
    expect(studio.ghosts[0].branch).toBeNull();
    grab.release("keep");
    for (let i = 0; i < 10; ++i) await tick(studio);
    // phantoms stay to be clicked
    const beyond = studio.ghosts.find((ghost) => ghost.branch !== null)!;
    expect(studio.singularity.cross(beyond.branch!)).toBe(true);
    let before = studio.q;
    let sources = 0;
    studio.on("pose", (source) => (sources += source === "cross" ? 1 : 0));
    for (let i = 0; i < 2000 && studio.isAnimating; ++i) {
      await tick(studio);
      expect(model.loopGap(studio.q)).toBeLessThan(1e-8);
      expect(farthest(model, before, studio.q)).toBeLessThan(0.1);
      before = studio.q;
    }
    expect(sources).toBeGreaterThan(10);
    expect(farthest(model, studio.q, beyond.q)).toBeLessThan(1e-9);
    expect(studio.ghosts).toHaveLength(0);
  },
);

it("goes on where it was when the page was busy", async ({ skip }) => {
  const studio = studioOf("five-bar");
  if (!canWatch(studio.model!)) skip();
  await tick(studio);
  expect(await studio.singularity.look()).toBe(true);
  expect(studio.singularity.cross(0)).toBe(true);
  let before = studio.q;
  for (let i = 0; i < 200 && studio.isAnimating; ++i) {
    now += 0.5; // two pictures per second
    await tick(studio);
    expect(farthest(studio.model!, before, studio.q)).toBeLessThan(0.1);
    before = studio.q;
  }
  expect(studio.isAnimating).toBe(false);
});

it("looks again when it is dragged on, and never refuses a phantom it shows", async ({ skip }) => {
  const studio = studioOf("five-bar");
  const model = studio.model!;
  if (!canWatch(model)) skip();
  // short couplers, so that they come into line while both motors are free
  studio.setParameter("coupler", 0.18);
  await tick(studio);
  const site = model.siteCount - 1;
  const at = placeOf(poseAt(studio.poses, site));
  const grab = studio.grab({ site, kind: "point" });
  const shown = new Set<unknown>();
  for (let i = 0; i < 200 && shown.size < 2; ++i) {
    grab.move({ position: [at[0] + 0.0002 * i, at[1] - 0.0018 * i, at[2]] });
    await tick(studio);
    if (studio.singularity.outlook) shown.add(studio.singularity.outlook);
  }
  expect(shown.size).toBe(2);
  grab.release("keep");
  studio.singularity.outlook!.branches.forEach((_, branch) => {
    const { q } = studio;
    const { outlook } = studio.singularity;
    expect(studio.singularity.cross(branch)).toBe(true);
    studio.setPose(q, "set");
    studio.singularity.outlook = outlook;
  });
});

it("finds ways on for an arm that is pulled by a point", async ({ skip }) => {
  const studio = studioOf("puma560");
  const model = studio.model!;
  if (!canWatch(model)) skip();
  const desk = new SingularDesk();
  const site = model.siteCount - 1;
  const q = Float64Array.from([0.002, 0.059, -1.726, 0.078, 0.499, 0]);
  const found = desk.outlook(model, q, { site, kind: "point" }, null, "task");
  expect(
    found!.branches.some((branch) => branch.name.includes("'elbow' bends the other way")),
  ).toBe(true);
});

it("looks in a worker without holding up the page", async ({ skip }) => {
  const service = new FinderService();
  const asked: FinderQuestion[] = [];
  const worker: WorkerLike = {
    onmessage: null,
    onerror: null,
    postMessage: (question) => {
      asked.push(question);
      const answer = service.answer(structuredClone({ ...question, module: undefined }));
      setTimeout(() => worker.onmessage!({ data: answer } as MessageEvent<FinderAnswer>));
    },
    terminate: () => undefined,
  };
  const finder = new WorkerFinder(worker);
  const model = new PageModel(given.kernels, given.models["five-bar"].data);
  if (!canWatch(model)) skip();
  // modules cannot be cloned in Node's structuredClone: the service gets it by hand
  const post = worker.postMessage;
  worker.postMessage = (question) => {
    if (question.module) service.answer({ ...question, data: undefined, reals: undefined });
    post(question);
  };
  const aim = { site: model.siteCount - 1 };
  const here = await finder.measure(model, model.start(), aim);
  expect(here!.task).toBeCloseTo(given.models["five-bar"].singular.task!, 8);
  expect(asked[0].data).toBeDefined();
  await finder.measure(model, model.start(), aim);
  expect(asked[1].data).toBeUndefined();
  expect(asked[1].reals).toBeUndefined();
  const parameter = model.data.parameters.find((one) => !one.formula)!;
  model.setParameter(parameter.index, model.reals[parameter.index] * 1.05);
  const outlook = await finder.outlook(model, model.start(), aim, null, null);
  expect(asked[2].reals).toBeDefined();
  expect(outlook!.branches.length).toBeGreaterThan(0);
  // a worker that fails is replaced by the page's own thread
  worker.postMessage = () => worker.onerror!({} as ErrorEvent);
  expect(await finder.measure(model, model.start(), aim)).toBeNull();
  expect((await finder.measure(model, model.start(), aim))!.kind).toBe("none");
});
