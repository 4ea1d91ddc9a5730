#include "import/prometheus_import.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_format.h"
#include "base/crc32c.h"
#include "import/delivery/resume_point.h"
#include "import/remote_read.h"

namespace lockstep::importer {
namespace {

constexpr std::string_view kStreamedType = "application/x-streamed-protobuf";

const std::vector<std::string>& ReadHeaders() {
  static const auto& headers = *new std::vector<std::string>{
      "Content-Type: application/x-protobuf", "Content-Encoding: snappy",
      "X-Prometheus-Remote-Read-Version: 0.1.0"};
  return headers;
}

// "prometheus-10.0.0.1_9090" for "http://10.0.0.1:9090/".
std::string ResumeName(std::string_view url) {
  if (const size_t scheme = url.find("://"); scheme != url.npos) url.remove_prefix(scheme + 3);
  if (const size_t user = url.rfind('@'); user != url.npos) url.remove_prefix(user + 1);
  std::string name = "prometheus-";
  for (const char c : url) name += c == ':' || c == '/' ? '_' : c;
  return name;
}

// Different queries are different imports. Only the end may change.
uint32_t QuestionId(const PrometheusSource& source) {
  std::string text = absl::StrFormat("%d", source.range.min_ms);
  for (const std::vector<Matcher>& selector : source.selectors) {
    for (const Matcher& matcher : selector) {
      absl::StrAppendFormat(&text, ",%d%s\n%s", static_cast<int>(matcher.type()), matcher.name(),
                            matcher.value());
    }
    text += ';';
  }
  return Crc32c(text);
}

// A server returns whole chunks, which may extend beyond the slice.
SampleColumns Within(const SampleColumns& samples, const TimeRange& slice) {
  SampleColumns within;
  for (size_t i = 0; i < samples.values.size(); ++i) {
    if (!slice.Contains(samples.timestamps_ms[i])) continue;
    within.Append(samples.timestamps_ms[i], samples.values[i]);
  }
  for (const HistogramSample& sample : samples.histograms) {
    if (slice.Contains(sample.timestamp_ms)) within.histograms.push_back(sample);
  }
  return within;
}

}  // namespace

PrometheusImport::PrometheusImport(const PrometheusSource& source, Read read, Delivery::Wait wait,
                                   Delivery::Patience patience, const ImportSession& session,
                                   ImportReport& report)
    : source_(source),
      read_(std::move(read)),
      delivery_([this](const Outgoing& request) { return Try(request); }, std::move(wait),
                patience),
      session_(session),
      report_(report),
      sender_(session, report) {
  report_.source = source_.url;
  report_.format = "remote read";
}

absl::Status PrometheusImport::Run() {
  LOCKSTEP_ASSIGN_OR_RETURN(
      ResumePoint point,
      ResumePoint::Open(ResumeName(source_.url), QuestionId(source_), session_.resume_use()));
  int64_t start_ms = std::max(source_.range.min_ms, static_cast<int64_t>(point.done()));
  while (start_ms <= source_.range.max_ms) {
    // Slices end on the hour.
    const int64_t hour_end_ms = start_ms - start_ms % kSliceMs + kSliceMs - 1;
    const TimeRange slice{start_ms, std::min(hour_end_ms, source_.range.max_ms)};
    for (const std::vector<Matcher>& selector : source_.selectors) {
      LOCKSTEP_RETURN_IF_ERROR(ReadSlice(selector, slice));
    }
    start_ms = slice.max_ms + 1;
    LOCKSTEP_RETURN_IF_ERROR(point.Advance(static_cast<uint64_t>(start_ms)));
    session_.progress(report_);
  }
  point.Remove();
  return absl::OkStatus();
}

absl::Status PrometheusImport::ReadSlice(const std::vector<Matcher>& matchers,
                                         const TimeRange& slice) {
  slice_ = slice;
  const std::string body = EncodeReadRequest(matchers, slice);
  LOCKSTEP_ASSIGN_OR_RETURN(const Reply reply,
                            delivery_.Send({"/api/v1/read", ReadHeaders(), body}));
  LOCKSTEP_RETURN_IF_ERROR(failure_);
  if (reply.status == 200) return batch_.Flush();
  return absl::FailedPreconditionError(
      absl::StrFormat("cannot read from %s: %s", source_.url, Describe(reply)));
}

// Retrying would not repair a malformed response.
absl::StatusOr<Reply> PrometheusImport::Try(const Outgoing& request) {
  RemoteReadAnswer answer([this](const LabelSet& labels, const SampleColumns& samples) {
    return TakeSeries(labels, samples);
  });
  failure_ = absl::OkStatus();
  bool is_streamed = false;
  const auto take = [&](std::string_view content_type, std::string_view bytes) {
    is_streamed = content_type.starts_with(kStreamedType);
    report_.read_bytes += bytes.size();
    failure_ = answer.Feed(bytes, is_streamed);
    return failure_.ok();
  };
  absl::StatusOr<Reply> reply = read_(request, take);
  if (!failure_.ok()) return Reply{200, "", ""};
  if (reply.ok() && reply->status == 200) failure_ = answer.Finish(is_streamed);
  return reply;
}

absl::Status PrometheusImport::TakeSeries(const LabelSet& labels, const SampleColumns& samples) {
  return batch_.Add(labels, Within(samples, slice_));
}

}  // namespace lockstep::importer
