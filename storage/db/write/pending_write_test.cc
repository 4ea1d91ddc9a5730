#include "storage/db/write/pending_write.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <vector>

namespace lockstep {
namespace {

using ::testing::ElementsAre;

class PendingWriteTest : public ::testing::Test {
 protected:
  PendingWrite Of(size_t part_count) {
    return PendingWrite(
        [this](absl::StatusOr<WriteOutcome> outcome) {
          ++answer_count_;
          answer_ = std::move(outcome);
        },
        part_count);
  }
  static WriteOutcome Rejecting(std::vector<size_t> indices) {
    WriteOutcome outcome;
    for (const size_t index : indices) outcome.rejected.push_back({index, 1, "why"});
    outcome.rejected_count = indices.size();
    return outcome;
  }

  int answer_count_ = 0;
  std::optional<absl::StatusOr<WriteOutcome>> answer_;
};

TEST_F(PendingWriteTest, AnswersOnceWithTheSumOfItsParts) {
  PendingWrite write = Of(2);
  WriteOutcome first, second;
  first.written_count = 1;
  first.duplicate_count = 20;
  first.overwritten_count = 300;
  first.rejected_count = 4000;
  second.written_count = 5;
  second.duplicate_count = 60;
  second.overwritten_count = 700;
  second.rejected_count = 8000;
  write.PartDone(first);
  EXPECT_EQ(answer_count_, 0);
  write.PartDone(second);
  ASSERT_EQ(answer_count_, 1);
  ASSERT_TRUE(answer_->ok());
  EXPECT_EQ((*answer_)->written_count, 6u);
  EXPECT_EQ((*answer_)->duplicate_count, 80u);
  EXPECT_EQ((*answer_)->overwritten_count, 1000u);
  EXPECT_EQ((*answer_)->rejected_count, 12'000u);
}

TEST_F(PendingWriteTest, RejectedSeriesComeInTheOrderOfTheRequest) {
  PendingWrite write = Of(3);
  write.PartDone(Rejecting({3, 5}));
  write.PartDone(Rejecting({1, 4}));
  write.PartDone(Rejecting({0}));
  std::vector<size_t> indices;
  for (const RejectedSeries& series : (*answer_)->rejected) indices.push_back(series.series_index);
  EXPECT_THAT(indices, ElementsAre(0, 1, 3, 4, 5));
}

TEST_F(PendingWriteTest, TheFirstErrorIsTheAnswerHoweverManyFollow) {
  PendingWrite write = Of(4);
  write.PartDone(WriteOutcome());
  write.PartDone(absl::UnavailableError("first"));
  write.PartDone(absl::InternalError("second"));
  EXPECT_EQ(answer_count_, 0);
  write.PartDone(WriteOutcome());
  ASSERT_EQ(answer_count_, 1);
  EXPECT_EQ(answer_->status(), absl::UnavailableError("first"));
}

}  // namespace
}  // namespace lockstep
