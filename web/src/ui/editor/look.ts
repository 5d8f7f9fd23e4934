// How the editor looks: the studio's own colours, so that it follows light and dark by itself.
import { HighlightStyle, syntaxHighlighting } from "@codemirror/language";
import { EditorView } from "@codemirror/view";
import { tags } from "@lezer/highlight";

const highlight = HighlightStyle.define([
  { tag: [tags.propertyName, tags.definition(tags.propertyName)], color: "var(--code-key)" },
  { tag: [tags.number, tags.bool, tags.atom], color: "var(--code-number)" },
  { tag: [tags.string, tags.special(tags.string)], color: "var(--code-string)" },
  { tag: [tags.comment, tags.lineComment], color: "var(--code-comment)", fontStyle: "italic" },
  { tag: [tags.punctuation, tags.separator, tags.bracket], color: "var(--text-soft)" },
]);

const theme = EditorView.theme({
  "&": { height: "100%", backgroundColor: "var(--surface)", color: "var(--text)" },
  "&.cm-focused": { outline: "none" },
  ".cm-scroller": { fontFamily: "var(--mono)", fontSize: "12px", lineHeight: "1.6" },
  ".cm-content": { caretColor: "var(--accent)", padding: "10px 0 40px" },
  ".cm-cursor": { borderLeftColor: "var(--accent)", borderLeftWidth: "2px" },
  ".cm-gutters": {
    backgroundColor: "var(--surface)",
    color: "var(--text-faint)",
    border: "none",
  },
  ".cm-lineNumbers .cm-gutterElement": { padding: "0 6px 0 2px", minWidth: "22px" },
  ".cm-activeLine": { backgroundColor: "color-mix(in srgb, var(--accent) 6%, transparent)" },
  ".cm-activeLineGutter": { backgroundColor: "transparent", color: "var(--text)" },
  "&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground":
    { background: "color-mix(in srgb, var(--accent) 22%, transparent) !important" },
  ".cm-matchingBracket, &.cm-focused .cm-matchingBracket": {
    backgroundColor: "var(--accent-soft)",
    outline: "none",
  },
  ".cm-tooltip": {
    border: "1px solid var(--line)",
    borderRadius: "8px",
    backgroundColor: "var(--raised)",
    color: "var(--text)",
    boxShadow: "var(--shadow-high)",
    overflow: "hidden",
    maxWidth: "360px",
  },
  ".cm-tooltip-autocomplete > ul": { fontFamily: "var(--mono)", maxHeight: "14em" },
  ".cm-tooltip.cm-tooltip-autocomplete > ul > li": { padding: "3px 10px" },
  ".cm-tooltip.cm-tooltip-autocomplete > ul > li[aria-selected]": {
    backgroundColor: "var(--accent-soft)",
    color: "var(--text)",
  },
  ".cm-completionMatchedText": { textDecoration: "none", fontWeight: "700" },
  ".cm-completionDetail": {
    color: "var(--text-soft)",
    fontFamily: "var(--font)",
    fontStyle: "normal",
    marginLeft: "10px",
  },
  ".cm-completionIcon": { display: "none" },
  ".cm-diagnostic": { padding: "6px 10px", fontFamily: "var(--font)", borderLeft: "none" },
  ".cm-diagnostic-error": { color: "var(--danger)" },
  ".cm-lintRange-error": {
    backgroundImage: "none",
    textDecoration: "underline wavy var(--danger) 1px",
    textUnderlineOffset: "3px",
  },
  ".cm-lint-marker-error": {
    content: '""',
    width: "8px",
    height: "8px",
    margin: "5px 2px",
    borderRadius: "50%",
    backgroundColor: "var(--danger)",
  },
  ".cm-gutter-lint": { width: "14px" },
  ".cm-panels": { backgroundColor: "var(--sunken)", color: "var(--text)" },
});

export const look = [theme, syntaxHighlighting(highlight)];
