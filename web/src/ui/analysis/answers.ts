// What the studio answers to analyses, as `studio/jobs/analyses.py` says it.
export interface MobilityAnswer {
  text: string;
  instantaneous: number;
  finite: number | null;
  gruebler: number;
  gruebler_planar: number | null;
  redundant: number;
  idle: number;
  /** One free motion each, over v. */
  directions: number[][];
  is_closed: boolean;
}

export interface SuspectAnswer {
  joint: string;
  tilt: number;
  freedoms: number;
  numbers: string[];
}

export interface FindingAnswer {
  kind: string;
  is_fault: boolean;
  joints: string[];
  text: string;
  suspects: SuspectAnswer[];
}

export interface DiagnosisAnswer {
  text: string;
  is_healthy: boolean;
  mobility: MobilityAnswer;
  findings: FindingAnswer[];
}

export interface ModeAnswer {
  name: string;
  q: number[];
  distance: number;
  loose: number;
}

export interface MatricesAnswer {
  frame: string;
  singularity: {
    kind: string;
    text: string;
    task_distance: number | null;
    gain_distance: number | null;
  };
}
