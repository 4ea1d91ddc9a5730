// Selects the runs to compare.
import { useState } from "preact/hooks";
import { Card } from "../../parts/card";
import { unjudged, type Jobs } from "../../server/training";
import { useAnswer } from "../../server/use_answer";
import { change } from "../../url/location";

const MAX_OFFERED = 40;

const choose = (runs: readonly string[]) => change({ runs: runs.join(",") }, true);

export function RunPicker({ chosen }: { chosen: readonly string[] }) {
  const [search, setSearch] = useState("");
  const jobs = useAnswer<Jobs>("training/jobs", unjudged());
  const names = (jobs.data?.jobs ?? []).map((job) => job.job);
  const offered = names.filter((name) => name.includes(search)).slice(0, MAX_OFFERED);
  const toggle = (name: string) =>
    choose(chosen.includes(name) ? chosen.filter((other) => other !== name) : [...chosen, name]);
  return (
    <Card title="Runs to compare" note={chosen.length ? chosen.join(", ") : "none"}
          actions={<input type="search" placeholder="Search  /" aria-label="Search runs" value={search} data-search
                          onInput={(event) => setSearch(event.currentTarget.value)} />}>
      <div class="chips">
        {offered.map((name) => (
          <button key={name} type="button" aria-pressed={chosen.includes(name)} onClick={() => toggle(name)}>{name}</button>
        ))}
      </div>
    </Card>
  );
}
