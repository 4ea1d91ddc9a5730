#!/usr/bin/env python3
"""Compare two servers that speak the Prometheus HTTP API and hold the same data.

    promql_compare.py --ref http://127.0.0.1:9090 --target http://127.0.0.1:9191 \
        --queries queries.json \
        --start 1709250457 --end 1709251657 --step 10 [--json report.json]

Each query runs as a range query (start/end/step) and as an instant query at `end`
on both sides. A query passes when every form that was run passes:

  * result types equal; the same set of label sets, none twice;
  * the same sample time stamps, exact to the millisecond;
  * values equal within a relative tolerance (1e-5 of the smaller magnitude, no
    absolute margin: 0 only equals 0), NaN == NaN, +Inf and -Inf only themselves;
  * native histograms: count, sum and buckets under the same tolerance;
  * "should_fail": both sides answer with an error; "skip_comparison": both answer
    with success; "either_outcome": true: the reference's outcome is not asked for,
    the target must only give a well-formed answer.
  * A query that is not "should_fail" but fails on both sides passes if HTTP status
    and errorType are equal (it is listed as a note), else it fails.

Two more scores are reported and do not decide pass or fail (unless --strict):

  format  the target's JSON: keys of the envelope, of data and of each series, sample
          values as strings and time stamps as numbers in Prometheus' own spelling
          (shortest digits, no exponent for 1e-6 <= |x| < 1e21, "+Inf" "-Inf" "NaN";
          whole seconds or exactly three decimals; a scalar result never has an
          exponent and its time stamp has the shortest decimals), matrix sorted by
          labels, order of an outermost sort()/sort_desc()/topk/bottomk, Content-Type.
  errors  where both sides answered with an error: equal HTTP status, equal errorType.

The last line is `NNN/NNN passed (P%)`; exit status 0 only if all passed, 1 if not,
2 for a usage problem. The query file is a JSON list of objects with "query" and
optionally "should_fail", "skip_comparison", "either_outcome" (a bare string is
taken as a query).
"""
import argparse
import collections
import concurrent.futures
import http.client
import json
import math
import re
import sys
import threading
import time
import urllib.parse


class Num(str):
    """A JSON number token, kept as text."""


def loads(raw):
    return json.loads(raw, parse_float=Num, parse_int=Num, parse_constant=lambda s: Num(s))


# --- talking to a server -----------------------------------------------------

class Server:
    def __init__(self, base, timeout, method, extra, headers):
        u = urllib.parse.urlsplit(base if "//" in base else "http://" + base)
        self.u, self.timeout, self.method = u, timeout, method
        self.extra, self.headers = extra, headers
        self.prefix = u.path.rstrip("/")
        self.local = threading.local()

    def _conn(self, fresh=False):
        c = getattr(self.local, "c", None)
        if c is None or fresh:
            cls = http.client.HTTPSConnection if self.u.scheme == "https" else http.client.HTTPConnection
            c = self.local.c = cls(self.u.hostname, self.u.port, timeout=self.timeout)
        return c

    def call(self, endpoint, params):
        """-> Answer"""
        body = urllib.parse.urlencode(list(params.items()) + self.extra)
        path = self.prefix + endpoint
        hdr = dict(self.headers)
        t0 = time.monotonic()
        for attempt in (0, 1):
            c = self._conn(fresh=attempt > 0)
            try:
                if self.method == "GET":
                    c.request("GET", path + "?" + body, headers=hdr)
                else:
                    c.request("POST", path, body, {**hdr, "Content-Type": "application/x-www-form-urlencoded"})
                r = c.getresponse()
                raw = r.read()
                return Answer(r.status, r.getheader("Content-Type") or "", raw, None, time.monotonic() - t0)
            except (OSError, http.client.HTTPException) as e:
                self.local.c = None
                err = f"{type(e).__name__}: {e}"
                if isinstance(e, TimeoutError) or attempt:
                    break
        return Answer(0, "", b"", err, time.monotonic() - t0)


