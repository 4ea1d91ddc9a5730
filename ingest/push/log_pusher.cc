#include "ingest/push/log_pusher.h"

#include <utility>

namespace lockstep::push {
namespace {

DecodedWrite DecodedOf(WriteRequest request) {
  DecodedWrite decoded;
  for (const SeriesWrite& series : request.series) {
    static_cast<void>(decoded.memory.AddLabels(series.labels.bytes().size()) &&
                      decoded.memory.Add(series.samples.size() * sizeof(Sample)));
  }
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
    absl::StatusOr<WriteRequest> request = Begin(*use, whole);
    if (request.ok())
      return Store(*std::move(use), push.client, *std::move(request), std::move(done));
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

absl::StatusOr<WriteRequest> LogPusher::Begin(Use& use, const LogPush& push) {
  absl::Status room = use.stream->Reserve(push.bytes.size());
  while (absl::IsUnavailable(room) && streams_.DropQuietest()) {
    room = use.stream->Reserve(push.bytes.size());
  }
  if (absl::IsResourceExhausted(room))
    room = absl::InvalidArgumentError(std::string(Message(room)));
  LOCKSTEP_RETURN_IF_ERROR(room);
  absl::StatusOr<WriteRequest> request = use.stream->Begin(push);
  if (!request.ok() || !push.check) return request;
  const absl::Status checked = push.check(*request);
  if (checked.ok()) return request;
  // Otherwise the next push would contain what the stream has parsed.
  use.is_refused = true;
  return checked;
}

void LogPusher::Store(Use use, const ClientId& client, WriteRequest request, Done done) {
  DecodedWrite decoded = DecodedOf(std::move(request));
  if (!decoded.memory.status().ok()) {
    PushResult result = End(use, decoded.memory.status());
    return done(std::move(result));
  }
  ingester_.StoreWithinRate(client, std::move(decoded),
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
  // Forgets a stream that received nothing.
  if (summary.ok() && use.own == nullptr && result.answer.next_offset == 0) use.is_refused = true;
  if (summary.ok() && use.own == nullptr && !use.is_refused) streams_.Keep(use.name);
  Close(use);
  if (summary.ok()) {
    LogPushAnswer& answer = result.answer;
    answer.refusals.Merge(summary->refusals);
    answer.new_samples = summary->new_samples;
    answer.duplicate_samples = summary->duplicate_samples;
    answer.overwritten_samples = summary->overwritten_samples;
  }
  Count(result);
  return result;
}

void LogPusher::Close(Use& use) {
  use.stream = nullptr;
  if (use.own != nullptr) return;
  use.is_refused ? streams_.Forget(use.name) : streams_.Return(use.name);
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
