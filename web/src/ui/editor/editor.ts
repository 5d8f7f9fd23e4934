// The RAFF editor: a CodeMirror view that reports typing and takes over foreign changes.
import {
  autocompletion,
  closeBrackets,
  closeBracketsKeymap,
  completionKeymap,
} from "@codemirror/autocomplete";
import { defaultKeymap, history, historyKeymap, indentWithTab } from "@codemirror/commands";
import { yaml } from "@codemirror/lang-yaml";
import { bracketMatching, indentUnit } from "@codemirror/language";
import { lintGutter, lintKeymap, setDiagnostics } from "@codemirror/lint";
import { Annotation, Compartment, EditorState, Transaction } from "@codemirror/state";
import {
  drawSelection,
  EditorView,
  highlightActiveLine,
  highlightActiveLineGutter,
  keymap,
  lineNumbers,
} from "@codemirror/view";
import type { ProblemData } from "../../wire/messages.ts";
import { rebased } from "./change.ts";
import { raffCompletions, type Names } from "./completion.ts";
import { look } from "./look.ts";
import { diagnostics } from "./problems.ts";

const foreign = Annotation.define<boolean>();
/** How long typing must rest before the text is sent [ms]. */
const REST = 80;

export class RaffEditor {
  readonly view: EditorView;
  /** The text both sides know. */
  private base: string;
  private readonly sent = new Set<string>();
  private readonly locked = new Compartment();
  private timer = 0;

  constructor(
    parent: HTMLElement,
    text: string,
    private readonly onedit: (text: string) => void,
    names: () => Names,
  ) {
    this.base = text;
    this.view = new EditorView({
      parent,
      doc: text,
      extensions: [
        lineNumbers(),
        lintGutter(),
        history(),
        drawSelection(),
        bracketMatching(),
        closeBrackets(),
        highlightActiveLine(),
        highlightActiveLineGutter(),
        yaml(),
        indentUnit.of("  "),
        autocompletion({ override: [raffCompletions(names)], icons: false }),
        keymap.of([
          ...closeBracketsKeymap,
          ...completionKeymap,
          ...lintKeymap,
          ...historyKeymap,
          ...defaultKeymap,
          indentWithTab,
        ]),
        EditorView.contentAttributes.of({ "aria-label": "Mechanism as RAFF text" }),
        this.locked.of([]),
        look,
        EditorView.updateListener.of((update) => {
          const typed = update.transactions.some(
            (one) => one.docChanged && !one.annotation(foreign),
          );
          if (typed) this.later();
        }),
      ],
    });
  }

  get text(): string {
    return this.view.state.doc.toString();
  }

  /** The studio's text: an echo of what was sent is left alone, anything else is merged in. */
  receive(text: string): void {
    const own = this.sent.delete(text);
    if (!own && text !== this.base) {
      const changes = rebased(this.base, text, this.text);
      this.view.dispatch({
        changes,
        annotations: [foreign.of(true), Transaction.addToHistory.of(false)],
      });
    }
    this.base = text;
    if (this.text === text) this.sent.clear();
  }

  mark(problems: readonly ProblemData[]): void {
    const { state } = this.view;
    this.view.dispatch(setDiagnostics(state, diagnostics(state.doc, problems)));
  }

  goTo(problem: ProblemData): void {
    const found = diagnostics(this.view.state.doc, [problem])[0];
    if (!found) return;
    this.view.dispatch({ selection: { anchor: found.from }, scrollIntoView: true });
    this.view.focus();
  }

  setReadOnly(on: boolean): void {
    this.view.dispatch({
      effects: this.locked.reconfigure(on ? EditorState.readOnly.of(true) : []),
    });
  }

  destroy(): void {
    if (this.timer) this.send();
    this.view.destroy();
  }

  private later(): void {
    clearTimeout(this.timer);
    this.timer = window.setTimeout(() => this.send(), REST);
  }

  private send(): void {
    clearTimeout(this.timer);
    this.timer = 0;
    const text = this.text;
    if (text === this.base) return;
    this.sent.add(text);
    this.onedit(text);
  }
}
