#include "scrape/scrape_task.h"

#include <algorithm>
#include <chrono>
#include <string>
#include <utility>

#include "absl/strings/str_format.h"
#include "scrape/body_reader.h"

namespace lockstep::scrape {
namespace {

constexpr std::array<std::string_view, 5> kReportNames = {
    "up", "scrape_duration_seconds", "scrape_samples_scraped",
    "scrape_samples_post_metric_relabeling", "scrape_series_added"};

int64_t SteadyNs() { return std::chrono::steady_clock::now().time_since_epoch().count(); }

std::string_view AcceptedType(ScrapeProtocol protocol) {
  switch (protocol) {
    case ScrapeProtocol::kPrometheusProto:
      return "application/vnd.google.protobuf;proto=io.prometheus.client.MetricFamily;"
             "encoding=delimited";
    case ScrapeProtocol::kOpenMetrics100:
      return "application/openmetrics-text;version=1.0.0;escaping=allow-utf-8";
    case ScrapeProtocol::kOpenMetrics001:
      return "application/openmetrics-text;version=0.0.1";
    case ScrapeProtocol::kPrometheusText100:
      return "text/plain;version=1.0.0;escaping=allow-utf-8";
    case ScrapeProtocol::kPrometheusText004:
      break;
  }
  return "text/plain;version=0.0.4";
}

// The first protocol gets the highest preference, relative to all protocols.
std::string AcceptHeader(const std::vector<ScrapeProtocol>& protocols) {
  std::string header = "Accept: ";
  size_t weight = kScrapeProtocolCount + 1;
  for (const ScrapeProtocol protocol : protocols) {
    absl::StrAppendFormat(&header, "%s;q=0.%d,", AcceptedType(protocol), weight--);
  }
  return absl::StrFormat("%s*/*;q=0.%d", header, weight);
}

KeyedLabels ReportSeries(const Target& target, std::string_view name) {
  LabelSet labels = LabelSetBuilder(target.labels).Set(kMetricName, name).Build();
  const SeriesKey key = SeriesKeyOf(labels);
  return {key, std::move(labels)};
}

ScrapeSchedule ScheduleOf(const Target& target, int64_t now_ms) {
  return ScrapeSchedule(target.labels.Hash(), target.interval.count(), now_ms);
}

}  // namespace

ScrapeTask::ScrapeTask(Assignment assignment, ScrapeSink& sink, int64_t now_ms)
    : assignment_(std::move(assignment)),
      sink_(sink),
      schedule_(ScheduleOf(*assignment_.target, now_ms)) {
  for (size_t i = 0; i < kReportCount; ++i) {
    report_series_[i] = ReportSeries(*assignment_.target, kReportNames[i]);
  }
}

void ScrapeTask::Reassign(Assignment assignment, int64_t now_ms) {
  const Target& before = *assignment_.target;
  const Target& now = *assignment.target;
  if (before.config != now.config) series_.Forget();
  if (before.interval != now.interval) schedule_ = ScheduleOf(now, now_ms);
  assignment_ = std::move(assignment);
}

FetchOptions ScrapeTask::OptionsOf(const Target& target) const {
  const ScrapeConfig& config = *target.config;
  FetchOptions options;
  options.url = target.url;
  options.headers = {AcceptHeader(config.protocols),
                     absl::StrFormat("X-Prometheus-Scrape-Timeout-Seconds: %g",
                                     static_cast<double>(target.timeout.count()) / 1e3)};
  options.timeout = target.timeout;
  options.enable_compression = config.enable_compression;
  options.max_body_bytes = config.limits.body_bytes;
  options.http = config.http;
  return options;
}

void* ScrapeTask::Start(int64_t now_ms) {
  const int64_t timestamp_ms = schedule_.Take(now_ms);
  if (*is_writing_) {
    ++sink_.counters().skipped_scrapes;
    return nullptr;
  }
  timestamp_ms_ = timestamp_ms;
  start_ns_ = SteadyNs();
  const Target& target = *assignment_.target;
  absl::Status status = target.refusal.empty() ? fetch_.Prepare(OptionsOf(target))
                                               : absl::FailedPreconditionError(target.refusal);
  if (!status.ok()) {
    End(status);
    return nullptr;
  }
  is_scraping_ = true;
  return fetch_.handle();
}

void ScrapeTask::Finish(int code) {
  is_scraping_ = false;
  End(fetch_.Outcome(code));
}

absl::Status ScrapeTask::ReadAnswer(const absl::Status& fetched, Report& report) {
  LOCKSTEP_RETURN_IF_ERROR(fetched);
  // Prometheus accepts an empty body in every format.
  if (fetch_.body().empty()) return absl::OkStatus();
  const Target& target = *assignment_.target;
  LOCKSTEP_ASSIGN_OR_RETURN(const BodyFormat format,
                            FormatOf(fetch_.content_type(), *target.config));
  sink_.counters().body_bytes += fetch_.body().size();
  BodyCounts counts;
  absl::Status status = ReadBody({fetch_.body(), format, timestamp_ms_}, target, series_,
                                 assignment_.state->metadata(), batch_, counts);
  report.samples = counts.samples;
  report.kept = counts.kept;
  report.added = counts.added;
  return status;
}

void ScrapeTask::End(const absl::Status& fetched) {
  Report report;
  series_.Begin();
  const absl::Status status = ReadAnswer(fetched, report);
  fetch_.DropBody();
  if (!status.ok()) batch_.Clear();
  const std::vector<KeyedLabels> gone = status.ok() ? series_.End() : series_.Abandon();
  MarkStale(gone, timestamp_ms_);
  report.up = status.ok() ? 1 : 0;
  report.duration_seconds = static_cast<double>(SteadyNs() - start_ns_) / 1e9;
  AddReport(report);
  if (fetched.ok()) {
    for (MetadataEntry& entry : assignment_.state->metadata().TakeChanges()) {
      batch_.AddMetadata(std::move(entry));
    }
  }
  ScrapeSink::Counters& counters = sink_.counters();
  ++counters.scrapes;
  if (!status.ok()) ++counters.failed_scrapes;
  counters.samples += report.samples;
  counters.kept_samples += report.kept;
  assignment_.state->Set({status.ok() ? Health::kUp : Health::kDown, std::string(Message(status)),
                          timestamp_ms_, report.duration_seconds});
  Write();
}

void ScrapeTask::MarkStale(std::span<const KeyedLabels> gone, int64_t timestamp_ms) {
  for (const KeyedLabels& series : gone) batch_.AddOwn(series, {timestamp_ms, StaleNan()});
  sink_.counters().stale_markers += gone.size();
}

void ScrapeTask::AddReport(const Report& report) {
  const std::array<double, kReportCount> values = {
      report.up, report.duration_seconds, static_cast<double>(report.samples),
      static_cast<double>(report.kept), static_cast<double>(report.added)};
  for (size_t i = 0; i < kReportCount; ++i) {
    batch_.AddOwn(report_series_[i], {timestamp_ms_, values[i]});
  }
  has_reported_ = true;
}

void ScrapeTask::Retire(int64_t now_ms) {
  batch_.Clear();
  // After the last timestamp written.
  const int64_t timestamp_ms = std::max(now_ms, timestamp_ms_ + 1);
  const std::vector<KeyedLabels> gone = series_.Abandon();
  MarkStale(gone, timestamp_ms);
  if (has_reported_) MarkStale(report_series_, timestamp_ms);
  Write();
}

void ScrapeTask::Write() { sink_.Write(batch_.Take(sink_.storage()), is_writing_); }

}  // namespace lockstep::scrape
