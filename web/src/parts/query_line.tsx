// A card's content as a PromQL query, to copy into Grafana or a notebook or to open in Explore.
import { useRef, useState } from "preact/hooks";
import { address, type Changes } from "../url/location";

// Browsers grant clipboard access only on secure connections; elsewhere we select the text and use
// the older copy command.
async function copied(text: string, shown: HTMLElement): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    window.getSelection()?.selectAllChildren(shown);
    return document.execCommand("copy");
  }
}

export function QueryLine({ query, range = {} }: { query: string; range?: Changes }) {
  const code = useRef<HTMLElement>(null);
  const [words, setWords] = useState("Copy");
  const copy = async () => {
    if (code.current) setWords((await copied(query, code.current)) ? "Copied" : "Selected: press Ctrl+C");
  };
  return (
    <p class="query-line">
      <span class="note">PromQL</span> <code ref={code}>{query}</code>{" "}
      <button type="button" onClick={copy} aria-live="polite">{words}</button>{" "}
      <a href={address("/explore", { q: query, ...range })}>Explore</a>
    </p>
  );
}
