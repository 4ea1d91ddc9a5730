// What stands where data would: that there are none, and what to do about it; or what went wrong.
import type { ComponentChildren } from "preact";
import type { AskError } from "../server/ask";

export function Empty({ title, children }: { title: string; children?: ComponentChildren }) {
  return (
    <div class="notice" role="status">
      <strong>{title}</strong>
      {children && <div>{children}</div>}
    </div>
  );
}

function advice(error: AskError): string {
  if (error.isNotServed) return "This server does not serve that. A newer lockstep does.";
  if (error.status === 0) return "Check that the server runs, then press r to ask again.";
  if (error.status === 401 || error.status === 403) return "Log in again, or ask whoever runs the server.";
  if (error.status === 422) return "Ask for less: a shorter time, or fewer series.";
  if (error.status === 503) return "The server is busy or starting. Press r to ask again.";
  return "";
}

export function Failure({ error }: { error: AskError }) {
  const next = advice(error);
  return (
    <div class={error.isNotServed ? "notice" : "notice failed"} role={error.isNotServed ? "status" : "alert"}>
      <strong>{error.isNotServed ? "Not served" : error.message}</strong>
      {next && <div>{next}</div>}
    </div>
  );
}

export const Loading = ({ height = 120 }: { height?: number }) => (
  <div class="loading" style={{ height: `${height}px` }} role="status">
    <span class="for-readers">Loading</span>
  </div>
);
