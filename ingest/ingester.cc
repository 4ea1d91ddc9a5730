#include "ingest/ingester.h"

#include <utility>
#include <vector>

#include "absl/strings/str_format.h"

namespace lockstep {
namespace {

void AddOutcome(const WriteOutcome& outcome, Refusals& refusals) {
  for (const RejectedSeries& rejected : outcome.rejected) {
    const std::vector<LabelView> labels(rejected.labels.begin(), rejected.labels.end());
    const RejectReason reason =
        rejected.is_over_series_limit ? RejectReason::kSeriesLimit : RejectReason::kStore;
    refusals.Add(reason, rejected.sample_count, labels, rejected.reason);
  }
}

}  // namespace

absl::StatusOr<DecodedWrite> Ingester::Decode(BodyEncoding encoding, std::string_view body) {
  if (body.size() > limits_.max_body_bytes) {
    return absl::OutOfRangeError(
        absl::StrFormat("the body of %d bytes is larger than the limit of %d", body.size(),
                        limits_.max_body_bytes));
  }
  // Kept from request to request: a fresh buffer of this size costs page faults every time.
  thread_local std::string scratch;
  LOCKSTEP_ASSIGN_OR_RETURN(const std::string_view message,
                            DecodeBody(encoding, body, limits_.max_decoded_bytes, scratch));
  decoded_bytes_ += message.size();
  absl::StatusOr<DecodedWrite> decoded = DecodeRemoteWrite(message, limits_, &storage_);
  constexpr size_t kMaxKeptBytes = 4 << 20;
  if (scratch.capacity() > kMaxKeptBytes) std::string().swap(scratch);
  return decoded;
}

void Ingester::RemoteWrite(BodyEncoding encoding, std::string_view body, Done done) {
  ++requests_;
  body_bytes_ += body.size();
  absl::StatusOr<DecodedWrite> decoded = Decode(encoding, body);
  if (!decoded.ok()) {
    ++(absl::IsOutOfRange(decoded.status()) ? oversized_requests_ : undecodable_requests_);
    return done(decoded.status());
  }
  if (absl::Status admitted = rate_limit_.Admit(decoded->sample_count + decoded->histogram_count);
      !admitted.ok()) {
    ++throttled_requests_;
    return done(std::move(admitted));
  }
  CountArrival(*decoded);
  metadata_.Put(decoded->metadata);
  if (decoded->request.series.empty() && decoded->request.known.empty()) {
    CountRefusals(decoded->refusals);
    return done(std::move(decoded->refusals));
  }
  storage_.Write(std::move(decoded->request),
                 [this, refusals = std::move(decoded->refusals),
                  done = std::move(done)](absl::StatusOr<WriteOutcome> outcome) mutable {
                   if (!outcome.ok()) return done(outcome.status());
                   AddOutcome(*outcome, refusals);
                   CountRefusals(refusals);
                   done(std::move(refusals));
                 });
}

void Ingester::CountArrival(const DecodedWrite& decoded) {
  series_ += decoded.series_count;
  samples_ += decoded.sample_count;
  histograms_ += decoded.histogram_count;
  exemplars_dropped_ += decoded.exemplar_count;
  metadata_entries_ += decoded.metadata.size();
}

void Ingester::CountRefusals(const Refusals& refusals) {
  for (size_t i = 0; i < kRejectReasonCount; ++i) {
    rejected_samples_[i] += refusals.samples_by_reason()[i];
  }
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
  stats.exemplars_dropped = exemplars_dropped_;
  stats.metadata_entries = metadata_entries_;
  for (size_t i = 0; i < kRejectReasonCount; ++i) stats.rejected_samples[i] = rejected_samples_[i];
  return stats;
}

}  // namespace lockstep
