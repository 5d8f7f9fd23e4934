// Image sources: where the pictures of several cameras come from, frame by frame.
import type { PinholeCamera } from "../../kernel/hull/cameras.ts";
import type { Box } from "../../kernel/hull/carver.ts";

/** RGBA of each camera. */
export type Pictures = Uint8Array<ArrayBuffer>[];

export interface ImageSource {
  /** Where the cameras are; another array where they have moved. */
  readonly cameras: readonly PinholeCamera[];
  /** The views without the body; empty: the body is what is opaque. */
  readonly backgrounds: readonly Uint8Array<ArrayBuffer>[];
  /** Whether colours are linear light, as they were drawn. */
  readonly isLinear: boolean;
  /** Whether its pictures show a body by now, and not only what the cameras see. */
  readonly isReady: boolean;
  /** Whether the cameras look at the scene itself: they stay in it when the avatar is placed. */
  readonly isInScene: boolean;
  /** The space that it wants carved; null: as the user says. */
  readonly box: Box | null;
  /** What is wrong with it now, in words; '' for nothing. */
  readonly trouble: string;
  /** The pictures of now, to be given away; null where there are no others than last time.
   * @param again Whether they are wanted though nothing has changed. */
  take(again: boolean): Promise<Pictures | null>;
  close(): void;
}
