// Ingest and storage numbers; rates come from two scrapes of the server's own counters.
import { useEffect, useRef, useState } from "preact/hooks";
import { Tile, Tiles } from "../../parts/tile";
import { useTick } from "../../server/refresh";
import { sumsByMetric, type TsdbStatus } from "../../server/status";
import { useAnswer } from "../../server/use_answer";
import { ago } from "../../words/moment";
import { bytes, count, DASH, short } from "../../words/number";

interface Look {
  readonly at: number; // seconds
  readonly sums: ReadonlyMap<string, number>;
}

const LOOK_EVERY_MS = 5000;

function useLooks(): { now: Look | null; before: Look | null } {
  const [now, setNow] = useState<Look | null>(null);
  const before = useRef<Look | null>(null);
  const tick = useTick();
  useEffect(() => {
    const look = async () => {
      const response = await fetch("/metrics").catch(() => null);
      if (!response?.ok) return;
      const sums = sumsByMetric(await response.text());
      setNow((last) => {
        before.current = last;
        return { at: performance.now() / 1000, sums };
      });
    };
    void look();
    const timer = window.setInterval(() => !document.hidden && void look(), LOOK_EVERY_MS);
    return () => window.clearInterval(timer);
  }, [tick]);
  return { now, before: before.current };
}

export function ServerTiles() {
  const { now, before } = useLooks();
  const tsdb = useAnswer<TsdbStatus>("status/tsdb", { limit: "1" });
  const sum = (name: string) => now?.sums.get(name) ?? null;
  const rate = (name: string) => {
    const [last, first] = [now?.sums.get(name), before?.sums.get(name)];
    return last === undefined || first === undefined || !now || !before ? null : (last - first) / (now.at - before.at);
  };
  const head = tsdb.data?.headStats;
  const samples = rate("lockstep_ingest_samples_total");
  return (
    <Tiles>
      <Tile name="Samples/s" value={samples === null ? DASH : short(samples)} note={`${short(sum("lockstep_ingest_samples_total"))} total`} />
      <Tile name="Series" value={head ? count(head.numSeries) : DASH} />
      <Tile name="Last sample" value={head && head.numSeries > 0 ? ago(head.maxTime / 1000) : DASH} />
      <Tile name="On disk" value={bytes(sum("lockstep_storage_disk_bytes"))} />
      <Tile name="Memory" value={bytes(sum("process_resident_memory_bytes"))} />
      <Tile name="Queries running" value={count(sum("lockstep_queries_running"))} note={`${count(sum("lockstep_queries_queued"))} queued`} />
    </Tiles>
  );
}
