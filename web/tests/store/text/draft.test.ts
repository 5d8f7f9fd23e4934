import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { Draft } from "../../../src/store/text/draft.ts";
import { merge } from "../../../src/store/text/lines.ts";
import { Conflict } from "../../../src/wire/answers.ts";

const TEXT = "a\nb\nc\nd\n";

/** The studio's side: texts by version; requests are answered when the test says so. */
class Server {
  readonly texts = new Map([[1, TEXT]]);
  version = 1;
  readonly waiting: (() => void)[] = [];
  readonly errors: string[] = [];
  shown = 0;
  readonly draft = new Draft({
    sendText: (text, base) =>
      new Promise((resolve, reject) => {
        this.waiting.push(() => {
          const merged = merge(this.texts.get(base)!, text, this.text);
          if (merged === null)
            reject(
              new Conflict("collides", {
                where: "session",
                file: null,
                theirs: this.text,
                version: String(this.version),
              }),
            );
          else {
            if (merged !== this.text) this.change(merged);
            resolve();
          }
        });
      }),
    onDraft: () => (this.shown += 1),
    onDraftError: (error) => this.errors.push(error.message),
  });
  constructor() {
    this.report();
  }
  get text(): string {
    return this.texts.get(this.version)!;
  }
  change(text: string): void {
    this.texts.set(++this.version, text);
    this.report();
  }
  report(): void {
    this.draft.received({ text: this.text, version: this.version, file: null });
  }
  /** Lets typing rest and answers what was sent. */
  async settle(): Promise<void> {
    for (let n = 0; n < 6; n++) {
      vi.advanceTimersByTime(100);
      this.waiting.shift()?.();
      await vi.advanceTimersByTimeAsync(0);
    }
  }
}

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

it("sends what was typed when typing rests", async () => {
  const server = new Server();
  server.draft.typed("a\nB\nc\nd\n");
  server.draft.typed("a\nBB\nc\nd\n");
  vi.advanceTimersByTime(79);
  expect(server.waiting).toHaveLength(0);
  await server.settle();
  expect(server.text).toBe("a\nBB\nc\nd\n");
  expect(server.draft.isUnsent).toBe(false);
  // its own echo disturbs nobody
  expect(server.shown).toBe(1);
});

it("merges what others did before, while and after it is sent, and applies nothing twice", async () => {
  const server = new Server();
  server.draft.typed("a!\nb\nc\nd\n");
  server.change("a\nb\nC\nd\n");
  expect(server.draft.text).toBe("a!\nb\nC\nd\n");
  vi.advanceTimersByTime(100);
  expect(server.waiting).toHaveLength(1);
  // another one is faster; and one continues to type
  server.change("a\nb\nC\nD\n");
  server.draft.typed("a!!\nb\nC\nd\n");
  await server.settle();
  expect(server.text).toBe("a!!\nb\nC\nD\n");
  expect(server.draft.text).toBe(server.text);
  expect(server.draft.conflict).toBeNull();
});

it("asks where both changed the same line, and loses neither", async () => {
  const server = new Server();
  server.draft.typed("mine\nb\nc\nd\n");
  server.change("theirs\nb\nc\nd\n");
  expect(server.draft.conflict?.theirs).toBe("theirs\nb\nc\nd\n");
  expect(server.draft.text).toBe("mine\nb\nc\nd\n");
  server.draft.typed("mine\nb\nc\nd\nmore\n");
  await server.settle();
  expect(server.text).toBe("theirs\nb\nc\nd\n");
  // newer texts of others are what the choice is about
  server.change("others\nb\nc\nd\n");
  expect(server.draft.conflict?.theirs).toBe("others\nb\nc\nd\n");
  server.draft.keepMine();
  await server.settle();
  expect(server.text).toBe("mine\nb\nc\nd\nmore\n");
  expect(server.draft.conflict).toBeNull();
});

it("asks where they collided on the way", async () => {
  const server = new Server();
  server.draft.typed("mine\nb\nc\nd\n");
  vi.advanceTimersByTime(100);
  server.change("theirs\nb\nc\nd\n");
  expect(server.draft.conflict).toBeNull();
  await server.settle();
  expect(server.draft.conflict?.theirs).toBe("theirs\nb\nc\nd\n");
  server.draft.takeTheirs();
  await server.settle();
  expect(server.draft.text).toBe("theirs\nb\nc\nd\n");
  expect(server.waiting).toHaveLength(0);
});

it("a collision that is typed away is none any more", async () => {
  const server = new Server();
  server.draft.typed("mine\nb\nc\nd\n");
  server.change("theirs\nb\nc\nd\n");
  server.draft.typed("a\nb\nc\nd\nmore\n");
  expect(server.draft.conflict).toBeNull();
  await server.settle();
  expect(server.text).toBe("theirs\nb\nc\nd\nmore\n");
});

it("sends again after a lost connection, and not over and over what is refused", async () => {
  const sent: string[] = [];
  const errors: string[] = [];
  let isOpen = false;
  const draft = new Draft({
    sendText: (text) => {
      sent.push(text);
      return isOpen ? Promise.resolve() : Promise.reject(new Error("no connection"));
    },
    onDraft: () => undefined,
    onDraftError: (error) => errors.push(error.message),
  });
  draft.received({ text: TEXT, version: 7, file: null });
  draft.typed(TEXT + "typed\n");
  await vi.advanceTimersByTimeAsync(2000);
  expect(errors).toEqual(["no connection"]);
  expect(draft.text).toBe(TEXT + "typed\n");
  // the studio is there again, with what others did
  isOpen = true;
  draft.received({ text: "new\n" + TEXT, version: 1, file: null });
  expect(draft.text).toBe("new\n" + TEXT + "typed\n");
  await vi.advanceTimersByTimeAsync(2000);
  expect(sent).toEqual([TEXT + "typed\n", "new\n" + TEXT + "typed\n"]);
});

it("is settled when the studio has all of it", async () => {
  const server = new Server();
  server.draft.typed("a\nb\nc\nd\n1\n");
  vi.advanceTimersByTime(100);
  server.draft.typed("a\nb\nc\nd\n12\n");
  let isDone = false;
  const settled = server.draft.settled().then(() => (isDone = true));
  await vi.advanceTimersByTimeAsync(0);
  expect(isDone).toBe(false);
  await server.settle();
  await settled;
  expect(server.text).toBe("a\nb\nc\nd\n12\n");
});
