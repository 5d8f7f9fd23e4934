// The text as it is being typed: sent when typing rests, merged with what others do meanwhile.
import type { ConflictData } from "../../wire/messages.ts";
import { Conflict } from "../../wire/answers.ts";
import { merge } from "./lines.ts";

/** How long typing must rest before the text is sent [ms]. */
const REST = 80;

/** The studio's text and its version, as snapshots bring it. */
export interface Known {
  text: string;
  version: number;
  file: string | null;
}

export interface DraftHost {
  /** Sends the text; `base` is the version of the text that it was made from. */
  sendText(text: string, base: number): Promise<void>;
  /** The text was changed by somebody else, or collides with what somebody else did. */
  onDraft(draft: Draft): void;
  onDraftError(error: Error): void;
}

export class Draft {
  /** As it is typed here. */
  text = "";
  /** What somebody else made of the same lines; nothing is sent until the user has chosen. */
  conflict: ConflictData | null = null;

  /** Whether the text changes just now because the user chose so. */
  isChoice = false;

  /** The text that this one was made from. */
  private base = "";
  /** What the studio has, as far as this page knows. */
  private known: Known = { text: "", version: 0, file: null };
  private sending: Promise<void> | null = null;
  private timer: ReturnType<typeof setTimeout> | null = null;

  constructor(private readonly host: DraftHost) {}

  /** Whether there is something here that the studio does not have. */
  get isUnsent(): boolean {
    return this.sending !== null || this.text !== this.base;
  }

  /** The user typed. */
  typed(text: string): void {
    this.text = text;
    if (this.conflict) this.rebase(this.base);
    else this.later();
  }

  /** The studio has another text, or the same in another version. */
  received(known: Known): void {
    this.known = known;
    // whether it has what is under way shows when that is answered
    if (this.sending === null) this.rebase(this.base);
  }

  /** Sends what was typed; done when the studio has it, or the user has to choose. */
  async settled(): Promise<void> {
    for (let tries = 0; tries < 20 && this.isUnsent && !this.conflict; tries++) {
      this.send();
      if (this.sending === null) return;
      await this.sending;
    }
  }

  /** Sends what was typed at once. */
  flush(): void {
    if (this.text !== this.base) this.send();
  }

  /** Replaces what the other one did, knowingly. */
  keepMine(): void {
    if (this.conflict === null) return;
    this.base = this.known.text;
    this.conflict = null;
    this.host.onDraft(this);
    this.send();
  }

  /** Gives up what was typed here. */
  takeTheirs(): void {
    if (this.conflict === null) return;
    this.text = this.base = this.known.text;
    this.conflict = null;
    this.isChoice = true;
    this.host.onDraft(this);
    this.isChoice = false;
  }

  private later(): void {
    if (this.timer !== null) clearTimeout(this.timer);
    this.timer = setTimeout(() => this.send(), REST);
  }

  private send(): void {
    if (this.timer !== null) clearTimeout(this.timer);
    this.timer = null;
    if (this.sending !== null || this.conflict || this.text === this.base) return;
    this.sending = this.deliver(this.text);
  }

  private async deliver(text: string): Promise<void> {
    try {
      await this.host.sendText(text, this.known.version);
      this.sending = null;
      // what the studio has now includes it
      this.rebase(text);
    } catch (error) {
      this.sending = null;
      // after a lost connection, or where it was refused, the next key or snapshot sends it again
      this.rebase(this.base, error instanceof Conflict);
      if (!(error instanceof Conflict)) this.host.onDraftError(error as Error);
    }
  }

  /** Brings what is typed here on top of what the studio has; `from` is what both started with. */
  private rebase(from: string, sends = true): void {
    const { known } = this;
    const before = [this.text, this.conflict] as const;
    const merged = merge(from, this.text, known.text);
    if (merged === null) {
      this.base = from;
      this.conflict = {
        where: "session",
        file: known.file,
        theirs: known.text,
        version: String(known.version),
      };
    } else {
      this.text = merged;
      this.base = known.text;
      this.conflict = null;
      if (sends && merged !== known.text) this.later();
    }
    if (before[0] !== this.text || before[1] !== this.conflict) this.host.onDraft(this);
  }
}
