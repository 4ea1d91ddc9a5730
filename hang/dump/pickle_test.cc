#include "hang/dump/pickle.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace lockstep::hang {
namespace {

using testing::HasSubstr;

std::string Bytes(std::initializer_list<int> codes) {
  std::string bytes;
  for (const int code : codes) bytes += static_cast<char>(code);
  return bytes;
}

// {"a": (1, -2, True, None), "b": [], "c": "a"}, the last text by reference.
const std::string kPickle = Bytes({0x80, 2, '}', '('}) + Bytes({'X', 1, 0, 0, 0, 'a', 'q', 0}) +
                            Bytes({'(', 'K', 1, 'J', 0xfe, 0xff, 0xff, 0xff, 0x88, 'N', 't'}) +
                            Bytes({0x8c, 1, 'b', ']', 0x8c, 1, 'c', 'h', 0, 'u', '.'});

TEST(PickleTest, BuildsPlainValues) {
  const auto document = ReadPickle(kPickle, nullptr);
  ASSERT_TRUE(document.ok()) << document.status();
  const NodeNumber root = document->root();
  const auto tuple = document->Elements(*document->Find(root, "a"));
  ASSERT_EQ(tuple.size(), 4u);
  EXPECT_EQ(document->Integer(tuple[0]), 1);
  EXPECT_EQ(document->Integer(tuple[1]), -2);
  EXPECT_EQ(document->Bool(tuple[2]), true);
  EXPECT_EQ(document->KindOf(tuple[3]), NodeKind::kNone);
  EXPECT_TRUE(document->Elements(*document->Find(root, "b")).empty());
  EXPECT_EQ(document->TextAt(root, "c"), "a");
}

TEST(PickleTest, LongIntegers) {
  const auto number = [](const std::string& bytes) {
    const auto document = ReadPickle(Bytes({0x80, 2}) + bytes + ".", nullptr);
    EXPECT_TRUE(document.ok()) << document.status();
    return document->Integer(document->root());
  };
  EXPECT_EQ(number(Bytes({0x8a, 0})), 0);
  EXPECT_EQ(number(Bytes({0x8a, 2, 0xff, 0x00})), 255);
  EXPECT_EQ(number(Bytes({0x8a, 1, 0xff})), -1);
  EXPECT_EQ(number(Bytes({0x8a, 8, 0, 0, 0, 0, 0, 0, 0, 0x80})), INT64_MIN);
  EXPECT_EQ(number(Bytes({0x8b, 2, 0, 0, 0, 0x00, 0x01})), 256);
  // Beyond 64 bits: some number.
  EXPECT_EQ(number(Bytes({0x8a, 9, 0, 0, 0, 0, 0, 0, 0, 0x80, 0})), std::nullopt);
}

TEST(PickleTest, RunsNothing) {
  const std::vector<std::pair<std::string, std::string>> attacks = {
      {"cos\nsystem\n", "GLOBAL"},
      {Bytes({0x8c, 2, 'o', 's', 0x8c, 6, 's', 'y', 's', 't', 'e', 'm', 0x93}), "STACK_GLOBAL"},
      {"NNR", "REDUCE"},
      {"(ios\nsystem\n", "INST"},
      {"(No", "OBJ"},
      {"NNb", "BUILD"},
      {Bytes({'N', 'N', 0x81}), "NEWOBJ"},
      {Bytes({'N', 'N', 'N', 0x92}), "NEWOBJ_EX"},
      {Bytes({0x82, 1}), "EXT1"},
      {Bytes({0x83, 1, 0}), "EXT2"},
      {Bytes({0x84, 1, 0, 0, 0}), "EXT4"},
      {"Pid\n", "PERSID"},
      {"NQ", "BINPERSID"},
  };
  for (const auto& [bytes, name] : attacks) {
    const auto status = ReadPickle(Bytes({0x80, 4}) + bytes + ".", nullptr).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << name;
    EXPECT_THAT(std::string(Message(status)), HasSubstr(name + ": the pickle wants to run code"));
  }
}

TEST(PickleTest, CutAnywhereIsAnError) {
  for (size_t size = 0; size < kPickle.size(); ++size) {
    EXPECT_FALSE(ReadPickle(kPickle.substr(0, size), nullptr).ok()) << size;
  }
}

TEST(PickleTest, DamageIsAnError) {
  const std::vector<std::string> damaged = {
      "",    // no value
      "NN",  // two values
      "(",   // a mark alone
      "t",
      "u",
      "e",
      "a",
      "s",
      "0",                  // nothing to work on
      "N" + Bytes({0x86}),  // a pair of one
      "(Nu",
      "N(Nu",
      "N(e",
      "NNa",                                      // appended to what is no container
      "}(Nu",                                     // a key without a value
      Bytes({'h', 7}),                            // unknown reference
      Bytes({'X', 0xff, 0xff, 0xff, 0xff, 'a'}),  // longer than the file
      Bytes({0x8e, 0, 0, 0, 0, 0, 0, 0, 0x80}),
      Bytes({0x97}),  // out-of-band buffers
      std::string(2000, '('),
  };
  for (const std::string& bytes : damaged) {
    EXPECT_FALSE(ReadPickle(Bytes({0x80, 2}) + bytes + ".", nullptr).ok()) << bytes;
  }
}

// A list inside itself: only walks of fixed depth end.
TEST(PickleTest, MayReferToItself) {
  const auto document = ReadPickle(Bytes({0x80, 2, ']', 'q', 0, 'h', 0, 'a', '.'}), nullptr);
  ASSERT_TRUE(document.ok()) << document.status();
  EXPECT_EQ(document->Elements(document->root())[0], document->root());
}

TEST(PickleTest, MemoryIsChargedBeforeItIsTaken) {
  MemoryBudget budget(1 << 20);
  MemoryCharge memory(MemoryAccount::kDecoding, budget);
  const std::string many = Bytes({0x80, 2, '('}) + std::string(1 << 20, 'N') + "l.";
  EXPECT_EQ(ReadPickle(many, &memory).status().code(), absl::StatusCode::kResourceExhausted);
}

}  // namespace
}  // namespace lockstep::hang
