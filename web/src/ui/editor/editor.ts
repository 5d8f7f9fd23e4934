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
import type { Draft } from "../../store/text/draft.ts";
import { replacements } from "./change.ts";
import { raffCompletions, type Names } from "./completion.ts";
import { look } from "./look.ts";
import { diagnostics } from "./problems.ts";

const foreign = Annotation.define<boolean>();

export class RaffEditor {
  readonly view: EditorView;
  private readonly locked = new Compartment();

  constructor(
    parent: HTMLElement,
    private readonly draft: Draft,
    names: () => Names,
  ) {
    this.view = new EditorView({
      parent,
      doc: draft.text,
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
          if (typed) draft.typed(this.text);
        }),
      ],
    });
  }

  get text(): string {
    return this.view.state.doc.toString();
  }

  /** Shows the draft: what others changed is put in around the cursor. */
  follow(): void {
    const { draft } = this;
    const changes = replacements(this.text, draft.text);
    if (changes.length)
      this.view.dispatch({
        changes,
        // what the user chose can be taken back here; what others did cannot
        annotations: [foreign.of(true), Transaction.addToHistory.of(draft.isChoice)],
      });
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
    this.draft.flush();
    this.view.destroy();
  }
}