class Answer:
    def __init__(self, status, ctype, raw, transport, seconds):
        self.status, self.ctype, self.raw, self.transport, self.seconds = status, ctype, raw, transport, seconds
        self.doc = None
        if transport is None:
            try:
                self.doc = loads(raw)
            except ValueError as e:
                self.transport = f"body is not JSON ({e}): {raw[:80]!r}"
        d = self.doc
        self.ok = isinstance(d, dict) and d.get("status") == "success" and status // 100 == 2
        self.error = None if self.ok else (self.transport or (d.get("error") if isinstance(d, dict) else None)
                                           or f"HTTP {status}")
        self.error_type = d.get("errorType") if isinstance(d, dict) else None
        self.api_error = (not self.ok and isinstance(d, dict) and d.get("status") == "error")

    def brief(self):
        if self.ok:
            return "success"
        return f"HTTP {self.status} {self.error_type or '-'}: {str(self.error)[:110]}"


# --- values ------------------------------------------------------------------

def go_float(x, plain=False):
    """The spelling Prometheus uses for a sample value (plain: for a scalar result)."""
    if math.isnan(x):
        return "NaN"
    if math.isinf(x):
        return "+Inf" if x > 0 else "-Inf"
    neg = math.copysign(1, x) < 0
    a = abs(x)
    if a == 0:
        return "-0" if neg else "0"
    m, _, e = repr(a).partition("e")
    ip, _, fp = m.partition(".")
    if fp == "0":
        fp = ""
    digits = (ip + fp).lstrip("0") or "0"
    point = len(ip) + int(e or 0)                     # decimal point after this many digits of ip+fp
    point -= len(ip + fp) - len((ip + fp).lstrip("0"))
    digits = digits.rstrip("0") or "0"
    if not plain and (a < 1e-6 or a >= 1e21):
        s = digits[0] + ("." + digits[1:] if len(digits) > 1 else "")
        ex = point - 1
        s += "e%s%02d" % ("-" if ex < 0 else "+", abs(ex))
    elif point <= 0:
        s = "0." + "0" * -point + digits
    elif point >= len(digits):
        s = digits + "0" * (point - len(digits))
    else:
        s = digits[:point] + "." + digits[point:]
    return ("-" if neg else "") + s


def go_ts(ms):
    sign = "-" if ms < 0 else ""
    ms = abs(ms)
    return f"{sign}{ms // 1000}" + (f".{ms % 1000:03d}" if ms % 1000 else "")


def to_ms(tok):
    return int(round(float(tok) * 1000))


def to_float(tok):
    return float(tok)


def close(a, b, tol):
    if math.isnan(a) or math.isnan(b):
        return math.isnan(a) and math.isnan(b)
    if a == b:
        return True
    if math.isinf(a) or math.isinf(b):
        return False
    return abs(a - b) <= tol * min(abs(a), abs(b))


def show_labels(key):
    d = dict(key)
    name = d.pop("__name__", "")
    return name + "{" + ", ".join(f'{k}="{v}"' for k, v in sorted(d.items())) + "}"


class Shape(Exception):
    """The answer cannot be read as what it claims to be."""


def hist(h):
    try:
        return (to_float(h["count"]), to_float(h["sum"]),
                [(str(b[0]), to_float(b[1]), to_float(b[2]), to_float(b[3])) for b in h.get("buckets", [])])
    except (KeyError, TypeError, ValueError, IndexError) as e:
        raise Shape(f"unreadable histogram ({e})")


def samples(el, result_type):
    """One element of a result -> [(ms, value or histogram tuple)]"""
    try:
        if result_type == "matrix":
            out = [(to_ms(t), to_float(v)) for t, v in el.get("values", [])]
            out += [(to_ms(t), hist(h)) for t, h in el.get("histograms", [])]
            out.sort(key=lambda p: p[0])
            return out
        if "histogram" in el:
            t, h = el["histogram"]
            return [(to_ms(t), hist(h))]
        t, v = el["value"]
        return [(to_ms(t), to_float(v))]
    except (KeyError, TypeError, ValueError) as e:
        raise Shape(f"unreadable sample ({type(e).__name__}: {e})")


