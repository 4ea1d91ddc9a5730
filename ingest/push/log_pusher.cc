#include "ingest/push/log_pusher.h"

#include <utility>

namespace lockstep::push {
namespace {

DecodedWrite DecodedOf(WriteRequest request) {
  DecodedWrite decoded;
  decoded.series_count = request.series.size();
  for (const SeriesWrite& series : request.series) decoded.sample_count += series.samples.size();
  decoded.request = std::move(request);
  return decoded;
}

}  // namespace

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
  ingester_.StoreWithinRate(DecodedOf(std::move(request)),
                            [this, use = std::move(use), done = std::move(done)](
                                const absl::StatusOr<WriteSummary>& summary) mutable {
                              PushResult result = End(use, summary);
                              done(std::move(result));
                            });
}

PushResult LogPusher::End(Use& use, const absl::StatusOr<WriteSummary>& summary) {
  PushResult result;
  result.status = summary.status();
  result.answer = use.stream->End(summary.ok());
  if (summary.ok() && use.own == nullptr) streams_.Keep(use.name);
  Close(use);
  if (summary.ok()) result.answer.refusals.Merge(summary->refusals);
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
