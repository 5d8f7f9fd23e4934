// The status line: what the solver's answer means to the person who drags.
import { type HandleSpec, type SolveReport, stuckReport } from "../kernel/dragger.ts";
import type { PageModel } from "../kernel/page-model.ts";
import { type HeldLimit, heldLimits, reason, residuals } from "../kernel/reasons.ts";
import { applyPose, poseAt, type Three } from "../kernel/spatial.ts";
import type { DragStatus } from "./types.ts";

export function dragStatus(
  model: PageModel,
  poses: Float64Array,
  handles: readonly HandleSpec[],
  report: SolveReport,
): DragStatus {
  const lacks = residuals(model, poses, handles);
  const limits = report.outcome === "reached" ? [] : heldLimits(model, report.held);
  let worst = 0;
  lacks.forEach((lack, i) => {
    if (lack.distance > lacks[worst].distance) worst = i;
  });
  const handle = handles[worst];
  return {
    outcome: report.outcome,
    words: reason(report, lacks, limits, model.size),
    limits,
    lacks,
    distance: lacks[worst]?.distance ?? 0,
    at: handle ? applyPose(poseAt(poses, handle.site), handle.point ?? [0, 0, 0]) : null,
    target: handle?.position ? (Array.from(handle.position) as Three) : null,
    report,
  };
}

/** A status without handles: of a slider, or of a number that was refused (no report). */
export function plainStatus(
  report: SolveReport | null,
  words: string,
  limits: readonly HeldLimit[],
): DragStatus {
  const answer = report ?? stuckReport(0);
  return {
    outcome: answer.outcome,
    words,
    limits,
    lacks: [],
    distance: 0,
    at: null,
    target: null,
    report: answer,
  };
}
