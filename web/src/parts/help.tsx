// The keyboard shortcuts.
import { useEffect, useRef } from "preact/hooks";

export const KEYS: readonly (readonly [string, string])[] = [
  ["g f", "Fleet"], ["g c", "Compare"], ["g e", "Explore"], ["g a", "Alerts and rules"], ["g s", "Status"],
  ["/", "Focus the search or query"], ["r", "Refresh"], ["[ ]", "Move earlier, later"], ["z", "Double the time range"],
  ["x", "Switch axis: step, time, tokens"], ["t", "Toggle theme"], ["?", "This help"], ["Esc", "Close"],
];

export function Help({ onClose }: { onClose: () => void }) {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => dialog.current?.showModal(), []);
  return (
    <dialog ref={dialog} class="help" aria-labelledby="help-title" onClose={onClose}
            onClick={(event) => event.target === dialog.current && dialog.current?.close()}>
      <h2 id="help-title">Keyboard shortcuts</h2>
      <dl>
        {KEYS.map(([key, words]) => (
          <div key={key}>
            <dt>{key.split(" ").map((part) => <kbd key={part}>{part}</kbd>)}</dt>
            <dd>{words}</dd>
          </div>
        ))}
      </dl>
      <p class="note">Drag on a chart or heat map to zoom; double-click to reset. In the query editor,
        Ctrl+Enter runs the query and Ctrl+Space completes.</p>
      <button type="button" onClick={() => dialog.current?.close()}>Close</button>
    </dialog>
  );
}
