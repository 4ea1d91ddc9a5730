#include "ingest/push/log_stream.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <random>
#include <sstream>
#include <string>
#include <vector>

#include "absl/strings/str_format.h"
#include "base/budget/memory_budget.h"
#include "base/check.h"
#include "base/status.h"
#include "ingest/logs/record/log_limits.h"
#include "ingest/push/stored_samples_testing.h"
#include "tests/support/format_page.h"

namespace lockstep::push {
namespace {

constexpr int64_t kArrivalMs = 1'772'500'000'000;

std::unique_ptr<LogStream> NewStream(const logs::LogHints& hints) {
  auto stream = LogStream::New(hints, IngestLimits());
  LOCKSTEP_CHECK(stream.ok());
  return *std::move(stream);
}

LogPush PushOf(std::string_view bytes, uint64_t offset) {
  LogPush push;
  push.bytes = bytes;
  push.offset = offset;
  push.arrival_ms = kArrivalMs;
  return push;
}

LogPushAnswer Store(LogStream& stream, const LogPush& push, StoredSamples& stored) {
  const auto request = stream.Begin(push);
  LOCKSTEP_CHECK(request.ok());
  stored.Write(*request);
  return stream.End(true);
}

std::string Whole(std::string_view bytes, const logs::LogHints& hints) {
  const auto stream = NewStream(hints);
  StoredSamples stored;
  LogPush push = PushOf(bytes, 0);
  push.is_last = true;
  Store(*stream, push, stored);
  return stored.text();
}

// Sends everything twice, in overlapping pieces, some of which fail to be stored at first.
std::string Resumed(std::string_view bytes, const logs::LogHints& hints, uint32_t seed) {
  std::mt19937 random(seed);
  const auto stream = NewStream(hints);
  StoredSamples stored;
  while (stream->next_offset() < bytes.size()) {
    const uint64_t back = std::min<uint64_t>(stream->next_offset(), random() % 1000);
    const uint64_t offset = stream->next_offset() - back;
    LogPush push = PushOf(bytes.substr(offset, random() % 5000 + 1), offset);
    push.is_last = offset + push.bytes.size() == bytes.size();
    if (random() % 3 == 0) {
      LOCKSTEP_CHECK(stream->Begin(push).ok());
      stream->End(false);
    }
    Store(*stream, push, stored);
  }
  const LogPushAnswer again = Store(*stream, PushOf(bytes, 0), stored);
  EXPECT_EQ(again.new_bytes, 0u);
  EXPECT_EQ(again.values, 0u);
  return stored.text();
}

// Restarts the server after every push; a stream that cannot be kept continues as it is.
std::string Restarted(std::string_view bytes, const logs::LogHints& hints, uint32_t seed,
                      size_t& restart_count) {
  std::mt19937 random(seed);
  auto stream = NewStream(hints);
  StoredSamples stored;
  for (uint64_t offset = 0; offset < bytes.size() || bytes.empty();) {
    LogPush push = PushOf(bytes.substr(offset, random() % 5000 + 1), offset);
    offset += push.bytes.size();
    push.is_last = offset == bytes.size();
    const LogPushAnswer answer = Store(*stream, push, stored);
    std::string state;
    if (stream->AppendState(state)) {
      auto restored = LogStream::Restore(state, IngestLimits());
      LOCKSTEP_CHECK(restored.ok());
      stream = *std::move(restored);
      EXPECT_EQ(stream->next_offset(), answer.next_offset);
      ++restart_count;
    }
    if (push.is_last) break;
  }
  return stored.text();
}

TEST(LogStreamTest, EverySampleIsStoredTheSame) {
  int file_count = 0;
  size_t restart_count = 0;
  const std::filesystem::path root(LOCKSTEP_TRAINING_LOGS);
  for (const auto& entry : std::filesystem::recursive_directory_iterator(root)) {
    const std::string path = entry.path().lexically_relative(root).string();
    if (!entry.is_regular_file() || path == "expected.json") continue;
    SCOPED_TRACE(path);
    std::ifstream file(entry.path(), std::ios::binary);
    std::ostringstream bytes;
    bytes << file.rdbuf();
    const logs::LogHints hints = logs::HintsFromPath(path);
    const std::string whole = Whole(bytes.str(), hints);
    EXPECT_EQ(whole, Resumed(bytes.str(), hints, 1));
    EXPECT_EQ(whole, Resumed(bytes.str(), hints, 2));
    EXPECT_EQ(whole, Restarted(bytes.str(), hints, 3, restart_count));
    ++file_count;
  }
  EXPECT_GE(file_count, 45);
  EXPECT_GE(restart_count, 200u);
}

TEST(LogStreamTest, WorkedExampleOfWhatIsKept) {
  logs::LogHints hints;
  hints.job = "j";
  const auto stream = NewStream(hints);
  StoredSamples stored;
  Store(*stream, PushOf("{\"step\": 7, \"rank\": 3, \"ts_ms\": 1000000000000}\n{", 0), stored);
  std::string state;
  ASSERT_TRUE(stream->AppendState(state));
  // The page shows the whole row, which begins with a version and the stream's name.
  EXPECT_EQ(std::string("\x01\x01s") + state, FormatPageExample("kept.md", "log-stream"));
}

TEST(LogStreamTest, DamagedStatesAreRefused) {
  const std::string state = FormatPageExample("kept.md", "log-stream").substr(3);
  ASSERT_TRUE(LogStream::Restore(state, IngestLimits()).ok());
  for (size_t size = 0; size < state.size(); ++size) {
    EXPECT_FALSE(LogStream::Restore(std::string_view(state).substr(0, size), IngestLimits()).ok())
        << size;
  }
  for (size_t at = 0; at < state.size() * 8; ++at) {
    std::string flipped = state;
    flipped[at / 8] = static_cast<char>(flipped[at / 8] ^ (1 << (at % 8)));
    // Whatever was restored, it can continue.
    auto restored = LogStream::Restore(flipped, IngestLimits());
    if (!restored.ok()) continue;
    const auto request = (*restored)->Begin({"\"step\": 8}\n", std::nullopt, true, kArrivalMs});
    if (request.ok()) (*restored)->End(true);
  }
}

TEST(LogStreamTest, AnswersSayWhatCameIn) {
  const auto stream = NewStream({});
  StoredSamples stored;
  const std::string log = "{\"step\": 1, \"loss\": 2}\nbroken\n{\"step\": 1, \"lr\"";
  const LogPushAnswer answer = Store(*stream, PushOf(log, 0), stored);
  EXPECT_EQ(answer.format, "jsonl");
  EXPECT_EQ(answer.next_offset, log.size());
  EXPECT_EQ(answer.lines, 2u);
  EXPECT_EQ(answer.records, 1u);
  EXPECT_EQ(answer.values, 1u);
  ASSERT_EQ(answer.rejections.size(), 1u);
  EXPECT_EQ(answer.rejections[0].number, 2u);
  EXPECT_EQ(answer.rejections[0].reason, "the line does not begin with '{'");
  const LogPushAnswer more = Store(*stream, PushOf(": 0.5}\n", log.size()), stored);
  EXPECT_EQ(more.lines, 1u);
  EXPECT_EQ(more.records, 0u);  // another line of step 1
  EXPECT_EQ(more.values, 1u);
  EXPECT_EQ(more.rejected_lines, 0u);
}

std::string LineOfValues(size_t count, std::string_view prefix) {
  std::string line = "{\"step\": 1";
  for (size_t i = 0; i < count; ++i) line += absl::StrFormat(", \"%s%d\": 1", prefix, i);
  return line + "}\n";
}

TEST(LogStreamTest, ValuesOverTheLimitsOfLogsAreRefused) {
  logs::LogHints hints;
  hints.format = "jsonl";
  const auto stream = NewStream(hints);
  StoredSamples stored;
  std::string log;
  const auto push = [&](const std::string& lines) {
    const LogPushAnswer answer = Store(*stream, PushOf(lines, log.size()), stored);
    log += lines;
    return absl::StrFormat("%d values, %d refused", answer.values, answer.refusals.sample_count());
  };
  EXPECT_EQ(push(LineOfValues(4096, "a")), "4096 values, 0 refused");
  EXPECT_EQ(push(LineOfValues(4096 + 3, "a")), "4096 values, 3 refused");
  EXPECT_EQ(push(LineOfValues(1, "a")), "1 values, 0 refused");
  const std::string long_name(257, 'n');
  EXPECT_EQ(push("{\"step\": 2, \"" + long_name + "\": 1, \"a1\": 2}\n"), "1 values, 1 refused");
  EXPECT_EQ(push("{\"step\": 2, \"" + long_name +
                 "\": {\"x\": 1, \"y\": {\"z\": -2.5, \"t\": \"text\", \"l\": [1, 2], \"w\": NaN}, "
                 "\"u\": null}}\n"),
            "0 values, 3 refused");
  EXPECT_EQ(push("{\"" + long_name + "\": 1}\n"), "0 values, 1 refused");
  // 4,100 of 8,192 names are known: "step" and those of the longest line.
  EXPECT_EQ(push(LineOfValues(4096, "b")), "4092 values, 4 refused");
}

TEST(LogStreamTest, GapsNameTheOffsetToGoOnFrom) {
  const auto stream = NewStream({});
  StoredSamples stored;
  Store(*stream, PushOf("abc\n", 0), stored);
  const auto gap = stream->Begin(PushOf("x", 5));
  EXPECT_EQ(gap.status().code(), absl::StatusCode::kOutOfRange);
  EXPECT_EQ(Message(gap.status()),
            "the log continues at offset 4, but the push begins at 5: send the bytes in between");
  EXPECT_EQ(Store(*stream, PushOf("x", 4), stored).next_offset, 5u);
}

TEST(LogStreamTest, EndedStreamsTakeNothingNew) {
  const auto stream = NewStream({});
  StoredSamples stored;
  LogPush last = PushOf("abc", 0);
  last.is_last = true;
  EXPECT_EQ(Store(*stream, last, stored).lines, 1u);
  EXPECT_EQ(Store(*stream, last, stored).lines, 0u);
  EXPECT_EQ(stream->Begin(PushOf("d", 3)).status().code(), absl::StatusCode::kFailedPrecondition);
}

TEST(LogStreamTest, AnswersCountWhatIsNew) {
  const auto stream = NewStream({});
  StoredSamples stored;
  std::string log =
      " iteration 1/ 9 | lm loss: 1 |\n iteration 2/ 9 | lm loss: nan |\nhello\nCUDA error: x\n";
  const LogPushAnswer first = Store(*stream, PushOf(log, 0), stored);
  EXPECT_EQ(first.new_bytes, log.size());
  EXPECT_EQ(first.records, 2u);
  EXPECT_EQ(first.events, 2u);
  EXPECT_EQ(first.ignored_lines, 1u);
  EXPECT_EQ(first.repeated_steps, 0u);
  const std::string more = " iteration 2/ 9 | lm loss: 1 |\n iteration 3/ 9 | lm loss: 1\n";
  const LogPushAnswer second = Store(*stream, PushOf(more, log.size()), stored);
  EXPECT_EQ(second.new_bytes, more.size());
  EXPECT_EQ(second.lines, 2u);
  EXPECT_EQ(second.records, 1u);
  EXPECT_EQ(second.events, 0u);
  EXPECT_EQ(second.ignored_lines, 0u);
  EXPECT_EQ(second.repeated_steps, 1u);
  EXPECT_EQ(second.rejected_lines, 1u);
  EXPECT_EQ(second.rejections.size(), 1u);
}

TEST(LogStreamTest, EachKindOfRecordCounts) {
  const auto stream = NewStream({});
  StoredSamples stored;
  const LogPushAnswer answer = Store(
      *stream, PushOf("{'loss': 3, 'epoch': 1}\n{'eval_loss': 2}\n{'train_runtime': 1}\nx\n", 0),
      stored);
  EXPECT_EQ(answer.records, 3u);
  const LogPushAnswer measured =
      Store(*NewStream({}), PushOf("{\"a\": 1}\n{\"a\": 2}\n", 0), stored);
  EXPECT_EQ(measured.records, 2u);
}

TEST(LogStreamTest, HintsAreKept) {
  logs::LogHints hints;
  hints.format = "csv";
  hints.job = "j";
  hints.run = "r";
  hints.metric = "m";
  hints.rank = 5;
  hints.first_rank = -8;
  hints.attempt = 3;
  hints.logging_steps = 10;
  hints.utc_offset_s = -3600;
  hints.steps_are_samples = true;
  const auto stream = NewStream(hints);
  std::string state;
  ASSERT_TRUE(stream->AppendState(state));
  const auto restored = LogStream::Restore(state, IngestLimits());
  ASSERT_TRUE(restored.ok()) << restored.status();
  std::string again;
  ASSERT_TRUE((*restored)->AppendState(again));
  EXPECT_EQ(again, state);
  StoredSamples stored;
  Store(**restored, PushOf("step,loss,time\n1,2,1970-01-01T00:00:00\n", 0), stored);
  EXPECT_EQ(stored.text(),
            "lockstep_step{attempt=\"3\", job=\"j\", rank=\"5\", run=\"r\"} 1@3600000\n"
            "train_loss{attempt=\"3\", job=\"j\", rank=\"5\", run=\"r\"} 2@3600000\n");
}

TEST(LogStreamTest, AStreamThatHasEndedIsKeptAsSuch) {
  const auto stream = NewStream({});
  StoredSamples stored;
  LogPush last = PushOf("{\"step\": 1}", 0);
  last.is_last = true;
  Store(*stream, last, stored);
  std::string state;
  ASSERT_TRUE(stream->AppendState(state));
  const auto restored = LogStream::Restore(state, IngestLimits());
  ASSERT_TRUE(restored.ok()) << restored.status();
  EXPECT_EQ((*restored)->next_offset(), 11u);
  EXPECT_EQ(Message((*restored)->Begin(PushOf("x", 11)).status()),
            "the log ended at offset 11: use another stream name for a new one");
}

TEST(LogStreamTest, WhatIsNotStoredIsNotKept) {
  const auto stream = NewStream({});
  ASSERT_TRUE(stream->Begin(PushOf("{\"step\": 1}\n", 0)).ok());
  const LogPushAnswer answer = stream->End(false);
  EXPECT_EQ(answer.next_offset, 0u);
  EXPECT_EQ(answer.format, "");
  std::string state;
  EXPECT_FALSE(stream->AppendState(state));
}

TEST(LogStreamTest, APushThatStopsBeforeTheEndDoesNotEndTheStream) {
  const auto stream = NewStream({});
  StoredSamples stored;
  Store(*stream, PushOf("{\"step\": 1}\n{", 0), stored);
  // Sent again in part, and called the last.
  LogPush part = PushOf("{\"step\"", 0);
  part.is_last = true;
  Store(*stream, part, stored);
  EXPECT_EQ(Store(*stream, PushOf("\"step\": 2}\n", 13), stored).lines, 1u);
}

TEST(LogStreamTest, MemoryIsReservedForTwiceTheBytes) {
  const auto held = [] {
    return MemoryBudget::OfProcess()
        .stats()
        .accounts[static_cast<size_t>(MemoryAccount::kStreams)]
        .held_bytes;
  };
  const auto stream = NewStream({});
  ASSERT_TRUE(stream->Reserve(0).ok());
  const uint64_t idle = held();
  EXPECT_GE(idle, logs::kReadBytes);
  // The budget counts in larger units.
  constexpr uint64_t kUnitBytes = 64 << 10;
  constexpr uint64_t kPushBytes = 1 << 20;
  ASSERT_TRUE(stream->Reserve(kPushBytes).ok());
  EXPECT_GE(held(), idle + 2 * kPushBytes - kUnitBytes);
  EXPECT_LE(held(), idle + 2 * kPushBytes + kUnitBytes);
  ASSERT_TRUE(stream->Reserve(2 * logs::kMaxDocumentBytes).ok());
  EXPECT_GE(held(), idle + 2 * logs::kMaxDocumentBytes - kUnitBytes);
  EXPECT_LE(held(), idle + 2 * logs::kMaxDocumentBytes + kUnitBytes);
  // What parsing did not need is given back.
  ASSERT_TRUE(stream->Begin(PushOf("x\n", 0)).ok());
  EXPECT_LE(held(), idle);
}

}  // namespace
}  // namespace lockstep::push
