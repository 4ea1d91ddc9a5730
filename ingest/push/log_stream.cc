#include "ingest/push/log_stream.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_format.h"
#include "ingest/logs/record/log_limits.h"
#include "ingest/logs/record/state_coding.h"
#include "ingest/push/push_limits.h"

namespace lockstep::push {
namespace {

using logs::RecordCounts;
using logs::RecordKind;

uint64_t RecordsOf(const RecordCounts& counts) {
  return counts.of(RecordKind::kStep) + counts.of(RecordKind::kEvaluation) +
         counts.of(RecordKind::kSummary) + counts.of(RecordKind::kMeasurement);
}

void PutHints(std::string& out, const logs::LogHints& hints) {
  for (const std::string& text : {hints.format, hints.job, hints.run, hints.metric}) {
    PutLengthPrefixed(out, text);
  }
  logs::PutOptional(out, hints.rank);
  PutVarintSigned64(out, hints.first_rank);
  PutVarint64(out, hints.attempt);
  PutVarintSigned64(out, hints.logging_steps);
  PutVarintSigned64(out, hints.utc_offset_s);
  PutVarint64(out, hints.steps_are_samples ? 1 : 0);
}

bool GetHints(std::string_view& in, logs::LogHints& hints) {
  for (std::string* text : {&hints.format, &hints.job, &hints.run, &hints.metric}) {
    std::string_view bytes;
    if (!GetLengthPrefixed(in, bytes)) return false;
    *text = bytes;
  }
  int64_t first_rank = 0, utc_offset_s = 0;
  const bool is_good = logs::GetOptional(in, hints.rank) && GetVarintSigned64(in, first_rank) &&
                       logs::GetBelow(in, uint64_t{1} << 32, hints.attempt) &&
                       GetVarintSigned64(in, hints.logging_steps) &&
                       GetVarintSigned64(in, utc_offset_s) &&
                       logs::GetFlag(in, hints.steps_are_samples);
  hints.first_rank = static_cast<int32_t>(first_rank);
  hints.utc_offset_s = static_cast<int32_t>(utc_offset_s);
  return is_good;
}

void RefuseDropped(uint64_t value_count, Refusals& refusals) {
  if (value_count == 0) return;
  refusals.Add(RejectReason::kSeriesLimit, value_count, {},
               absl::StrFormat("the limits are %d values per record, %d names per stream and "
                               "%d bytes per name",
                               logs::kMaxValuesPerRecord, logs::kMaxKeys, logs::kMaxKeyBytes));
}

void Append(WriteRequest& to, WriteRequest from) {
  for (SeriesWrite& series : from.series) to.series.push_back(std::move(series));
}

}  // namespace

absl::StatusOr<std::unique_ptr<LogStream>> LogStream::New(logs::LogHints hints,
                                                          const IngestLimits& limits) {
  std::unique_ptr<LogStream> stream(new LogStream(std::move(hints), limits));
  LOCKSTEP_ASSIGN_OR_RETURN(stream->parser_, logs::LogParser::New(stream->hints_, stream->batch_));
  return stream;
}

LogStream::LogStream(logs::LogHints hints, const IngestLimits& limits)
    : hints_(std::move(hints)), limits_(limits), batch_(hints_, limits_) {}

absl::StatusOr<std::unique_ptr<LogStream>> LogStream::Restore(std::string_view state,
                                                              const IngestLimits& limits) {
  const absl::Status malformed = absl::DataLossError("the kept state of the log stream is damaged");
  logs::LogHints hints;
  uint64_t offset = 0;
  bool has_ended = false;
  if (!GetHints(state, hints) || !GetVarint64(state, offset) || !logs::GetFlag(state, has_ended)) {
    return malformed;
  }
  absl::StatusOr<std::unique_ptr<LogStream>> stream = New(std::move(hints), limits);
  if (!stream.ok()) return malformed;
  LogStream& restored = **stream;
  restored.parsed_offset_ = restored.stored_offset_ = offset;
  restored.has_ended_ = has_ended;
  if (has_ended) return stream;
  if (!restored.batch_.LoadState(state) || !restored.parser_->LoadState(state)) return malformed;
  restored.told_ = restored.parser_->counts();
  return stream;
}

bool LogStream::AppendState(std::string& out) const {
  if (stored_offset_ != parsed_offset_) return false;
  const size_t begin = out.size();
  PutHints(out, hints_);
  PutVarint64(out, stored_offset_);
  PutVarint64(out, has_ended_ ? 1 : 0);
  if (has_ended_) return true;
  batch_.AppendState(out);
  return parser_->AppendState(out) && out.size() - begin <= kMaxKeptStreamBytes;
}

absl::Status LogStream::Reserve(size_t byte_count) {
  // A document grows by all bytes; lines enter the buffer one piece at a time.
  const size_t growth = 2 * std::min(byte_count, logs::kMaxDocumentBytes) + logs::kReadBytes;
  return memory_.Resize(parser_->held_bytes() + growth);
}

absl::StatusOr<WriteRequest> LogStream::Begin(const LogPush& push) {
  const uint64_t offset = push.offset.value_or(stored_offset_);
  if (offset > parsed_offset_) {
    return absl::OutOfRangeError(absl::StrFormat(
        "the log continues at offset %d, but the push begins at %d: send the bytes in between",
        stored_offset_, offset));
  }
  const uint64_t known = parsed_offset_ - offset;
  const std::string_view bytes = push.bytes.substr(std::min<uint64_t>(known, push.bytes.size()));
  if (has_ended_ && !bytes.empty()) {
    return absl::FailedPreconditionError(absl::StrFormat(
        "the log ended at offset %d: use another stream name for a new one", parsed_offset_));
  }
  batch_.set_arrival_ms(push.arrival_ms);
  parser_->Feed(bytes);
  parsed_offset_ += bytes.size();
  // Complete only if the push reaches the stream's end.
  if (push.is_last && !has_ended_ && offset + push.bytes.size() == parsed_offset_) {
    parser_->Finish();
    has_ended_ = true;
  }
  memory_.Resize(std::min<uint64_t>(parser_->held_bytes(), memory_.bytes())).IgnoreError();
  Append(unstored_, batch_.TakeRequest());
  return unstored_;
}

LogPushAnswer LogStream::End(bool was_stored) {
  LogPushAnswer answer;
  answer.next_offset = stored_offset_;
  // Counts are reported once the samples are stored.
  if (!was_stored) return answer;
  const logs::LogCounts counts = parser_->counts();
  unstored_.series.clear();
  answer.new_bytes = parsed_offset_ - stored_offset_;
  stored_offset_ = parsed_offset_;
  answer.format = parser_->format_name();
  answer.next_offset = stored_offset_;
  answer.lines = counts.lines - told_.lines;
  answer.records = RecordsOf(counts.records) - RecordsOf(told_.records);
  answer.events = counts.records.of(RecordKind::kEvent) - told_.records.of(RecordKind::kEvent);
  answer.values = counts.records.values - told_.records.values;
  answer.repeated_steps = counts.records.repeated_steps - told_.records.repeated_steps;
  answer.ignored_lines = counts.ignored - told_.ignored;
  answer.rejected_lines = counts.rejected - told_.rejected;
  answer.rejections = parser_->TakeRejections();
  answer.refusals = batch_.TakeRefusals();
  RefuseDropped(counts.records.dropped_values - told_.records.dropped_values, answer.refusals);
  told_ = counts;
  return answer;
}

}  // namespace lockstep::push
