#include "ingest/logs/line_prefix.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "absl/strings/str_format.h"
#include "ingest/logs/record/log_limits.h"

namespace lockstep::logs {
namespace {

// "rank 3 in node, time 5: rest"; what a prefix does not say is left out.
std::string Taken(std::string_view line) {
  const LinePrefix prefix = TakeLinePrefixes(line);
  std::string text;
  if (prefix.rank.has_value()) absl::StrAppendFormat(&text, "rank %d ", *prefix.rank);
  if (prefix.is_rank_in_node) text += "in node ";
  if (prefix.time_ms.has_value()) absl::StrAppendFormat(&text, "time %d ", *prefix.time_ms);
  return absl::StrFormat("%s| %s", text, line);
}

TEST(LinePrefixTest, Torchrun) {
  EXPECT_EQ(Taken("[default3]:x"), "rank 3 in node | x");
  EXPECT_EQ(Taken("[my_Role-2.Z_15]: x"), "rank 15 in node |  x");
  EXPECT_EQ(Taken("[default0]:"), "rank 0 in node | ");
  for (const std::string_view line : {"[default]:x", "[de fault3]:x", "[default3] :x",
                                      "[default3:x", "[a/3]:x", "[default10000000]:x"}) {
    EXPECT_EQ(Taken(line), "| " + std::string(line));
  }
  // A bracket far behind ends another thing.
  const std::string longest = "[" + std::string(252, 'a') + "3]:";
  EXPECT_EQ(Taken(longest + "x"), "rank 3 in node | x");
  EXPECT_EQ(Taken("[a" + longest.substr(1) + "x"), "| [a" + longest.substr(1) + "x");
}

TEST(LinePrefixTest, Mpirun) {
  EXPECT_EQ(Taken("[1,3]<stdout>:x"), "rank 3 | x");
  EXPECT_EQ(Taken("[1,0]<stderr>:x"), "rank 0 | x");
  for (const std::string_view line : {"[x,3]<stdout>:x", "[1 3]<stdout>:x", "[1,x]<stdout>:x",
                                      "[1,-3]<stdout>:x", "[1,3]stdout>:x", "[1,3]<stdin>:x"}) {
    EXPECT_EQ(Taken(line), "| " + std::string(line));
  }
}

TEST(LinePrefixTest, Srun) {
  EXPECT_EQ(Taken("3: x"), "rank 3 | x");
  EXPECT_EQ(Taken("  12: x"), "rank 12 | x");
  for (const std::string_view line : {"3:x", ": x", "  : x", "3 : x", "10000000: x", "a3: x"}) {
    EXPECT_EQ(Taken(line), "| " + std::string(line));
  }
}

TEST(LinePrefixTest, KubectlNamesThePod) {
  // Workers are numbered after their master.
  EXPECT_EQ(Taken("[pod/llama-worker-3/pytorch] x"), "rank 4 | x");
  EXPECT_EQ(Taken("[pod/llama-master-0/pytorch] x"), "rank 0 | x");
  EXPECT_EQ(Taken("[pod/llama-7] x"), "rank 7 | x");
  // An indexed job's pod ends with its index and five random characters.
  EXPECT_EQ(Taken("[pod/llama-3-x7k2p/main] x"), "rank 3 | x");
  // Without a number the prefix is taken, too.
  for (const std::string_view pod :
       {"llama", "llama7", "-x7k2p", "3-x7k2p", "llama3-x7k2p", "llama-x-x7k2p", "llama-3-x7k2",
        "llama-worker-99999999", "llama-99999999"}) {
    EXPECT_EQ(Taken(absl::StrFormat("[pod/%s/main] x", pod)), "| x") << pod;
  }
  EXPECT_EQ(Taken("[pod/llama-3/main]x"), "| [pod/llama-3/main]x");
  EXPECT_EQ(Taken("[node/llama-3/main] x"), "| [node/llama-3/main] x");
}

TEST(LinePrefixTest, TimestampsOfContainersHaveAZone) {
  EXPECT_EQ(Taken("2026-03-02T09:00:00Z x"), "time 1772442000000 | x");
  EXPECT_EQ(Taken("2026-03-02T09:00:00.125Z x"), "time 1772442000125 | x");
  for (const std::string_view line :
       {"2026-03-02T09:00:00 x", "2026-03-02T09:00:00Zx", "2026-03-02T09:00:00+00:00 x",
        "2026-03-02 09:00:00Z x", "2026-13-02T09:00:00Z x", "2026-03-02T09:00:0Z x",
        "2026/03/02T09:00:00Z x", "2026-03-02T09:00:00Z"}) {
    EXPECT_EQ(Taken(line), "| " + std::string(line));
  }
}

TEST(LinePrefixTest, TheInnermostOfSeveralCounts) {
  EXPECT_EQ(Taken("2026-03-02T09:00:00Z [default1]:7: x"), "rank 7 time 1772442000000 | x");
  EXPECT_EQ(Taken("7: [default1]:x"), "rank 1 in node | x");
  EXPECT_EQ(Taken("[default1]:[1,2]<stdout>:x"), "rank 2 | x");
  // At most four.
  EXPECT_EQ(Taken("1: 2: 3: 4: 5: x"), "rank 4 | 5: x");
}

TEST(LinePrefixTest, FewLinesMayHaveOne) {
  for (const std::string_view line : {"[", " ", "0", "9"}) EXPECT_TRUE(MayHavePrefix(line)) << line;
  for (const std::string_view line : {"", "a", "/", ":", "{", "]"}) {
    EXPECT_FALSE(MayHavePrefix(line)) << line;
  }
  EXPECT_EQ(Taken(""), "| ");
}

TEST(TerminalSequencesTest, AreRemoved) {
  const auto without = [](std::string_view line) {
    std::string buffer = "earlier";
    return std::string(WithoutTerminalSequences(line, buffer));
  };
  EXPECT_EQ(without("plain"), "plain");
  EXPECT_EQ(without("\x1b[31mred\x1b[0m and \x1b[1;32mgreen"), "red and green");
  // A sequence ends with the first byte from '@' to '~'.
  EXPECT_EQ(without("a\x1b[@b"), "ab");
  EXPECT_EQ(without("a\x1b[0~b"), "ab");
  EXPECT_EQ(without("a\x1b[0\x7f?Kb"), "ab");
  EXPECT_EQ(without("a\x1bMb"), "ab");
  EXPECT_EQ(without("a\x1b[31"), "a");
  EXPECT_EQ(without("a\x1b["), "a");
  EXPECT_EQ(without("a\x1b"), "a");
}

TEST(TerminalSequencesTest, ZeroesFollowTheLine) {
  std::string buffer(1000, '}');
  const std::string_view line = WithoutTerminalSequences("\x1b[0mx", buffer);
  EXPECT_EQ(line, "x");
  EXPECT_EQ(std::string(line.data() + 1, kBufferPadding), std::string(kBufferPadding, '\0'));
}

}  // namespace
}  // namespace lockstep::logs
