#include "api/ingest/json_line_handlers.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_format.h"
#include "api/http/content_type.h"
#include "api/http/form.h"
#include "api/http/json_writer.h"
#include "api/http/params.h"
#include "api/http/reply.h"
#include "api/ingest/write_body.h"
#include "api/query/series_walk.h"
#include "base/text/float_format.h"
#include "ingest/exposition/exposition_write.h"
#include "ingest/json/json_lines.h"
#include "ingest/write/extra_labels.h"

namespace lockstep::api {
namespace {

absl::StatusOr<ExtraLabels> ExtraLabelsOf(const Form& form) {
  ExtraLabels extra;
  for (const std::string_view assignment : form.GetAll("extra_label")) {
    if (const absl::Status added = extra.Add(assignment); !added.ok()) {
      return Annotate(added, "invalid parameter \"extra_label\"");
    }
  }
  return extra;
}

Response ImportReply(const absl::StatusOr<WriteSummary>& result) {
  if (!result.ok()) {
    const WriteFailure failure = BodyFailureOf(result.status());
    return WithRetry(TextReply(failure.http_status, Message(result.status())), failure);
  }
  Response response = NoContentReply();
  if (!result->refusals.empty()) {
    response = Response();
    response.status = 400;
    response.body = result->refusals.ToString();
  }
  AddFates(*result, response);
  return response;
}

Ingester::Done RespondToImport(Respond respond) {
  return [respond = std::move(respond)](const absl::StatusOr<WriteSummary>& result) mutable {
    respond(ImportReply(result));
  };
}

// Precondition: `value` is finite. Numbers with many digits before the point get an exponent,
// because not every JSON reader accepts integers beyond 64 bits. A zero keeps its sign.
void AppendJsonNumber(double value, std::string& out) {
  constexpr double kFirstLong = 1e15;
  if (value == 0 && std::signbit(value)) {
    out += "-0.0";
  } else if (std::abs(value) < kFirstLong) {
    AppendSampleValue(out, value);
  } else {
    AppendShortValue(out, value);
  }
}

void AppendJsonValue(double value, std::string& out) {
  if (std::isfinite(value)) return AppendJsonNumber(value, out);
  if (IsStaleNan(value)) {
    out += "null";
  } else if (std::isnan(value)) {
    out += "\"NaN\"";
  } else {
    out += value > 0 ? "\"Infinity\"" : "\"-Infinity\"";
  }
}

// Writes the samples [begin, end) of a series.
void AppendJsonLine(const LabelSet& labels, const SampleColumns& samples, size_t begin, size_t end,
                    std::string& out) {
  JsonWriter json(out);
  json.BeginObject();
  json.Key("metric");
  json.BeginObject();
  for (const LabelView& label : labels) {
    json.LabelKey(label.name);
    json.Label(label.value);
  }
  json.EndObject();
  json.Key("values");
  json.BeginArray();
  for (size_t i = begin; i < end; ++i) AppendJsonValue(samples.values[i], json.Raw());
  json.EndArray();
  json.Key("timestamps");
  json.BeginArray();
  for (size_t i = begin; i < end; ++i) json.Number(samples.timestamps_ms[i]);
  json.EndArray();
  json.EndObject();
  out += '\n';
}

// Lines, generated while they are sent.
class JsonLineBody final : public BodySource {
 public:
  JsonLineBody(SeriesWalk walk, size_t max_samples_per_line, std::shared_ptr<const void> place)
      : place_(std::move(place)),
        walk_(std::move(walk)),
        max_samples_per_line_(max_samples_per_line) {}

  absl::StatusOr<bool> Next(std::string& out) override {
    constexpr size_t kPartBytes = 256 << 10;
    const size_t full = out.size() + kPartBytes;
    while (out.size() < full) {
      if (next_sample_ == sample_count_) {
        LOCKSTEP_ASSIGN_OR_RETURN(const bool found, walk_.Next());
        if (!found) return false;
        next_sample_ = 0;
        sample_count_ = walk_.samples().values.size();
        samples_read_ += static_cast<int64_t>(walk_.samples().size());
        continue;
      }
      const size_t end =
          next_sample_ + std::min(max_samples_per_line_, sample_count_ - next_sample_);
      AppendJsonLine(walk_.labels(), walk_.samples(), next_sample_, end, out);
      next_sample_ = end;
    }
    return true;
  }

  int64_t samples_read() const { return samples_read_; }