def table(doc):
    data = doc.get("data")
    if not isinstance(data, dict) or "resultType" not in data or "result" not in data:
        raise Shape("no data.resultType / data.result")
    rt, res = data["resultType"], data["result"]
    if rt in ("scalar", "string"):
        try:
            t, v = res
            return rt, {(): [(to_ms(t), to_float(v) if rt == "scalar" else str(v))]}
        except (TypeError, ValueError) as e:
            raise Shape(f"unreadable {rt} ({e})")
    if rt not in ("matrix", "vector") or not isinstance(res, list):
        raise Shape(f"unknown resultType {rt!r} or result not a list")
    out = {}
    for el in res:
        if not isinstance(el, dict) or not isinstance(el.get("metric"), dict):
            raise Shape("series without a metric object")
        key = tuple(sorted(el["metric"].items()))
        if key in out:
            raise Shape(f"label set {show_labels(key)} twice")
        out[key] = samples(el, rt)
    return rt, out


def val_eq(a, b, tol):
    if isinstance(a, tuple) or isinstance(b, tuple):
        if not (isinstance(a, tuple) and isinstance(b, tuple)):
            return False
        return (close(a[0], b[0], tol) and close(a[1], b[1], tol) and len(a[2]) == len(b[2]) and
                all(x[0] == y[0] and all(close(p, q, tol) for p, q in zip(x[1:], y[1:]))
                    for x, y in zip(a[2], b[2])))
    if isinstance(a, str) or isinstance(b, str):
        return a == b
    return close(a, b, tol)


def diff(ref, tgt, tol):
    """-> (kind, text) of the first difference, or None"""
    rt, r = table(ref)
    try:
        tt, t = table(tgt)
    except Shape as e:
        return "shape", str(e)
    if rt != tt:
        return "resultType", f"{rt} expected, got {tt}"
    miss = [k for k in r if k not in t]
    more = [k for k in t if k not in r]
    if miss or more:
        txt = f"{len(r)} series expected, got {len(t)}"
        if miss:
            txt += f"; missing {len(miss)}, e.g. {show_labels(miss[0])}"
        if more:
            txt += f"; extra {len(more)}, e.g. {show_labels(more[0])}"
        return "series", txt
    for k in r:
        a, b = r[k], t[k]
        ta, tb = [p[0] for p in a], [p[0] for p in b]
        if ta != tb:
            sa, sb = set(ta), set(tb)
            txt = f"{show_labels(k)}: {len(ta)} points expected, got {len(tb)}"
            if sa - sb:
                txt += f"; missing at {go_ts(min(sa - sb))}"
            if sb - sa:
                txt += f"; extra at {go_ts(min(sb - sa))}"
            return "timestamps", txt
        for (ts, x), (_, y) in zip(a, b):
            if not val_eq(x, y, tol):
                return "value", f"{show_labels(k)} at {go_ts(ts)}: {x!r} expected, got {y!r}"
    return None


# --- format ------------------------------------------------------------------

ORDERED = re.compile(r"\s*(sort|sort_desc|topk|bottomk)\s*\(")


def fmt_value(tok, issues, plain=False):
    if isinstance(tok, Num) or not isinstance(tok, str):
        issues.add("sample value is not a JSON string")
        return
    try:
        x = float(tok)
    except ValueError:
        issues.add("sample value is not a number")
        return
    if go_float(x, plain) != tok:
        issues.add("sample value spelling")


def fmt_ts(tok, issues, plain=False):
    if not isinstance(tok, Num):
        issues.add("time stamp is not a JSON number")
        return
    want = go_float(to_ms(tok) / 1000) if plain else go_ts(to_ms(tok))
    if want != str(tok):
        issues.add("time stamp spelling")


