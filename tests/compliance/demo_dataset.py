#!/usr/bin/env python3
"""Deterministic demo data set, pushed by Prometheus remote-write 1.0.

The data are of the kind that the PromQL compliance query list (queries.json) expects:
three instances of a demo service with CPU, memory and disk
gauges/counters, a request-duration classic histogram, a batch job and an
intermittent series. Plain Python 3, no package needed: the protobuf encoder and
the snappy framing (literal-only blocks) are in this file.

    demo_dataset.py --url http://127.0.0.1:9090/api/v1/write [--end 1709251657]
    demo_dataset.py --dry-run                 # counts + SHA-256 of the data set
    demo_dataset.py --dump data.jsonl         # one JSON object per series

Properties worth knowing when you test with it:
  * The same arguments give the same bytes on every machine (integer hashing and
    + - * / only, no libm). --dry-run prints the SHA-256 to compare.
  * No sample lies on a multiple of 0.5 s, so with start/end/step in whole or half
    seconds no sample ever sits exactly on the left edge of a range or of the
    lookback window. Prometheus 2.x (closed left edge) and 3.x (open left edge)
    then agree. Keep `end` off the multiples of 10 s too: subquery steps are
    aligned to absolute multiples of their own step.
  * Counters start far above zero, so the zero-point rule of rate() (which changed
    between Prometheus versions) never decides. Instance 1 has one counter reset.
  * demo_intermittent_metric: instance 0 comes and goes with stale markers,
    instance 1 has one gap longer than 5 min without a marker, instance 2 short
    gaps without markers.
"""
import argparse
import hashlib
import http.client
import json
import struct
import sys
import time
import urllib.parse
from datetime import datetime, timezone

STALE_NAN = struct.pack("<Q", 0x7FF0000000000002)
M64 = (1 << 64) - 1
DEFAULT_END = 1709251657          # 2024-03-01T00:07:37Z: the windows cross a leap-day midnight
GIB = 1 << 30


# --- deterministic randomness ------------------------------------------------

def mix(*parts):
    """splitmix64 over a few integers/strings -> 64-bit integer."""
    x = 0x9E3779B97F4A7C15
    for p in parts:
        if isinstance(p, str):
            p = int.from_bytes(hashlib.blake2b(p.encode(), digest_size=8).digest(), "big")
        x = (x ^ (p & M64)) & M64
        x = (x + 0x9E3779B97F4A7C15) & M64
        z = x
        z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & M64
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & M64
        x = z ^ (z >> 31)
    return x


class Rng:
    """A stream of numbers for one series; independent of the call order of others."""

    def __init__(self, *key):
        self.s = mix(*key)

    def u64(self):
        self.s = (self.s + 0x9E3779B97F4A7C15) & M64
        z = self.s
        z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & M64
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & M64
        return z ^ (z >> 31)

    def f(self):                       # [0, 1)
        return (self.u64() >> 11) / (1 << 53)

    def uni(self, a, b):
        return a + (b - a) * self.f()

    def below(self, n):
        return self.u64() % n


def triangle(t, period):
    """Triangular wave in [-1, 1]; used instead of sin() to stay bit-reproducible."""
    p = (t % period) / period
    return 4 * p - 1 if p < 0.5 else 3 - 4 * p


# --- the data set ------------------------------------------------------------

STALE = object()

LE = [0.0001 * 1.5 ** i for i in range(25)]        # exact IEEE products, no libm
ENDPOINTS = [("GET", "/api/foo", "200"), ("GET", "/api/foo", "500"), ("POST", "/api/foo", "200"),
             ("GET", "/api/bar", "200"), ("GET", "/api/bar", "404"), ("POST", "/api/bar", "200")]


