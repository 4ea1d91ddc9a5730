// Placeholders for missing data: why there are none and what to do, or what went wrong.
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
  if (error.isNotServed) return "This server does not support this. Upgrade lockstep.";
  if (error.status === 0) return "Check that the server is running, then press r to retry.";
  if (error.status === 401 || error.status === 403) return "Log in again, or contact the server's administrator.";
  if (error.status === 422) return "Choose a shorter time range or fewer series.";
  if (error.status === 503) return "The server is busy or starting. Press r to retry.";
  return "";
}

export function Failure({ error }: { error: AskError }) {
  const next = advice(error);
  return (
    <div class={error.isNotServed ? "notice" : "notice failed"} role={error.isNotServed ? "status" : "alert"}>
      <strong>{error.isNotServed ? "Not supported" : error.message}</strong>
      {next && <div>{next}</div>}
    </div>
  );
}

export const Loading = ({ height = 120 }: { height?: number }) => (
  <div class="loading" style={{ height: `${height}px` }} role="status">
    <span class="for-readers">Loading</span>
  </div>
);
