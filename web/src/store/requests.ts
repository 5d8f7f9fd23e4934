// What only the studio can do: each is one message; promises reject with words for the user.
import type {
  Asked,
  DriveOrder,
  FileLink,
  Invitation,
  ScreenLinks,
  MotionData,
  MotionEdit,
  PieceOf,
  QuestionKind,
  ResultOf,
  RobotPace,
  SimulationOrder,
  StructureEdit,
  TaughtMotion,
  Uploaded,
  UploadPlan,
} from "../wire/messages.ts";
import { isPieceOf, type Piece, type PieceTaker } from "../wire/piece-frame.ts";
import type { RequestBody } from "../wire/answers.ts";
import type { Connection } from "../wire/socket.ts";
import type { Draft } from "./text/draft.ts";

/** A piece of work that can be called off. */
export interface Work<T> {
  /** Its number, which news of it bear; none where nobody can be asked. */
  request?: number;
  promise: Promise<T>;
  cancel(): void;
}

/** What an edit of a kind says. */
export type EditOf<E extends { kind: string }, K extends E["kind"]> = Omit<
  Extract<E, { kind: K }>,
  "kind" | "request"
>;

/** Where a mechanism comes from: a library name, a file of the project folder, or a text. */
export type OpenSource = "library" | "file" | "text";

/** Owner (null for a parameter), key, value [SI] or formula. */
export type TextChange = [string | null, string, number | string];

/** What orders to the real robot are answered with. */
export type DriveResults = Record<DriveOrder["kind"], unknown> & {
  play_on_robot: RobotPace;
  finish_task: TaughtMotion;
};

const NO_STUDIO =
  "this page is not connected to a studio: it can move the mechanism but not change it";

export abstract class Requests {
  /** Null for a page without a server. */
  abstract readonly link: Connection | null;
  abstract q: Float64Array;
  /** The text that is being typed. */
  abstract readonly draft: Draft;

  /** For a text, `name` is that of the file it comes from. */
  open(source: OpenSource, value: string, q: number[] | null = null, name = ""): Promise<void> {
    if (source === "library") return this.change({ kind: "open_library", name: value, q });
    if (source === "file") return this.change({ kind: "open_file", file: value });
    return this.change({ kind: "open_text", text: value, q, name });
  }
  /** The whole text; `base` is the version of the snapshot that it was made from. */
  editText(text: string, base: number | null = null): Promise<void> {
    return this.done({ kind: "edit_text", text, base });
  }
  /** Changes numbers in the text, as one step of undo. */
  setNumbers(changes: TextChange[], label: string): Promise<void> {
    return this.change({ kind: "set_numbers", changes, label });
  }
  editStructure<K extends StructureEdit["kind"]>(
    kind: K,
    edit: EditOf<StructureEdit, K>,
  ): Promise<void> {
    const body: object = { kind, ...edit };
    return this.change(body as RequestBody);
  }
  /** Makes the pose that is shown the start of the text, as one step of undo. */
  writePose(): Promise<void> {
    return this.editStructure("write_pose", { q: Array.from(this.q) });
  }
  undo(): Promise<void> {
    return this.change({ kind: "undo" });
  }
  redo(): Promise<void> {
    return this.change({ kind: "redo" });
  }
  storeMotion(motion: MotionData): Promise<void> {
    return this.change({ kind: "store_motion", motion });
  }
  changeMotion<K extends MotionEdit["kind"]>(kind: K, edit: EditOf<MotionEdit, K>): Promise<void> {
    const body: object = { kind, ...edit };
    return this.change(body as RequestBody);
  }
  /** A folder is to come: which of its files are taken. */
  startUpload(name: string, files: { path: string; size: number }[]): Work<UploadPlan> {
    return this.work({ kind: "start_upload", name, files });
  }
  /** All files were sent: the robots among them. */
  finishUpload(key: string): Work<Uploaded> {
    return this.work({ kind: "finish_upload", key });
  }
  cancelUpload(key: string): Promise<void> {
    return this.done({ kind: "cancel_upload", key });
  }
  /** A file to download. */
  exportFile(
    format: string,
    motion: string | null = null,
    options: Record<string, string> = {},
  ): Work<FileLink> {
    return this.ask("export", { format, motion, options });
  }
  /** Asks about the mechanism in the pose that is shown; some questions send pieces of the
   * result before it. */
  ask<K extends QuestionKind>(
    kind: K,
    asked: Asked<K>,
    onPiece?: (piece: Piece<PieceOf<K>>) => void,
  ): Work<ResultOf<K>> {
    const question = { ...asked, kind, q: Array.from(this.q) };
    const take = (piece: Piece): void => {
      if (isPieceOf(kind, piece)) onPiece?.(piece);
    };
    return this.work<ResultOf<K>>(question as RequestBody, take);
  }

  /** Removes what a program shows; one that is still there is disconnected. */
  endProgram(program: number): Promise<void> {
    return this.done({ kind: "end_program", program });
  }

  /** Links that open this session on another device. */
  invitation(): Promise<Invitation> {
    return this.work<Invitation>({ kind: "ask_invitation" }).promise;
  }

  /** View-only links to the screens of the wall. */
  screenLinks(screens: string[]): Promise<ScreenLinks> {
    return this.work<ScreenLinks>({ kind: "ask_screens", screens }).promise;
  }

  /** Begins or ends receiving the poses of a tracker of the file. */
  async switchTracker(name: string, on: boolean): Promise<void> {
    await this.done({ kind: "switch_tracker", name, on });
  }

  /** An order to the live simulation. */
  simulate<K extends SimulationOrder["kind"]>(
    kind: K,
    order: EditOf<SimulationOrder, K>,
  ): Promise<void> {
    const body: object = { kind, ...order };
    return this.done(body as RequestBody);
  }

  /** An order to the real robot. */
  driveRobot<K extends DriveOrder["kind"]>(
    kind: K,
    order: EditOf<DriveOrder, K>,
  ): Promise<DriveResults[K]> {
    const body: object = { kind, ...order };
    return this.work<DriveResults[K]>(body as RequestBody).promise;
  }

  protected work<T>(body: RequestBody, onPiece?: PieceTaker): Work<T> {
    if (this.link === null)
      return { promise: Promise.reject(new Error(NO_STUDIO)), cancel: () => undefined };
    const { request, promise, cancel } = this.link.request(body, onPiece);
    return { request, promise: promise as Promise<T>, cancel };
  }

  protected async done(body: RequestBody): Promise<void> {
    await this.work(body).promise;
  }

  /** What changes the text, or depends on it. */
  protected async change(body: RequestBody): Promise<void> {
    // what was typed before comes first
    if (this.draft.isUnsent) await this.draft.settled();
    await this.done(body);
  }
}
