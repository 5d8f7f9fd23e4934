// Short messages that come and go, and pieces of work that take their time.
import { Cancelled } from "../../wire/answers.ts";

export interface Toast {
  id: number;
  level: "info" | "warning" | "error";
  message: string;
}

export interface Work {
  id: number;
  label: string;
  /** 0 … 1, null where it is unknown. */
  share: number | null;
  /** Shown only when it takes longer than half a second. */
  visible: boolean;
  cancel: (() => void) | null;
}

const STAY = { info: 4000, warning: 7000, error: 10000 };
const PATIENCE = 500;
/** So many are read at a time. */
const MOST = 3;

export class Toasts {
  list = $state<Toast[]>([]);
  works = $state<Work[]>([]);
  private next = 1;

  say(words: string, level: Toast["level"] = "info"): void {
    const message = words.slice(0, 1).toUpperCase() + words.slice(1);
    const id = this.next++;
    // said again it stays longer, and is not said twice
    const others = this.list.filter((toast) => toast.message !== message);
    this.list = [...others.slice(1 - MOST), { id, level, message }];
    setTimeout(() => this.drop(id), STAY[level]);
  }

  drop(id: number): void {
    this.list = this.list.filter((toast) => toast.id !== id);
  }

  /** Waits for a piece of work; says what went wrong and gives null then. */
  async run<T>(
    label: string,
    promise: Promise<T>,
    cancel: (() => void) | null = null,
  ): Promise<T | null> {
    const id = this.next++;
    this.works.push({ id, label, share: null, visible: false, cancel });
    const timer = setTimeout(() => {
      const work = this.works.find((one) => one.id === id);
      if (work) work.visible = true;
    }, PATIENCE);
    try {
      return await promise;
    } catch (error) {
      if (!(error instanceof Cancelled))
        this.say(error instanceof Error ? error.message : String(error), "error");
      return null;
    } finally {
      clearTimeout(timer);
      this.works = this.works.filter((work) => work.id !== id);
    }
  }

  /** News from the studio about the work in hand. */
  progress(share: number | null, label: string): void {
    const work = this.works.at(-1);
    if (!work) return;
    work.share = share;
    if (label) work.label = label;
  }
}
