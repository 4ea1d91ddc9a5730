// The editor in the page's colours, which follow the theme automatically.
import { HighlightStyle } from "@codemirror/language";
import { EditorView } from "@codemirror/view";
import { tags } from "@lezer/highlight";

export const editorTheme = EditorView.theme({
  "&": { fontSize: "14px", color: "var(--text)", backgroundColor: "var(--raised)", border: "1px solid var(--line)", borderRadius: "8px" },
  "&.cm-focused": { outline: "2px solid var(--accent)" },
  ".cm-content": { fontFamily: "var(--mono)", padding: "8px 4px", caretColor: "var(--text)" },
  ".cm-cursor": { borderLeftColor: "var(--text)" },
  ".cm-placeholder": { color: "var(--muted)" },
  "&.cm-focused .cm-selectionBackground, .cm-selectionBackground, ::selection": { backgroundColor: "color-mix(in srgb, var(--accent) 35%, transparent) !important" },
  ".cm-matchingBracket": { backgroundColor: "color-mix(in srgb, var(--accent) 30%, transparent) !important" },
  ".cm-tooltip": { backgroundColor: "var(--surface)", border: "1px solid var(--line)", borderRadius: "8px", color: "var(--text)", overflow: "hidden" },
  ".cm-tooltip-autocomplete > ul": { fontFamily: "var(--mono)", maxHeight: "22em" },
  ".cm-tooltip-autocomplete > ul > li": { padding: "3px 10px !important" },
  ".cm-tooltip-autocomplete > ul > li[aria-selected]": { backgroundColor: "var(--accent) !important", color: "var(--on-accent) !important" },
  ".cm-completionDetail": { color: "var(--muted)", fontStyle: "normal", marginLeft: "1em" },
  "li[aria-selected] .cm-completionDetail": { color: "var(--on-accent)" },
  ".cm-completionIcon": { display: "none" },
  // CodeMirror's own underline is an inline image, which the security policy blocks.
  ".cm-lintRange": { backgroundImage: "none !important" },
  ".cm-lintRange-error": { textDecoration: "underline wavy var(--bad)" },
  ".cm-diagnostic": { padding: "5px 10px" },
  ".cm-diagnostic-error": { borderLeft: "4px solid var(--bad)" },
});

export const editorColours = HighlightStyle.define([
  { tag: tags.keyword, color: "var(--code-keyword)" },
  { tag: tags.operator, color: "var(--muted)" },
  { tag: tags.modifier, color: "var(--code-keyword)" },
  { tag: [tags.number, tags.literal], color: "var(--code-number)" },
  { tag: tags.string, color: "var(--code-string)" },
  { tag: tags.labelName, color: "var(--code-label)" },
  { tag: tags.function(tags.variableName), color: "var(--accent)" },
  { tag: tags.comment, color: "var(--muted)", fontStyle: "italic" },
  { tag: tags.invalid, color: "var(--bad)" },
]);