def fmt_hist(h, issues):
    if not isinstance(h, dict) or not set(h) <= {"count", "sum", "buckets"} or not {"count", "sum"} <= set(h):
        issues.add("histogram keys")
        return
    fmt_value(h["count"], issues)
    fmt_value(h["sum"], issues)
    for b in h.get("buckets", []):
        if not isinstance(b, list) or len(b) != 4 or not isinstance(b[0], Num):
            issues.add("histogram bucket shape")
            continue
        for v in b[1:]:
            fmt_value(v, issues)


def fmt_issues(ans, query, is_range, ref):
    """-> set of complaints about one answer of the target"""
    issues = set()
    if not ans.ctype.split(";")[0].strip() == "application/json":
        issues.add("Content-Type is not application/json")
    d = ans.doc
    if not isinstance(d, dict):
        issues.add("body is not a JSON object")
        return issues
    if not ans.ok:
        if d.get("status") != "error":
            issues.add('error without "status":"error"')
        if not isinstance(d.get("errorType"), str) or not isinstance(d.get("error"), str):
            issues.add("error without errorType/error strings")
        if not set(d) <= {"status", "errorType", "error", "data", "warnings", "infos"}:
            issues.add("envelope keys")
        return issues
    if not set(d) <= {"status", "data", "warnings", "infos"} or "data" not in d:
        issues.add("envelope keys")
    data = d.get("data")
    if not isinstance(data, dict) or set(data) != {"resultType", "result"}:
        issues.add("data keys")
        if not isinstance(data, dict) or not {"resultType", "result"} <= set(data):
            return issues
    rt, res = data["resultType"], data["result"]
    if is_range and rt != "matrix":
        issues.add("range query result is not a matrix")
    if not isinstance(res, list):
        issues.add("result is not a list")
        return issues
    try:
        if rt in ("scalar", "string"):
            fmt_ts(res[0], issues, plain=True)
            if rt == "scalar":
                fmt_value(res[1], issues, plain=True)
            return issues
        allowed = {"matrix": ({"metric", "values"}, {"metric", "histograms"}, {"metric", "values", "histograms"}),
                   "vector": ({"metric", "value"}, {"metric", "histogram"})}.get(rt, ())
        keys = []
        for el in res:
            if set(el) not in allowed:
                issues.add("series keys")
            if list(el)[:1] != ["metric"]:
                issues.add("metric is not the first key of a series")
            m = el.get("metric", {})
            if any(not isinstance(v, str) or isinstance(v, Num) for v in m.values()):
                issues.add("label value is not a JSON string")
            if any(v == "" for v in m.values()):
                issues.add("empty label value")
            keys.append(sorted(m.items()))
            for t, v in (el.get("values", []) if rt == "matrix" else [el["value"]] if "value" in el else []):
                fmt_ts(t, issues)
                fmt_value(v, issues)
            for t, h in (el.get("histograms", []) if rt == "matrix" else [el["histogram"]] if "histogram" in el else []):
                fmt_ts(t, issues)
                fmt_hist(h, issues)
        if rt == "matrix" and any(keys[i] > keys[i + 1] for i in range(len(keys) - 1)):
            issues.add("matrix is not sorted by labels")
        if rt == "vector" and ORDERED.match(query) and ref is not None and ref.ok:
            want = [sorted(el["metric"].items()) for el in ref.doc["data"]["result"]]
            if sorted(want) == sorted(keys) and want != keys:
                issues.add("order of sort()/topk result")
    except (TypeError, ValueError, KeyError, IndexError, AttributeError) as e:
        issues.add(f"unreadable result ({type(e).__name__})")
    return issues


# --- one query ---------------------------------------------------------------

