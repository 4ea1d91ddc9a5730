#include "import/tail/log_tail.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <charconv>
#include <filesystem>
#include <fstream>

#include "absl/strings/str_format.h"
#include "tests/support/test_folder.h"

namespace lockstep::tail {
namespace {

using importer::Outgoing;
using importer::Reply;
using testing::ElementsAre;
using testing::UnorderedElementsAre;

// Keeps streams as described in docs/http_api.md, until told to forget them.
class StreamServer {
 public:
  absl::StatusOr<Reply> Take(const Outgoing& request) {
    if (is_away) return absl::UnavailableError("nobody there");
    std::string& bytes = streams[Parameter(request.path, "stream")];
    uint64_t offset = 0;
    const std::string number = Parameter(request.path, "offset");
    std::from_chars(number.data(), number.data() + number.size(), offset);
    if (offset > bytes.size()) {
      return Reply{409, "", absl::StrFormat(R"({"expected_offset":%d})", bytes.size())};
    }
    if (offset + request.body.size() > bytes.size()) {
      bytes.append(request.body.substr(bytes.size() - offset));
      times += Parameter(request.path, "arrival_ms") + " ";
    }
    if (request.path.find("last=true") != std::string::npos) ++ended;
    return Reply{
        200, "",
        absl::StrFormat(R"({"data":{"next_offset":%d,"refused_samples":0}})", bytes.size())};
  }
  std::vector<std::string> contents() const {
    std::vector<std::string> all;
    for (const auto& [name, bytes] : streams) all.push_back(bytes);
    return all;
  }

  bool is_away = false;
  std::map<std::string, std::string> streams;
  std::string times;  // of pushes with new bytes
  int ended = 0;

 private:
  static std::string Parameter(const std::string& path, const std::string& name) {
    const size_t begin = path.find(name + "=");
    if (begin == std::string::npos) return "";
    const size_t value = begin + name.size() + 1;
    return path.substr(value, path.find('&', value) - value);
  }
};

class LogTailTest : public testing::Test {
 protected:
  LogTailTest() { Start({}); }

  void Start(TailState state) {
    tail_ = std::make_unique<LogTail>(TailOptions{{folder_.path()}, {}, "host"}, delivery_,
                                      std::move(state));
  }
  // Restarts with the kept state.
  void Restart() {
    auto state = ParseTailState(ToText(tail_->state()));
    ASSERT_TRUE(state.ok());
    Start(*std::move(state));
  }
  absl::Status Look() {
    now_ms_ += 1000;
    tail_->Find(now_ms_);
    return tail_->Push(now_ms_);
  }
  void Append(const std::string& name, const std::string& text) {
    std::ofstream(folder_.path() + "/" + name, std::ios::app | std::ios::binary) << text;
  }
  void Rename(const std::string& from, const std::string& to) {
    std::filesystem::rename(folder_.path() + "/" + from, to);
  }

  static std::string Step(int step) { return absl::StrFormat("{\"step\":%d,\"loss\":2}\n", step); }

