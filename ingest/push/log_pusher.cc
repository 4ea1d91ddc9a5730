#include "ingest/push/log_pusher.h"

#include <utility>
#include <vector>

namespace lockstep::push {

void LogPusher::Push(const std::string& stream, const logs::LogHints& hints, const LogPush& push,
                     Done done) {
  PushResult failed;
  absl::StatusOr<Use> use = Open(stream, hints);
  if (use.ok()) {
    LogPush whole = push;
    whole.is_last = push.is_last || stream.empty();
    absl::StatusOr<WriteRequest> request = use->stream->Begin(whole);
    if (request.ok()) return Store(*std::move(use), *std::move(request), std::move(done));
    failed.status = request.status();
    failed.answer.next_offset = use->stream->next_offset();
    Close(*use);
  } else {
    failed.status = use.status();
  }
  Count(failed);
  done(std::move(failed));
}

absl::StatusOr<LogPusher::Use> LogPusher::Open(const std::string& name,
                                               const logs::LogHints& hints) {
  Use use;
  use.name = name;
  if (name.empty()) {
    LOCKSTEP_ASSIGN_OR_RETURN(use.own, LogStream::New(hints, limits_));
    use.stream = use.own.get();
  } else {
    LOCKSTEP_ASSIGN_OR_RETURN(use.stream, streams_.Lend(name, hints));
  }
  return use;
}

void LogPusher::Store(Use use, WriteRequest request, Done done) {
  if (request.series.empty()) {
    PushResult result = End(use, WriteOutcome());
    return done(std::move(result));
  }
  // Shared, as the store's callback is copied nowhere but must be movable.
  storage_.Write(std::move(request), [this, use = std::move(use), done = std::move(done)](
                                         absl::StatusOr<WriteOutcome> outcome) mutable {
    PushResult result = End(use, outcome);
    done(std::move(result));
  });
}

PushResult LogPusher::End(Use& use, const absl::StatusOr<WriteOutcome>& outcome) {
  PushResult result;
  result.status = outcome.status();
  result.answer = use.stream->End(outcome.ok());
  Close(use);
  if (outcome.ok()) {
    for (const RejectedSeries& rejected : outcome->rejected) {
      const std::vector<LabelView> labels(rejected.labels.begin(), rejected.labels.end());
      const RejectReason reason =
          rejected.is_over_series_limit ? RejectReason::kSeriesLimit : RejectReason::kStore;
      result.answer.refusals.Add(reason, rejected.sample_count, labels, rejected.reason);
    }
  }
  Count(result);
  return result;
}

void LogPusher::Close(Use& use) {
  use.stream = nullptr;
  if (use.own == nullptr) streams_.Return(use.name);
}

void LogPusher::Count(const PushResult& result) {
  ++pushes_;
  if (!result.status.ok()) {
    ++failed_pushes_;
    return;
  }
  const LogPushAnswer& answer = result.answer;
  bytes_ += answer.new_bytes;
  lines_ += answer.lines;
  records_ += answer.records;
  values_ += answer.values;
  rejected_lines_ += answer.rejected_lines;
  rejected_samples_ += answer.refusals.sample_count();
}

PushStats LogPusher::stats() const {
  return {pushes_,         failed_pushes_,    bytes_,         lines_, records_, values_,
          rejected_lines_, rejected_samples_, streams_.size()};
}

}  // namespace lockstep::push