def run_form(form, case, ref, tgt, a):
    q = case["query"]
    if form == "range":
        ep, par = "/api/v1/query_range", {"query": q, "start": a.start, "end": a.end, "step": a.step}
    else:
        ep, par = "/api/v1/query", {"query": q, "time": a.end}
    r, t = ref.call(ep, par), tgt.call(ep, par)
    out = {"form": form, "pass": False, "kind": None, "detail": None, "note": None, "error_pair": None,
           "format": sorted(fmt_issues(t, q, form == "range", r)),
           "ref_format": sorted(fmt_issues(r, q, form == "range", r)),
           "ref_seconds": round(r.seconds, 4), "target_seconds": round(t.seconds, 4)}

    def fail(kind, detail):
        out.update(kind=kind, detail=detail)
        return out

    def good(note=None):
        out.update({"pass": True, "note": note})
        return out

    if r.transport:
        return fail("reference", f"no usable answer from the reference: {r.transport}")
    if t.transport:
        return fail("no answer", f"no usable answer: {t.transport}")
    if not r.ok and not t.ok:
        out["error_pair"] = {"status": [r.status, t.status], "errorType": [r.error_type, t.error_type],
                             "error": [str(r.error)[:300], str(t.error)[:300]]}
    if case.get("either_outcome"):
        return good("either outcome allowed") if t.ok or t.api_error else fail("error", t.brief())
    if case.get("should_fail"):
        if r.ok:
            return fail("reference", "should fail, but the reference answered with success")
        if t.ok:
            return fail("unexpected success", f"an error was expected ({r.brief()})")
        return good() if t.api_error else fail("error", "not an API error object: " + t.brief())
    if not r.ok:
        if t.ok:
            return fail("unexpected success", f"the reference fails: {r.brief()}")
        if (r.status, r.error_type) == (t.status, t.error_type):
            return good(f"both fail: {r.brief()}")
        return fail("error", f"{r.brief()} expected, got {t.brief()}")
    if not t.ok:
        return fail("error", t.brief())
    if case.get("skip_comparison"):
        return good()
    try:
        d = diff(r.doc, t.doc, a.tolerance)
    except Shape as e:
        return fail("reference", f"reference answer unreadable: {e}")
    return good() if d is None else fail(*d)


def pct(n, m):
    return f"{100.0 * n / m:.1f}%" if m else "n/a"


