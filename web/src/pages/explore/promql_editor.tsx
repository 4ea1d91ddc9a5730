// The PromQL editor: highlights, completes this server's metrics and labels, underlines errors.
import { autocompletion, closeBrackets, closeBracketsKeymap, completionKeymap } from "@codemirror/autocomplete";
import { defaultKeymap, history, historyKeymap } from "@codemirror/commands";
import { bracketMatching, syntaxHighlighting } from "@codemirror/language";
import { lintKeymap } from "@codemirror/lint";
import { EditorState, Prec } from "@codemirror/state";
import { EditorView, keymap, placeholder } from "@codemirror/view";
import { PromQLExtension } from "@prometheus-io/codemirror-promql";
import { useEffect, useRef } from "preact/hooks";
import { editorColours, editorTheme } from "./editor_theme";

interface EditorProps {
  readonly text: string;
  readonly completeBackToS: number; // offers only names with samples since then, Unix seconds
  readonly onRun: (text: string) => void;
}

const MS = 1000;

function extensionsOf(run: (view: EditorView) => boolean, backMs: number) {
  const promql = new PromQLExtension().setComplete({ remote: { url: "", httpMethod: "GET", lookbackInterval: backMs } });
  return [
    history(), bracketMatching(), closeBrackets(), autocompletion(), EditorView.lineWrapping,
    syntaxHighlighting(editorColours), editorTheme, promql.asExtension(),
    placeholder("PromQL, for example: avg by (job) (DCGM_FI_PROF_SM_ACTIVE)"),
    EditorView.contentAttributes.of({ "aria-label": "PromQL query" }),
    Prec.highest(keymap.of([{ key: "Mod-Enter", run }, { key: "Shift-Enter", run }])),
    keymap.of([...closeBracketsKeymap, ...defaultKeymap, ...historyKeymap, ...completionKeymap, ...lintKeymap]),
  ];
}

export function PromqlEditor({ text, completeBackToS, onRun }: EditorProps) {
  const host = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView | null>(null);
  const latest = useRef(onRun);
  latest.current = onRun;

  useEffect(() => {
    if (!host.current) return;
    // In a shadow root, the editor's styles are adopted sheets, which the security policy allows.
    const root = host.current.shadowRoot ?? host.current.attachShadow({ mode: "open", delegatesFocus: true });
    const run = (editor: EditorView) => {
      latest.current(editor.state.doc.toString());
      return true;
    };
    const state = EditorState.create({
      doc: text, extensions: extensionsOf(run, Date.now() - completeBackToS * MS),
    });
    view.current = new EditorView({ state, parent: root, root });
    return () => view.current?.destroy();
  }, [completeBackToS]);

  useEffect(() => {
    const editor = view.current;
    if (!editor || editor.state.doc.toString() === text) return;
    editor.dispatch({ changes: { from: 0, to: editor.state.doc.length, insert: text } });
  }, [text]);

  const focus = () => view.current?.focus();
  return (
    <div class="editor-row">
      <div ref={host} class="editor" data-search tabIndex={-1} onFocus={focus} />
      <button type="button" class="primary" onClick={() => view.current && onRun(view.current.state.doc.toString())}
              title="Ctrl+Enter">Run</button>
    </div>
  );
}
