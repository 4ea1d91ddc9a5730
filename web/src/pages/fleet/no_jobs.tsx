// Instructions for a server without jobs.
import { Empty } from "../../parts/notice";

export function NoJobs({ isEmptyStore }: { isEmptyStore: boolean }) {
  const address = window.location.origin;
  return (
    <Empty title={isEmptyStore ? "This server has not received any data yet." : "No training jobs found."}>
      <p>A job appears when its series have the labels <code>job</code> and <code>rank</code>. Send any of these:</p>
      <p>Steps, from the trainer (Python package <code>lockstep</code>) or as JSON lines:</p>
      <pre>{`curl ${address}/api/v1/push/steps --data-binary \\
  '{"ts_ms": ${Date.now()}, "job": "first", "rank": 0, "step": 1, "step_time": 0.2, "loss": 4.2}'`}</pre>
      <p>GPU counters, from a Prometheus that scrapes dcgm-exporter:</p>
      <pre>{`remote_write:\n  - url: ${address}/api/v1/write`}</pre>
      <p>OpenTelemetry: <code>OTEL_EXPORTER_OTLP_METRICS_ENDPOINT={address}/api/v1/otlp/v1/metrics</code></p>
    </Empty>
  );
}
