"""The counters of exporters on the hosts of a running job; they do not know the job."""

import itertools
import subprocess


class HostCounters:
    """Totals of every host, as from node_exporter, and of every GPU, as from dcgm-exporter. `job`
    is a RunningJob.

    From the job's onset until it recovers, the interface of host `bad_host` counts errors, or the
    NVLink of rank `bad_rank`, or the processors of `busy_host` are fully busy.
    """

    def __init__(self, job, bad_host=None, bad_rank=None, busy_host=None):
        self._job = job
        self._bad_host = bad_host
        self._bad_rank = bad_rank
        self._busy_host = busy_host
        self._totals = {}
        self._counted_until = job.begin - 5

    def samples(self, now):
        """Pairs of labels and the value at `now`. Call it with ascending times."""
        job, plan = self._job, self._job.plan
        since = now - self._counted_until
        is_slow = job.onset is not None and job.onset <= now < job.begin + plan.until_s
        self._counted_until = now
        rates = [self._of_host(host, is_slow) for host in sorted({job.host_of(rank) for rank in range(plan.ranks)})]
        watts = []
        for rank in range(plan.ranks):
            gpu = {"Hostname": job.host_of(rank), "gpu": str(rank % plan.ranks_of_host), "UUID": f"GPU-{plan.name}-{rank}"}
            rates.append([({**gpu, "__name__": "DCGM_FI_DEV_NVLINK_REPLAY_ERROR_COUNT_TOTAL"},
                           20 if is_slow and rank == self._bad_rank else 0)])
            watts.append(({**gpu, "__name__": "DCGM_FI_DEV_POWER_USAGE"}, 600))
        for labels, rate in itertools.chain(*rates):
            key = tuple(sorted(labels.items()))
            self._totals[key] = self._totals.get(key, 1000) + rate * since
        return watts + [(dict(key), total) for key, total in self._totals.items()]

    def _of_host(self, host, is_slow):
        of_node = {"job": "node", "instance": f"{host}.cluster:9100"}
        link = {**of_node, "device": "mlx5_0", "port": "1"}
        is_busy = is_slow and host == self._busy_host
        return [({**link, "__name__": "node_infiniband_port_data_transmitted_bytes_total"}, 7e9 if is_slow else 9e9),
                ({**link, "__name__": "node_infiniband_symbol_error_total"},
                 3 if is_slow and host == self._bad_host else 0),
                ({**link, "__name__": "node_infiniband_link_downed_total"}, 0),
                ({**of_node, "__name__": "node_cpu_seconds_total", "cpu": "0", "mode": "user"}, 1 if is_busy else 0.3),
                ({**of_node, "__name__": "node_cpu_seconds_total", "cpu": "0", "mode": "idle"}, 0 if is_busy else 0.7)]


class RemoteWriter:
    """Sends samples to a server by remote write, over a lockstep_server.Connection."""

    def __init__(self, connection):
        self._connection = connection

    def send(self, samples, now):
        answer = self._connection.write([(labels, [(round(now * 1000), value)]) for labels, value in samples])
        assert answer.stored, answer.text


class TextImporter:
    """Sends samples to a server as OpenMetrics, by `lockstep import`."""

    def __init__(self, program, url):
        self._command = [program, "import", "--to", url, "--format", "openmetrics", "-"]

    def send(self, samples, now):
        lines = []
        for labels, value in samples:
            within = ",".join(f'{name}="{text}"' for name, text in labels.items() if name != "__name__")
            lines.append(f"{labels['__name__']}{{{within}}} {value} {now:.3f}\n")
        subprocess.run(self._command, input="".join(lines) + "# EOF\n", text=True, check=True,
                       stdout=subprocess.DEVNULL)