  TestFolder folder_;
  StreamServer server_;
  importer::Delivery delivery_{[this](const Outgoing& request) { return server_.Take(request); },
                               [](std::chrono::milliseconds) { return false; },
                               {std::chrono::milliseconds(0), true}};
  std::unique_ptr<LogTail> tail_;
  int64_t now_ms_ = 1'000'000;
};

TEST_F(LogTailTest, FollowsWhatIsWritten) {
  Append("a.jsonl", "");
  ASSERT_TRUE(Look().ok());
  EXPECT_TRUE(server_.streams.empty());
  Append("a.jsonl", Step(1) + "{\"st");
  ASSERT_TRUE(Look().ok());
  Append("a.jsonl", "ep\":2}\n");
  std::filesystem::create_directory(folder_.path() + "/b");
  Append("b/c.jsonl", Step(7));
  ASSERT_TRUE(Look().ok());
  EXPECT_THAT(server_.contents(), UnorderedElementsAre(Step(1) + "{\"step\":2}\n", Step(7)));
  EXPECT_EQ(server_.times, "1002000 1003000 1003000 ");
}

TEST_F(LogTailTest, LogsThatBeginWithChatter) {
  Append("a.log", "starting\n");
  ASSERT_TRUE(Look().ok());
  EXPECT_TRUE(server_.streams.empty());
  const std::string chatter = std::string(400'000, 'x') + "\n";
  Append("a.log", chatter + "iter 10: loss 4.1234, time 123.45ms, mfu 41.20%\n");
  ASSERT_TRUE(Look().ok());
  EXPECT_THAT(server_.contents(), ElementsAre("starting\n" + chatter +
                                              "iter 10: loss 4.1234, time 123.45ms, mfu 41.20%\n"));
}

TEST_F(LogTailTest, RenamedAndMovedAway) {
  const TestFolder elsewhere;
  Append("a.jsonl", Step(1));
  ASSERT_TRUE(Look().ok());
  Append("a.jsonl", Step(2));
  Rename("a.jsonl", folder_.path() + "/a.jsonl.1");
  Append("a.jsonl", Step(3));
  ASSERT_TRUE(Look().ok());
  EXPECT_THAT(server_.contents(), UnorderedElementsAre(Step(1) + Step(2), Step(3)));
  Append("a.jsonl", Step(4));
  Rename("a.jsonl", elsewhere.path() + "/x");
  ASSERT_TRUE(Look().ok());
  EXPECT_THAT(server_.contents(), UnorderedElementsAre(Step(1) + Step(2), Step(3) + Step(4)));
}

TEST_F(LogTailTest, DeletedWithBytesThatWereNotSent) {
  Append("a.jsonl", Step(1));
  ASSERT_TRUE(Look().ok());
  Append("a.jsonl", Step(2));
  std::filesystem::remove(folder_.path() + "/a.jsonl");
  ASSERT_TRUE(Look().ok());
  EXPECT_THAT(server_.contents(), ElementsAre(Step(1) + Step(2)));
  EXPECT_EQ(server_.ended, 1);
  EXPECT_TRUE(tail_->state().logs.empty());
}

TEST_F(LogTailTest, Truncated) {
  Append("a.jsonl", Step(1) + Step(2));
  ASSERT_TRUE(Look().ok());
  folder_.Write("a.jsonl", Step(3));
  ASSERT_TRUE(Look().ok());
  // Truncated and grown beyond the old offset between two checks.
  folder_.Write("a.jsonl", Step(4) + Step(5) + Step(6));
  ASSERT_TRUE(Look().ok());
  EXPECT_THAT(server_.contents(),
              UnorderedElementsAre(Step(1) + Step(2), Step(3), Step(4) + Step(5) + Step(6)));
}

TEST_F(LogTailTest, OneFileUnderTwoNames) {
  Append("a.jsonl", Step(1));
  std::filesystem::create_symlink(folder_.path() + "/a.jsonl", folder_.path() + "/latest.jsonl");
  ASSERT_TRUE(Look().ok());
  EXPECT_THAT(server_.contents(), ElementsAre(Step(1)));
}

TEST_F(LogTailTest, NothingIsLostWhileTheServerIsAway) {
  Append("a.jsonl", Step(1));
  ASSERT_TRUE(Look().ok());
  server_.is_away = true;
  Append("a.jsonl", Step(2));
  EXPECT_TRUE(absl::IsUnavailable(Look()));
  Rename("a.jsonl", folder_.path() + "/a.jsonl.1");
  Append("a.jsonl", Step(3));
  EXPECT_FALSE(Look().ok());
  std::filesystem::remove(folder_.path() + "/a.jsonl.1");
  EXPECT_FALSE(Look().ok());
  server_.is_away = false;
  ASSERT_TRUE(Look().ok());
  EXPECT_THAT(server_.contents(), UnorderedElementsAre(Step(1) + Step(2), Step(3)));
}

TEST_F(LogTailTest, AServerThatForgotGetsTheSameTimes) {
  for (int step = 1; step <= 3; ++step) {
    Append("a.jsonl", Step(step));
    ASSERT_TRUE(Look().ok());
  }
  const auto before = server_.streams;
  server_.streams.clear();
  Restart();
  Append("a.jsonl", Step(4));
  ASSERT_TRUE(Look().ok());
  EXPECT_EQ(server_.streams.begin()->first, before.begin()->first);
  EXPECT_EQ(server_.streams.begin()->second, before.begin()->second + Step(4));
  EXPECT_EQ(server_.times, "1001000 1002000 1003000 1001000 1002000 1003000 1004000 ");
}

TEST_F(LogTailTest, GoesOnWithWhatItKept) {
  Append("a.jsonl", Step(1));
  ASSERT_TRUE(Look().ok());
  Append("a.jsonl", Step(2));
  Restart();
  ASSERT_TRUE(Look().ok());
  EXPECT_THAT(server_.contents(), ElementsAre(Step(1) + Step(2)));
  // The kept state is older than the server's.
  const TailState old = tail_->state();
  Append("a.jsonl", Step(3));
  ASSERT_TRUE(Look().ok());
  Start(old);
  Append("a.jsonl", Step(4));
  ASSERT_TRUE(Look().ok());
  EXPECT_THAT(server_.contents(), ElementsAre(Step(1) + Step(2) + Step(3) + Step(4)));
  // No kept state.
  Start({});
  ASSERT_TRUE(Look().ok());
  EXPECT_EQ(server_.contents().size(), 2u);
}

constexpr int64_t kTenMinutesMs = 600'000;

TEST_F(LogTailTest, ForgetsALogThatWasMovedAway) {
  const TestFolder elsewhere;
  Append("a.jsonl", Step(1));
  ASSERT_TRUE(Look().ok());
  Rename("a.jsonl", elsewhere.path() + "/x");
  now_ms_ += kTenMinutesMs - 1000;
  ASSERT_TRUE(Look().ok());
  EXPECT_EQ(tail_->state().logs.size(), 1u);
  // It was last seen ten minutes and a second ago.
  ASSERT_TRUE(Look().ok());
  EXPECT_TRUE(tail_->state().logs.empty());
}

TEST_F(LogTailTest, KeepsALogThatGrowsWhereverItIs) {
  const TestFolder elsewhere;
  Append("a.jsonl", Step(1));
  ASSERT_TRUE(Look().ok());
  Rename("a.jsonl", elsewhere.path() + "/x");
  now_ms_ += kTenMinutesMs - 2000;
  elsewhere.Write("x", Step(1) + Step(2));
  ASSERT_TRUE(Look().ok());
  now_ms_ += kTenMinutesMs - 1000;
  ASSERT_TRUE(Look().ok());
  EXPECT_EQ(tail_->state().logs.size(), 1u);
  EXPECT_THAT(server_.contents(), ElementsAre(Step(1) + Step(2)));
  ASSERT_TRUE(Look().ok());
  EXPECT_TRUE(tail_->state().logs.empty());
}

TEST_F(LogTailTest, KeepsALogThatTheServerLacks) {
  const TestFolder elsewhere;
  Append("a.jsonl", Step(1));
  ASSERT_TRUE(Look().ok());
  server_.is_away = true;
  Append("a.jsonl", Step(2));
  EXPECT_FALSE(Look().ok());
  Rename("a.jsonl", elsewhere.path() + "/x");
  now_ms_ += 2 * kTenMinutesMs;
  EXPECT_FALSE(Look().ok());
  EXPECT_EQ(tail_->state().logs.size(), 1u);
  server_.is_away = false;
  ASSERT_TRUE(Look().ok());
  EXPECT_THAT(server_.contents(), ElementsAre(Step(1) + Step(2)));
  ASSERT_TRUE(Look().ok());
  EXPECT_TRUE(tail_->state().logs.empty());
}

TEST_F(LogTailTest, ANamedFileIsALogWhateverItHolds) {
  Append("notes.txt", "nothing of a known format\n");
  ASSERT_TRUE(Look().ok());
  EXPECT_TRUE(server_.streams.empty());
  tail_ = std::make_unique<LogTail>(TailOptions{{folder_.path() + "/notes.txt"}, {}, "host"},
                                    delivery_, TailState());
  ASSERT_TRUE(Look().ok());
  EXPECT_THAT(server_.contents(), ElementsAre("nothing of a known format\n"));
}

TEST_F(LogTailTest, StreamsHaveTheNameOfTheHostAndTheFile) {
  Append("a b.jsonl", Step(1));
  ASSERT_TRUE(Look().ok());
  const TailState state = tail_->state();
  ASSERT_EQ(state.logs.size(), 1u);
  EXPECT_EQ(state.logs[0].stream, absl::StrFormat("tail/host/%d.%d.1001000/a b.jsonl",
                                                  state.logs[0].device, state.logs[0].inode));
  EXPECT_EQ(state.logs[0].offset, Step(1).size());
  EXPECT_EQ(state.logs[0].head_bytes, Step(1).size());
}

TEST_F(LogTailTest, TheHeadOfALogHas256Bytes) {
  const std::string first =
      absl::StrFormat("{\"step\":1,\"loss\":2,\"note\":\"%s\"}\n", std::string(300, 'x'));
  Append("a.jsonl", first);
  ASSERT_TRUE(Look().ok());
  EXPECT_EQ(tail_->state().logs[0].head_bytes, 256u);
  const std::string stream = tail_->state().logs[0].stream;
  Append("a.jsonl", Step(2));
  ASSERT_TRUE(Look().ok());
  EXPECT_EQ(tail_->state().logs[0].stream, stream);
}

TEST_F(LogTailTest, TracesAndBlocksAreNoLogs) {
  Append("a.om", "# TYPE a gauge\na 1 1\n# EOF\n");
  folder_.Write("block/meta.json", Step(1));
  folder_.Write("block/index", "");
  folder_.Write("block/chunks/000001", "");
  ASSERT_TRUE(Look().ok());
  EXPECT_TRUE(server_.streams.empty());
}

TEST_F(LogTailTest, ALogIsSentInPiecesOfAMegabyte) {
  std::string text;
  for (int i = 0; text.size() <= (2 << 20); ++i) text += Step(i);
  folder_.Write("a.jsonl", text);
  size_t requests = 0;
  importer::Delivery counting(
      [&](const Outgoing& request) {
        ++requests;
        EXPECT_LE(request.body.size(), size_t{1} << 20);
        return server_.Take(request);
      },
      [](std::chrono::milliseconds) { return false; }, {std::chrono::milliseconds(0), true});
  LogTail tail({{folder_.path()}, {}, "host"}, counting, {});
  tail.Find(now_ms_);
  ASSERT_TRUE(tail.Push(now_ms_).ok());
  EXPECT_EQ(requests, 3u);
  EXPECT_THAT(server_.contents(), ElementsAre(text));
}

TEST_F(LogTailTest, AServerThatMakesNoProgressIsAskedAgainLater) {
  Append("a.jsonl", Step(1));
  int requests = 0;
  importer::Delivery stuck(
      [&](const Outgoing&) {
        ++requests;
        return Reply{200, "", R"({"data":{"next_offset":0,"refused_samples":0}})"};
      },
      [](std::chrono::milliseconds) { return false; }, {std::chrono::milliseconds(0), true});
  LogTail tail({{folder_.path()}, {}, "host"}, stuck, {});
  tail.Find(now_ms_);
  EXPECT_TRUE(tail.Push(now_ms_).ok());
  EXPECT_EQ(requests, 3);
  EXPECT_TRUE(tail.Push(now_ms_).ok());
  EXPECT_EQ(requests, 6);
}

TEST_F(LogTailTest, AServerThatHasMoreThanTheLogGetsANewStream) {
  Append("a.jsonl", Step(1));
  std::vector<std::string> paths;
  importer::Delivery delivery(
      [&](const Outgoing& request) {
        paths.push_back(request.path);
        if (paths.size() > 1) return server_.Take(request);
        return absl::StatusOr<Reply>(
            Reply{200, "", R"({"data":{"next_offset":1000,"refused_samples":0}})"});
      },
      [](std::chrono::milliseconds) { return false; }, {std::chrono::milliseconds(0), true});
  LogTail tail({{folder_.path()}, {}, "host"}, delivery, {});
  tail.Find(now_ms_);
  EXPECT_TRUE(tail.Push(now_ms_).ok());
  EXPECT_THAT(server_.contents(), ElementsAre(Step(1)));
}

TEST_F(LogTailTest, AFailureOfOneLogDoesNotKeepBackTheOthers) {
  Append("a.jsonl", Step(1));
  Append("b.jsonl", Step(2));
  int requests = 0;
  importer::Delivery delivery(
      [&](const Outgoing& request) {
        if (++requests == 1) return absl::StatusOr<Reply>(Reply{403, "", "no"});
        return server_.Take(request);
      },
      [](std::chrono::milliseconds) { return false; }, {std::chrono::milliseconds(0), true});
  LogTail tail({{folder_.path()}, {}, "host"}, delivery, {});
  tail.Find(now_ms_);
  const absl::Status status = tail.Push(now_ms_);
  EXPECT_TRUE(absl::IsFailedPrecondition(status));
  EXPECT_THAT(std::string(Message(status)), testing::StartsWith(folder_.path()));
  EXPECT_EQ(requests, 2);
  EXPECT_EQ(server_.contents().size(), 1u);
}

TEST_F(LogTailTest, AServerThatIsAwayIsNotAskedForEachLog) {
  Append("a.jsonl", Step(1));
  Append("b.jsonl", Step(2));
  int requests = 0;
  importer::Delivery delivery(
      [&](const Outgoing&) -> absl::StatusOr<Reply> {
        ++requests;
        return absl::UnavailableError("away");
      },
      [](std::chrono::milliseconds) { return false; }, {std::chrono::milliseconds(0), true});
  LogTail tail({{folder_.path()}, {}, "host"}, delivery, {});
  tail.Find(now_ms_);
  EXPECT_TRUE(absl::IsUnavailable(tail.Push(now_ms_)));
  EXPECT_EQ(requests, 1);
}

}  // namespace
}  // namespace lockstep::tail
