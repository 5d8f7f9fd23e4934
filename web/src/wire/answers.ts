// Requests that wait for their answers, by number.
import type { ConflictData, FromPage, Refused } from "./messages.ts";
import type { Piece, PieceTaker } from "./piece-frame.ts";

/** Requests: messages that are answered by number. */
export type Request = Extract<FromPage, { request: number }>;
/** The same without their number; the union stays one. */
export type RequestBody = Request extends infer R
  ? R extends Request
    ? Omit<R, "request">
    : never
  : never;

export interface Pending {
  request: number;
  /** The result; rejects with an Error whose message is for the user. */
  promise: Promise<unknown>;
  cancel(): void;
}

interface Waiting {
  onPiece: PieceTaker | undefined;
  resolve(result: unknown): void;
  reject(error: Error): void;
}

/** An edit was asked for while there is no connection. */
export const NOT_CONNECTED =
  "there is no connection to the studio at the moment: you can still move the mechanism, but this has to wait";

export class Answers {
  private readonly waiting = new Map<number, Waiting>();
  private nextRequest = 1;

  /** @param send Sends a message; false when there is no connection. */
  constructor(private readonly send: (message: FromPage) => boolean) {}

  /** Asks the studio; pieces of the result come before it, where the work gives any. */
  request(body: RequestBody, onPiece?: PieceTaker): Pending {
    const request = this.nextRequest++;
    const promise = new Promise<unknown>((resolve, reject) => {
      if (this.send({ ...body, request } as FromPage))
        this.waiting.set(request, { resolve, reject, onPiece });
      else reject(new Error(NOT_CONNECTED));
    });
    const cancel = (): void => {
      if (!this.waiting.has(request)) return;
      this.send({ kind: "cancel", request });
      this.take(request)?.reject(new Cancelled());
    };
    return { request, promise, cancel };
  }

  piece(piece: Piece): void {
    this.waiting.get(piece.request)?.onPiece?.(piece);
  }

  done(request: number, result: unknown): void {
    this.take(request)?.resolve(result);
  }

  refused({ request, message, conflict }: Refused): void {
    this.take(request)?.reject(conflict ? new Conflict(message, conflict) : new Error(message));
  }

  /** No answer will come any more. */
  drop(why: string): void {
    const waiting = [...this.waiting.values()];
    this.waiting.clear();
    for (const one of waiting) one.reject(new Error(why));
  }

  private take(request: number): Waiting | undefined {
    const waiting = this.waiting.get(request);
    this.waiting.delete(request);
    return waiting;
  }
}

/** Somebody else was faster: the user has to choose between two versions. */
export class Conflict extends Error {
  constructor(
    message: string,
    readonly data: ConflictData,
  ) {
    super(message);
  }
}

/** A request that the page itself called off. */
export class Cancelled extends Error {
  constructor() {
    super("cancelled");
  }
}
