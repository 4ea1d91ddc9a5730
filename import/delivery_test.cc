#include "import/delivery.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <deque>
#include <vector>

namespace lockstep::importer {
namespace {

using std::chrono::milliseconds;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

// A server that gives the prepared answers, and the pauses between the tries.
struct Script {
  std::deque<absl::StatusOr<Reply>> answers;
  std::vector<int64_t> pauses_ms;

  Delivery MakeDelivery(milliseconds patience = milliseconds(60'000)) {
    return Delivery(
        [this](std::string_view) {
          absl::StatusOr<Reply> answer = answers.front();
          if (answers.size() > 1) answers.pop_front();
          return answer;
        },
        [this](milliseconds pause) { pauses_ms.push_back(pause.count()); }, patience);
  }
};

const absl::Status kNoAnswer = absl::UnavailableError("connection refused");

TEST(DeliveryTest, TakesYesForAnAnswer) {
  Script script{{Reply{204, "", ""}}, {}};
  Delivery delivery = script.MakeDelivery();
  EXPECT_EQ(*delivery.Send("body"), Delivered::kWhole);
  EXPECT_THAT(script.pauses_ms, IsEmpty());
}

TEST(DeliveryTest, TriesAgainWhatMayPass) {
  Script script{{Reply{503, "7", ""}, Reply{429, "", ""}, kNoAnswer, Reply{500, "soon", ""},
                 Reply{503, "100000", ""}, Reply{204, "", ""}},
                {}};
  Delivery delivery = script.MakeDelivery();
  EXPECT_EQ(*delivery.Send("body"), Delivered::kWhole);
  EXPECT_THAT(script.pauses_ms, ElementsAre(7000, 1000, 2000, 4000, 30'000));
}

TEST(DeliveryTest, GivesUpInTheEnd) {
  Script script{{Reply{503, "10", "busy\n"}}, {}};
  Delivery delivery = script.MakeDelivery(milliseconds(25'000));
  const absl::Status status = delivery.Send("body").status();
  EXPECT_THAT(status.ToString(), HasSubstr("gave up after 30 s: the server answered 503: busy"));
  EXPECT_THAT(script.pauses_ms, ElementsAre(10'000, 10'000, 10'000));
}

TEST(DeliveryTest, DoesNotWaitForAServerThatWasNeverThere) {
  Script script{{kNoAnswer}, {}};
  Delivery delivery = script.MakeDelivery();
  EXPECT_EQ(delivery.Send("body").status(), kNoAnswer);
  EXPECT_THAT(script.pauses_ms, IsEmpty());
}

TEST(DeliveryTest, GoesOnAfterAPartlyTakenRequest) {
  Script script{{Reply{400, "", "2 series were refused:\nno name\n"}}, {}};
  Delivery delivery = script.MakeDelivery();
  EXPECT_EQ(*delivery.Send("body"), Delivered::kPartly);
  EXPECT_EQ(delivery.complaint(), "2 series were refused: no name");
}

TEST(DeliveryTest, StopsWhereTryingAgainIsNoUse) {
  for (const int status : {401, 403, 404, 413, 415}) {
    Script script{{Reply{status, "", "no"}}, {}};
    Delivery delivery = script.MakeDelivery();
    EXPECT_EQ(delivery.Send("body").status().code(), absl::StatusCode::kFailedPrecondition);
    EXPECT_THAT(script.pauses_ms, IsEmpty());
  }
}

}  // namespace
}  // namespace lockstep::importer