def scrape_times(end_ms, duration_ms, interval_ms, k, seed):
    """Sample times of instance k: own phase plus jitter, never on a multiple of 500 ms."""
    start = end_ms - duration_ms
    phase = (1137, 4611, 8853)[k % 3] * interval_ms // 10000
    jit = max(1, interval_ms * 12 // 100)
    out, i = [], 0
    r = Rng(seed, "scrape", k)
    while True:
        t = start + i * interval_ms + phase + r.below(2 * jit + 1) - jit
        if t % 500 == 0:
            t += 1
        if t > end_ms:
            return out
        if not out or t > out[-1]:
            out.append(t)
        i += 1


def build(end_ms, duration_ms, interval_ms, instances, seed, stale_markers, scale):
    """-> list of (labels dict, [(t_ms, value or STALE), ...]) sorted by labels."""
    series = []
    start_ms = end_ms - duration_ms

    def add(name, base, ts, values, **labels):
        lab = {"__name__": name, **base, **labels}
        series.append((lab, [(t, v) for t, v in zip(ts, values) if v is not None]))

    for k in range(instances):
        base = {"instance": f"demo-service-{k}:{10000 + k}", "job": "demo"}
        ts = scrape_times(end_ms, duration_ms, interval_ms, k, seed)
        n = len(ts)
        sec = [(t - start_ms) / 1000 for t in ts]
        reset_at = n - int(n * 0.10) - 3 if k == 1 else -1     # one restart on instance 1

        add("up", base, ts, [1.0] * n)
        add("demo_num_cpus", base, ts, [float((4, 8, 16)[k % 3])] * n)

        for mode, share in (("idle", 0.62), ("system", 0.11), ("user", 0.27)):
            r = Rng(seed, "cpu", k, mode)
            v, prev, col = 80000.0 + 9000.0 * r.f() + 1234.5 * k, None, []
            for i, s in enumerate(sec):
                if i == reset_at:
                    v = 40.0 * share + r.f()
                elif prev is not None:
                    v += (s - prev) * share * (4, 8, 16)[k % 3] * r.uni(0.7, 1.3)
                prev = s
                col.append(v)
            add("demo_cpu_usage_seconds_total", base, ts, col, mode=mode)

        r = Rng(seed, "mem", k)
        cols = {"buffers": [], "cached": [], "free": [], "used": []}
        for s in sec:
            total = 8 * GIB + k * 4 * GIB
            used = int(total * (0.35 + 0.1 * triangle(s + 400 * k, 2700) + 0.02 * r.f()))
            buf = int(total * (0.06 + 0.01 * r.f()))
            cached = int(total * (0.22 + 0.05 * triangle(s, 1500) + 0.01 * r.f()))
            cols["used"].append(float(used))
            cols["buffers"].append(float(buf))
            cols["cached"].append(float(cached))
            cols["free"].append(float(total - used - buf - cached))
        for typ, col in cols.items():
            add("demo_memory_usage_bytes", base, ts, col, type=typ)

        r = Rng(seed, "disk", k)
        v, col = 50.0 * GIB + k * 7 * GIB, []
        for _ in ts:
            v += r.uni(-2.0e5, 1.1e6)
            col.append(float(int(v)))
        add("demo_disk_usage_bytes", base, ts, col)
        add("demo_disk_total_bytes", base, ts, [float(128 * GIB)] * n)

        r = Rng(seed, "items", k)
        v, col = 1.0e6 + 1000 * k, []
        for i in range(n):
            v = float(r.below(9)) if i == reset_at else v + r.below(60)
            col.append(v)
        add("demo_items_shipped_total", base, ts, col)

        r = Rng(seed, "inflight", k)
        add("demo_api_http_requests_in_progress", base, ts, [float(r.below(12)) for _ in ts])
        add("demo_is_holiday", base, ts, [1.0 if (t // 1000) // 86400 % 2 else 0.0 for t in ts])

        for method, path, status in ENDPOINTS[:max(1, int(len(ENDPOINTS) * scale))]:
            r = Rng(seed, "req", k, method, path, status)
            counts = [20000 + r.below(5000) for _ in range(len(LE) + 1)]
            total_sum = 3000.0 + 500.0 * r.f()
            busy = {"200": 24, "404": 6, "500": 3}[status]
            cum = [[] for _ in counts]
            c_col, s_col = [], []
            for i in range(n):
                if i == reset_at:
                    counts = [r.below(3) for _ in counts]
                    total_sum = r.f()
                for _ in range(r.below(busy + 1)):
                    # sum of three draws: a hump in the middle of the bucket range
                    b = (r.below(len(LE)) + r.below(len(LE)) + r.below(len(LE) + 4)) // 3
                    b = min(b, len(LE))
                    counts[b] += 1
                    total_sum += (LE[b] if b < len(LE) else 2 * LE[-1]) * r.uni(0.67, 1.0)
                run = 0
                for j, c in enumerate(counts):
                    run += c
                    cum[j].append(float(run))
                c_col.append(float(run))
                s_col.append(total_sum)
            lab = {"method": method, "path": path, "status": status}
            for j, col in enumerate(cum):
                le = repr(LE[j]) if j < len(LE) else "+Inf"
                add("demo_api_request_duration_seconds_bucket", base, ts, col, le=le, **lab)
            add("demo_api_request_duration_seconds_count", base, ts, c_col, **lab)
            add("demo_api_request_duration_seconds_sum", base, ts, s_col, **lab)

        r = Rng(seed, "batch", k)
        period = 290 + 40 * k
        run_end = start_ms / 1000 - period * r.f()
        succ, dur, proc = run_end, 61.5, 120000.0
        a, b, c, d = [], [], [], []
        for t in ts:
            while run_end + period <= t / 1000:
                run_end += period
                dur = r.uni(45.0, 75.0)
                if r.f() < 0.75:
                    succ, proc = run_end, float(100000 + r.below(50000))
            a.append(float(int(run_end * 1000)) / 1000)
            b.append(float(int(succ * 1000)) / 1000)
            c.append(dur)
            d.append(proc)
        add("demo_batch_last_run_timestamp_seconds", base, ts, a)
        add("demo_batch_last_success_timestamp_seconds", base, ts, b)
        add("demo_batch_last_run_duration_seconds", base, ts, c)
        add("demo_batch_last_run_processed_bytes", base, ts, d)

        r = Rng(seed, "intermittent", k)
        col, was = [], False
        for i, s in enumerate(sec):
            left = (duration_ms / 1000) - s                   # seconds before the end
            if k % 3 == 0:
                on = (s % 240) < 150
            elif k % 3 == 1:
                on = not 330 < left < 750
            else:
                on = (s % 97) < 60
            if on:
                col.append(1.0 + r.below(5))
            elif was and k % 3 == 0 and stale_markers:
                col.append(STALE)
            else:
                col.append(None)
            was = on
        add("demo_intermittent_metric", base, ts, col)

        if k == 0:                                            # values that stress formatting
            for kind, val in (("nan", float("nan")), ("inf", float("inf")), ("neginf", float("-inf")),
                              ("tiny", 5e-324), ("huge", 1.7976931348623157e308), ("negzero", -0.0),
                              ("third", 1.0 / 3.0), ("e21", 1e21), ("e20", 1e20), ("e_minus7", 1e-7)):
                add("demo_special_value", base, ts, [val] * n, kind=kind)

    series.sort(key=lambda s: sorted(s[0].items()))
    return series


# --- protobuf (prometheus.WriteRequest) and snappy ---------------------------

def varint(n):
    n &= M64
    out = bytearray()
    while True:
        b = n & 0x7F
        n >>= 7
        if n:
            out.append(b | 0x80)
        else:
            out.append(b)
            return bytes(out)


def ld(field, payload):                # length-delimited field
    return varint(field << 3 | 2) + varint(len(payload)) + payload


def enc_labels(labels):
    return b"".join(ld(1, ld(1, k.encode()) + ld(2, v.encode())) for k, v in sorted(labels.items()))


def enc_sample(t_ms, v):
    val = STALE_NAN if v is STALE else struct.pack("<d", v)
    return ld(2, b"\x09" + val + b"\x10" + varint(t_ms))


METADATA = {  # MetricMetadata.MetricType: 1 counter, 2 gauge, 3 histogram
    "demo_cpu_usage_seconds_total": (1, "CPU seconds by mode.", "seconds"),
    "demo_memory_usage_bytes": (2, "Memory in use by type.", "bytes"),
    "demo_disk_usage_bytes": (2, "Disk space in use.", "bytes"),
    "demo_num_cpus": (2, "Number of CPUs.", ""),
    "demo_items_shipped_total": (1, "Items shipped.", ""),
    "demo_api_request_duration_seconds": (3, "API request latency.", "seconds"),
}


def enc_metadata():
    out = b""
    for name, (typ, hlp, unit) in sorted(METADATA.items()):
        m = b"\x08" + varint(typ) + ld(2, name.encode()) + ld(4, hlp.encode())
        if unit:
            m += ld(5, unit.encode())
        out += ld(3, m)
    return out


def snappy_literal(data):
    """A valid snappy block made of literals only (64 KiB each)."""
    out = [varint(len(data))]
    for i in range(0, len(data), 65536):
        chunk = data[i:i + 65536]
        m = len(chunk) - 1
        if m < 60:
            out.append(bytes([m << 2]))
        elif m < 256:
            out.append(bytes([60 << 2, m]))
        else:
            out.append(bytes([61 << 2]) + struct.pack("<H", m))
        out.append(chunk)
    return b"".join(out)


def digest(series):
    h = hashlib.sha256()
    for lab, pts in series:
        h.update(enc_labels(lab))
        for t, v in pts:
            h.update(enc_sample(t, v))
    return h.hexdigest()


def batches(series, batch_ms):
    """Time-ordered batches: each has every series' samples of one time slice."""
    enc = [enc_labels(lab) for lab, _ in series]
    pos = [0] * len(series)
    lo = min(p[0][0] for _, p in series if p)
    hi = max(p[-1][0] for _, p in series if p)
    t = lo
    while t <= hi:
        req, count = [], 0
        for i, (_, pts) in enumerate(series):
            j = pos[i]
            body = []
            while j < len(pts) and pts[j][0] < t + batch_ms:
                body.append(enc_sample(*pts[j]))
                j += 1
            if body:
                req.append(ld(1, enc[i] + b"".join(body)))
                count += len(body)
            pos[i] = j
        if req:
            yield b"".join(req), count
        t += batch_ms


def push(url, series, batch_s, timeout, headers, metadata, verbose):
    u = urllib.parse.urlsplit(url)
    cls = http.client.HTTPSConnection if u.scheme == "https" else http.client.HTTPConnection
    conn = cls(u.hostname, u.port, timeout=timeout)
    path = u.path + ("?" + u.query if u.query else "")
    hdr = {"Content-Type": "application/x-protobuf", "Content-Encoding": "snappy",
           "X-Prometheus-Remote-Write-Version": "0.1.0", "User-Agent": "lockstep-demo-dataset/1"}
    hdr.update(headers)
    sent = reqs = 0
    t0 = time.monotonic()
    for body, count in batches(series, batch_s * 1000):
        if metadata and reqs == 0:
            body += enc_metadata()
        conn.request("POST", path, snappy_literal(body), hdr)
        resp = conn.getresponse()
        text = resp.read()
        if resp.status // 100 != 2:
            sys.exit(f"remote write refused: HTTP {resp.status} {text[:500]!r} "
                     f"(request {reqs + 1}, {sent} samples accepted before)")
        sent += count
        reqs += 1
        if verbose:
            print(f"  request {reqs}: {count} samples, HTTP {resp.status}", file=sys.stderr)
    conn.close()
    return sent, reqs, time.monotonic() - t0


def parse_end(s):
    if s == "now":
        n = int(time.time())
        return (n - (n - 7) % 10) * 1000        # newest second ending in 7
    try:
        return int(round(float(s) * 1000))
    except ValueError:
        d = datetime.fromisoformat(s.replace("Z", "+00:00"))
        return int((d if d.tzinfo else d.replace(tzinfo=timezone.utc)).timestamp() * 1000)


def main():
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("--url", help="remote-write endpoint; may be given more than once", action="append", default=[])
    ap.add_argument("--end", default=str(DEFAULT_END), help="last time stamp: Unix seconds, RFC 3339 or 'now'")
    ap.add_argument("--duration", type=int, default=7200, help="length in seconds (default 7200)")
    ap.add_argument("--interval", type=float, default=10.0, help="scrape interval in seconds (default 10)")
    ap.add_argument("--instances", type=int, default=3)
    ap.add_argument("--histogram-scale", type=float, default=1.0, help="share of the request histograms to make")
    ap.add_argument("--seed", type=int, default=20240301)
    ap.add_argument("--no-stale-markers", action="store_true")
    ap.add_argument("--metadata", action="store_true", help="also send metric metadata with the first request")
    ap.add_argument("--batch", type=int, default=120, help="seconds of data per request (default 120)")
    ap.add_argument("--header", action="append", default=[], help="extra request header, 'Name: value'")
    ap.add_argument("--timeout", type=float, default=60)
    ap.add_argument("--dump", help="write the series as JSON lines instead of / besides pushing")
    ap.add_argument("--dry-run", action="store_true")
    ap.add_argument("-v", "--verbose", action="store_true")
    a = ap.parse_args()
    if not a.url and not a.dry_run and not a.dump:
        ap.error("--url, --dump or --dry-run is needed")
    end_ms = parse_end(a.end)
    series = build(end_ms, a.duration * 1000, int(a.interval * 1000), a.instances, a.seed,
                   not a.no_stale_markers, a.histogram_scale)
    n = sum(len(p) for _, p in series)
    first = min(p[0][0] for _, p in series if p)
    last = max(p[-1][0] for _, p in series if p)
    print(f"{len(series)} series, {n} samples, {first / 1000:.3f} .. {last / 1000:.3f}, sha256 {digest(series)[:16]}")
    if a.dump:
        with open(a.dump, "w") as f:
            for lab, pts in series:
                f.write(json.dumps({"labels": lab, "values": [
                    [t, "stale" if v is STALE else repr(v)] for t, v in pts]}) + "\n")
    if not a.dry_run:
        hdr = dict((x.strip() for x in h.split(":", 1)) for h in a.header)
        for url in a.url:
            sent, reqs, dt = push(url, series, a.batch, a.timeout, hdr, a.metadata, a.verbose)
            print(f"pushed {sent} samples in {reqs} requests, {dt:.2f} s")
    e = end_ms / 1000
    e = int(e) if e == int(e) else e
    print(f"compare window: --start {e - 1200} --end {e} --step 10")


if __name__ == "__main__":
    main()
