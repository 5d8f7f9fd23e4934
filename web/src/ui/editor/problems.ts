// Problems of the text as the editor's diagnostics, at the word they are about.
import type { Diagnostic } from "@codemirror/lint";
import type { Text } from "@codemirror/state";
import type { ProblemData } from "../../wire/messages.ts";

export function diagnostics(document: Text, problems: readonly ProblemData[]): Diagnostic[] {
  return problems
    .map((problem) => {
      const line = document.line(Math.min(Math.max(problem.line, 1), document.lines));
      const from = Math.min(line.from + Math.max(problem.column - 1, 0), line.to);
      const word = /^[\w.µ°-]+|^\S/.exec(document.sliceString(from, line.to))?.[0] ?? "";
      return {
        from,
        to: Math.max(from + word.length, from),
        severity: "error" as const,
        message: problem.message,
      };
    })
    .sort((a, b) => a.from - b.from);
}