def main():
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("--ref", required=True, help="base URL of the reference")
    ap.add_argument("--target", required=True, help="base URL of the server under test")
    ap.add_argument("--queries", required=True, help="JSON query list")
    ap.add_argument("--start", required=True)
    ap.add_argument("--end", required=True)
    ap.add_argument("--step", required=True)
    ap.add_argument("--tolerance", type=float, default=1e-5)
    ap.add_argument("--timeout", type=float, default=60)
    ap.add_argument("--parallel", type=int, default=4)
    ap.add_argument("--method", choices=("POST", "GET"), default="POST")
    ap.add_argument("--only", help="only queries that match this regular expression")
    ap.add_argument("--no-range", action="store_true")
    ap.add_argument("--no-instant", action="store_true")
    ap.add_argument("--param", action="append", default=[], help="extra parameter for both, name=value")
    ap.add_argument("--header", action="append", default=[], help="extra header for both, 'Name: value'")
    ap.add_argument("--max-print", type=int, default=40, help="mismatches to print (0: all)")
    ap.add_argument("--strict", action="store_true", help="format and error scores decide the exit status too")
    ap.add_argument("--json", help="write a full report here")
    a = ap.parse_args()
    forms = ([] if a.no_range else ["range"]) + ([] if a.no_instant else ["instant"])
    if not forms:
        ap.error("nothing to run")
    try:
        with open(a.queries) as f:
            cases = [{"query": c} if isinstance(c, str) else c for c in json.load(f)]
    except (OSError, ValueError, TypeError) as e:
        ap.error(f"cannot read {a.queries}: {e}")
    if a.only:
        cases = [c for c in cases if re.search(a.only, c["query"])]
    extra = [tuple(p.split("=", 1)) for p in a.param]
    hdr = dict((x.strip() for x in h.split(":", 1)) for h in a.header)
    ref = Server(a.ref, a.timeout, a.method, extra, hdr)
    tgt = Server(a.target, a.timeout, a.method, extra, hdr)

    def one(case):
        return [run_form(f, case, ref, tgt, a) for f in forms]

    t0 = time.monotonic()
    with concurrent.futures.ThreadPoolExecutor(max(1, a.parallel)) as ex:
        results = list(ex.map(one, cases))

    passed = 0
    form_pass = collections.Counter()
    kinds, fissues, rissues = collections.Counter(), collections.Counter(), collections.Counter()
    fgood = ftotal = 0
    rgood = 0
    pairs = st_eq = ty_eq = 0
    notes, printed, failures = [], 0, 0
    report = []
    for case, res in zip(cases, results):
        ok = all(r["pass"] for r in res)
        passed += ok
        for r in res:
            form_pass[r["form"]] += r["pass"]
            ftotal += 1
            fgood += not r["format"]
            rgood += not r["ref_format"]
            fissues.update(r["format"])
            rissues.update(r["ref_format"])
            if r["kind"]:
                kinds[r["kind"]] += 1
            if r["note"] and r["note"].startswith("both fail"):
                notes.append((case["query"], r["form"], r["note"]))
            if r["error_pair"]:
                pairs += 1
                st_eq += r["error_pair"]["status"][0] == r["error_pair"]["status"][1]
                ty_eq += r["error_pair"]["errorType"][0] == r["error_pair"]["errorType"][1]
        if not ok:
            failures += 1
            if not a.max_print or printed < a.max_print:
                printed += 1
                bad = [r for r in res if not r["pass"]]
                both = len(bad) > 1 and len({r["kind"] for r in bad}) == 1
                print(f"MISMATCH {case['query']}")
                for r in bad[:1] if both else bad:
                    print(f"    {'+'.join(x['form'] for x in bad) if both else r['form']}: {r['kind']}: {r['detail']}")
        report.append({**case, "pass": ok, "results": res})
    if failures > printed:
        print(f"... and {failures - printed} more mismatches (--max-print 0 or --json for all)")
    for q, form, note in notes[:10]:
        print(f"NOTE {q} [{form}] {note}")
    if kinds:
        print("mismatch kinds: " + ", ".join(f"{k} {n}" for k, n in kinds.most_common()))
    for f in forms:
        print(f"{f}: {form_pass[f]}/{len(cases)} ({pct(form_pass[f], len(cases))})")
    print(f"format: {fgood}/{ftotal} responses as Prometheus writes them ({pct(fgood, ftotal)})"
          + ("; " + ", ".join(f"{k}: {n}" for k, n in fissues.most_common()) if fissues else ""))
    if rgood != ftotal:
        print(f"format of the reference itself: {rgood}/{ftotal}; "
              + ", ".join(f"{k}: {n}" for k, n in rissues.most_common()))
    print(f"errors: {pairs} responses failed on both sides; same HTTP status {st_eq}/{pairs}, "
          f"same errorType {ty_eq}/{pairs}")
    if a.json:
        with open(a.json, "w") as f:
            json.dump({"queries": len(cases), "passed": passed,
                       "forms": {f: form_pass[f] for f in forms}, "mismatch_kinds": kinds,
                       "format": {"good": fgood, "total": ftotal, "issues": fissues},
                       "ref_format": {"good": rgood, "issues": rissues},
                       "errors": {"pairs": pairs, "same_status": st_eq, "same_errorType": ty_eq},
                       "start": a.start, "end": a.end, "step": a.step, "tolerance": a.tolerance,
                       "seconds": round(time.monotonic() - t0, 2), "cases": report}, f, indent=1)
    print(f"{passed}/{len(cases)} passed ({pct(passed, len(cases))})")
    good = passed == len(cases) and cases
    if a.strict:
        good = good and fgood == ftotal and st_eq == ty_eq == pairs
    sys.exit(0 if good else 1)


if __name__ == "__main__":
    main()
