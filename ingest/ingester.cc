#include "ingest/ingester.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "absl/strings/str_format.h"
#include "storage/storage.h"

namespace lockstep {
namespace {

// One clause.
std::string_view WhyNot(ExemplarStore::Added added) {
  switch (added) {
    case ExemplarStore::Added::kYes:
      break;
    case ExemplarStore::Added::kOutOfOrder:
      return "an exemplar is older than the newest of the series";
    case ExemplarStore::Added::kTooLong:
      return "an exemplar's labels are too long";
    case ExemplarStore::Added::kNoMemory:
      return "there is not enough memory for exemplars (--memory-limit)";
    case ExemplarStore::Added::kInvalidUtf8:
      return "an exemplar's labels are not valid UTF-8";
  }
  return "";
}

}  // namespace

absl::StatusOr<DecodedWrite> Ingester::Decode(BodyEncoding encoding, std::string_view body,
                                              DecodeMessage decode) {
  if (body.size() > limits_.max_body_bytes) {
    return absl::OutOfRangeError(
        absl::StrFormat("the body of %d bytes is larger than the limit of %d", body.size(),
                        limits_.max_body_bytes));
  }
  // Reused across requests: a fresh buffer of this size costs page faults every time.
  thread_local std::string scratch;
  MemoryCharge memory(MemoryAccount::kDecoding);
  LOCKSTEP_ASSIGN_OR_RETURN(
      const std::string_view message,
      DecodeBody(encoding, body, limits_.max_decoded_bytes, scratch, &memory));
  decoded_bytes_ += message.size();
  // Without the store, every series keeps its labels, including the job.
  const Storage* const storage = job_rates_.is_limited() ? nullptr : &storage_;
  absl::StatusOr<DecodedWrite> decoded = decode(message, limits_, storage);
  constexpr size_t kMaxKeptBytes = 4 << 20;
  if (scratch.capacity() > kMaxKeptBytes) std::string().swap(scratch);
  return decoded;
}

void Ingester::Write(const ClientId& client, BodyEncoding encoding, std::string_view body,
                     DecodeMessage decode, Done done) {
  ++requests_;
  body_bytes_ += body.size();
  absl::StatusOr<DecodedWrite> decoded = Decode(encoding, body, decode);
  if (!decoded.ok()) {
    const bool is_malformed = absl::IsInvalidArgument(decoded.status());
    ++(is_malformed ? undecodable_requests_ : oversized_requests_);
    return done(decoded.status());
  }
  StoreWithinRate(client, *std::move(decoded), std::move(done));
}

void Ingester::StoreWithinRate(const ClientId& client, DecodedWrite decoded, Done done) {
  const uint64_t sample_count = decoded.sample_count + decoded.histogram_count;
  // The shared rate limiter, not this one, counts a credential's rate.
  absl::Status admitted = rate_limit_.Admit({client.network, client.user}, sample_count);
  if (admitted.ok() && common_rate_ != nullptr) {
    admitted = common_rate_->Admit(client, sample_count);
  }
  if (!admitted.ok()) {
    ++throttled_requests_;
    return done(std::move(admitted));
  }
  // A limit set while the request was decoded applies from the next request.
  if (decoded.request.known.empty()) {
    if (absl::Status of_jobs = job_rates_.Admit(decoded); !of_jobs.ok()) {
      ++throttled_requests_;
      return done(std::move(of_jobs));
    }
  }
  Store(std::move(decoded), std::move(done));
}

void Ingester::Store(DecodedWrite decoded, Done done) {
  CountArrival(decoded);
  if (!awaits_stored_) {
    metadata_.Put(decoded.metadata);
    decoded.metadata.clear();
  }
  Rest rest = RestOf(decoded);
  if (decoded.request.series.empty() && decoded.request.known.empty()) {
    return done(FinishAlone(std::move(rest)));
  }
  storage_.Write(std::move(decoded.request), [this, rest = std::move(rest), done = std::move(done)](
                                                 absl::StatusOr<WriteOutcome> outcome) mutable {
    if (!outcome.ok()) return done(outcome.status());
    done(Finish(std::move(rest), *outcome));
  });
}

Ingester::Rest Ingester::RestOf(DecodedWrite& decoded) {
  Rest rest;
  rest.summary.samples_written = decoded.request.known.size();
  rest.sample_counts.reserve(decoded.request.series.size());
  for (const SeriesWrite& series : decoded.request.series) {
    rest.summary.samples_written += series.samples.size();
    rest.summary.histograms_written += series.histograms.size();
    rest.sample_counts.push_back(series.samples.size());
  }
  rest.summary.refusals = std::move(decoded.refusals);
  rest.exemplars = std::move(decoded.exemplars);
  rest.metadata = std::move(decoded.metadata);
  rest.exemplar_count = decoded.exemplar_count;
  rest.memory = std::move(decoded.memory);
  return rest;
}

absl::StatusOr<WriteSummary> Ingester::FinishAlone(Rest rest) {
  const bool is_refused = !rest.summary.refusals.empty();
  const bool brings_any = !rest.metadata.empty() || !rest.exemplars.empty();
  if (awaits_stored_ && brings_any && !is_refused) LOCKSTEP_RETURN_IF_ERROR(enter_());
  return Finish(std::move(rest), WriteOutcome());
}

WriteSummary Ingester::Finish(Rest rest, const WriteOutcome& outcome) {
  for (const RejectedSeries& rejected : outcome.rejected) TakeBack(rejected, rest);
  if (awaits_stored_) {
    rest.exemplars.clear();
  } else {
    metadata_.Put(rest.metadata);
  }
  StoreExemplars(rest);
  rest.summary.new_samples = outcome.written_count;
  rest.summary.duplicate_samples = outcome.duplicate_count;
  rest.summary.overwritten_samples = outcome.overwritten_count;
  for (size_t i = 0; i < kRejectReasonCount; ++i) {
    rejected_samples_[i] += rest.summary.refusals.samples_by_reason()[i];
  }
  return std::move(rest.summary);
}

// The store reports how many samples of a series it refused, but not their kind. Series with both
// kinds are rare; their floats count as refused first.
void Ingester::TakeBack(const RejectedSeries& rejected, Rest& rest) {
  const bool is_known = rejected.series_index >= rest.sample_counts.size();
  const uint64_t float_count =
      is_known
          ? rejected.sample_count
          : std::min<uint64_t>(rejected.sample_count, rest.sample_counts[rejected.series_index]);
  WriteSummary& summary = rest.summary;
  summary.samples_written -= float_count;
  summary.histograms_written -= rejected.sample_count - float_count;
  const std::vector<LabelView> labels(rejected.labels.begin(), rejected.labels.end());
  const RejectReason reason =
      rejected.is_over_series_limit ? RejectReason::kSeriesLimit : RejectReason::kStore;
  summary.refusals.Add(reason, rejected.sample_count, labels, rejected.reason);
}

void Ingester::StoreExemplars(Rest& rest) {
  WriteSummary& summary = rest.summary;
  for (SeriesExemplars& of_series : rest.exemplars) {
    for (Exemplar& exemplar : of_series.exemplars) {
      const ExemplarStore::Added added = exemplars_.Add(of_series.series, std::move(exemplar));
      if (added == ExemplarStore::Added::kYes) {
        ++summary.exemplars_written;
        continue;
      }
      const std::vector<LabelView> labels(of_series.series.begin(), of_series.series.end());
      summary.exemplar_refusals.Add(RejectReason::kBadExemplar, 0, labels, WhyNot(added));
    }
  }
  rejected_exemplars_ += rest.exemplar_count - summary.exemplars_written;
}

void Ingester::CountArrival(const DecodedWrite& decoded) {
  series_ += decoded.series_count;
  samples_ += decoded.sample_count;
  histograms_ += decoded.histogram_count;
  exemplar_count_ += decoded.exemplar_count;
  metadata_entries_ += decoded.metadata.size();
  text_values_ += decoded.text_value_count;
}

IngestStats Ingester::stats() const {
  IngestStats stats;
  stats.requests = requests_;
  stats.undecodable_requests = undecodable_requests_;
  stats.oversized_requests = oversized_requests_;
  stats.throttled_requests = throttled_requests_;
  stats.body_bytes = body_bytes_;
  stats.decoded_bytes = decoded_bytes_;
  stats.series = series_;
  stats.samples = samples_;
  stats.histograms = histograms_;
  stats.exemplars = exemplar_count_;
  stats.rejected_exemplars = rejected_exemplars_;
  stats.metadata_entries = metadata_entries_;
  stats.text_values = text_values_;
  for (size_t i = 0; i < kRejectReasonCount; ++i) stats.rejected_samples[i] = rejected_samples_[i];
  return stats;
}

}  // namespace lockstep
