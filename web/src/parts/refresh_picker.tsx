// Selects how often the page refreshes automatically.
import { useAutoRefresh } from "../server/refresh";
import { change } from "../url/location";

const EVERY: Readonly<Record<string, number>> = { "5s": 5, "15s": 15, "1m": 60 };

export function RefreshPicker({ params }: { params: URLSearchParams }) {
  const chosen = params.get("refresh") ?? "";
  const seconds = EVERY[chosen] ?? null;
  useAutoRefresh(seconds);
  return (
    <select aria-label="Auto-refresh" title="Auto-refresh interval" class={seconds ? "live" : ""} value={seconds ? chosen : ""}
            onChange={(event) => change({ refresh: event.currentTarget.value || null }, true)}>
      <option value="">refresh off</option>
      {Object.keys(EVERY).map((name) => <option key={name} value={name}>every {name}</option>)}
    </select>
  );
}