 private:
  const std::shared_ptr<const void> place_;  // holds the budget; destroyed last
  SeriesWalk walk_;
  const size_t max_samples_per_line_;
  size_t next_sample_ = 0;  // of the current series
  size_t sample_count_ = 0;
  int64_t samples_read_ = 0;
};

absl::StatusOr<size_t> SamplesPerLine(const Form& form) {
  // Limits a line to about a megabyte, unless its labels are long.
  constexpr size_t kMaxSamples = 20'000;
  LOCKSTEP_ASSIGN_OR_RETURN(const size_t wanted, ParseLimit(form.Get("max_rows_per_line")));
  return std::min(wanted, kMaxSamples);
}

absl::StatusOr<Response> Export(const Call& call, const Storage& storage, const Permit& permit) {
  const std::vector<std::string_view> selectors = call.form.GetAll("match[]");
  if (selectors.empty()) return absl::InvalidArgumentError("no match[] parameter provided");
  LOCKSTEP_ASSIGN_OR_RETURN(auto sets, ParseMatcherSets(selectors, &permit.budget));
  LOCKSTEP_ASSIGN_OR_RETURN(const TimeRange range,
                            ParseTimeRange(call.form.Get("start"), call.form.Get("end")));
  LOCKSTEP_ASSIGN_OR_RETURN(const size_t per_line, SamplesPerLine(call.form));
  LOCKSTEP_ASSIGN_OR_RETURN(std::unique_ptr<Querier> querier, storage.NewQuerier());
  std::vector<ReadQuery> queries;
  for (std::vector<Matcher>& matchers : sets) queries.push_back({range, std::move(matchers)});
  auto body =
      std::make_unique<JsonLineBody>(SeriesWalk(std::move(queries), std::move(querier),
                                                permit.budget, SeriesWalk::Repeats::kLeftOut),
                                     per_line, permit.place);
  Response response;
  response.content_type = "application/stream+json";
  // Generates the first part now, so that an early error can still set the status.
  LOCKSTEP_ASSIGN_OR_RETURN(const bool has_more, body->Next(response.body));
  permit.progress.samples_read += body->samples_read();
  if (has_more) {
    // From here on only the client's pace limits it.
    permit.budget.LiftDeadline();
    response.rest = std::move(body);
  }
  return response;
}

}  // namespace

void HandleJsonLineImport(const Request& request, Ingester& ingester, Respond respond) {
  const absl::StatusOr<ExtraLabels> extra = ExtraLabelsOf(UrlParametersOf(request));
  if (!extra.ok()) return respond(TextReply(400, Message(extra.status())));
  const auto decode = [&extra](std::string_view body, const IngestLimits& limits, const Storage*) {
    return json::DecodeJsonLines(body, *extra, limits);
  };
  WriteBody(request, ingester, decode, RespondToImport(std::move(respond)));
}

void HandleTextImport(const Request& request, Ingester& ingester, int64_t now_ms, Respond respond) {
  const Form form = UrlParametersOf(request);
  const absl::StatusOr<ExtraLabels> extra = ExtraLabelsOf(form);
  if (!extra.ok()) return respond(TextReply(400, Message(extra.status())));
  int64_t time_ms = now_ms;
  if (const std::string_view text = form.Get("timestamp"); !text.empty()) {
    const absl::StatusOr<int64_t> given = ParseInteger(text);
    if (!given.ok()) {
      return respond(TextReply(
          400, absl::StrFormat("invalid parameter \"timestamp\": %s", Message(given.status()))));
    }
    time_ms = *given;
  }
  const bool is_open_metrics =
      ContentType(request.header("Content-Type")).Is("application/openmetrics-text");
  const auto format =
      is_open_metrics ? exposition::TextFormat::kOpenMetrics : exposition::TextFormat::kPrometheus;
  const exposition::ExpositionTerms terms{time_ms, true, *extra};
  const auto decode = [&](std::string_view body, const IngestLimits& limits, const Storage*) {
    return exposition::DecodeTextLines(body, format, terms, limits);
  };
  WriteBody(request, ingester, decode, RespondToImport(std::move(respond)));
}

Response HandleJsonLineExport(const Call& call, const Storage& storage, const Permit& permit) {
  absl::StatusOr<Response> response = Export(call, storage, permit);
  return response.ok() ? *std::move(response) : FailureReply(response.status());
}

}  // namespace lockstep::api
