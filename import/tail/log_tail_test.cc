#include "import/tail/log_tail.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <charconv>
#include <filesystem>
#include <fstream>

#include "absl/strings/str_format.h"
#include "import/files/importing_testing.h"

namespace lockstep::tail {
namespace {

using importer::Outgoing;
using importer::Reply;
using importer::TestFolder;
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

}  // namespace
}  // namespace lockstep::tail
