#include "import/delivery/delivery.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <deque>
#include <vector>

#include "absl/strings/str_format.h"

namespace lockstep::importer {
namespace {

using std::chrono::milliseconds;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

// A server with scripted responses; records the pauses between tries.
struct Script {
  std::deque<absl::StatusOr<Reply>> answers;
  std::vector<int64_t> pauses_ms;
  size_t most_pauses = 100;
  bool waits_for_first_answer = false;

  Delivery MakeDelivery(milliseconds patience = milliseconds(60'000)) {
    return Delivery(
        [this](const Outgoing&) {
          absl::StatusOr<Reply> answer = answers.front();
          if (answers.size() > 1) answers.pop_front();
          return answer;
        },
        [this](milliseconds pause) {
          pauses_ms.push_back(pause.count());
          return pauses_ms.size() < most_pauses;
        },
        {patience, waits_for_first_answer});
  }
};

const absl::Status kNoAnswer = absl::UnavailableError("connection refused");

TEST(DeliveryTest, TakesYesForAnAnswer) {
  Script script{{Reply{204, "", ""}}, {}};
  Delivery delivery = script.MakeDelivery();
  EXPECT_EQ(delivery.Send({}).value().status, 204);
  EXPECT_THAT(script.pauses_ms, IsEmpty());
}

TEST(DeliveryTest, TriesAgainWhatMayPass) {
  Script script{{Reply{503, "7", ""}, Reply{429, "", ""}, kNoAnswer, Reply{500, "soon", ""},
                 Reply{503, "100000", ""}, Reply{204, "", ""}},
                {}};
  Delivery delivery = script.MakeDelivery();
  EXPECT_EQ(delivery.Send({}).value().status, 204);
  EXPECT_THAT(script.pauses_ms, ElementsAre(7000, 1000, 2000, 4000, 30'000));
}

TEST(DeliveryTest, GivesUpInTheEnd) {
  Script script{{Reply{503, "10", "busy\n"}}, {}};
  Delivery delivery = script.MakeDelivery(milliseconds(25'000));
  const absl::Status status = delivery.Send({}).status();
  EXPECT_THAT(status.ToString(), HasSubstr("gave up after 30 s: the server answered 503: busy"));
  EXPECT_THAT(script.pauses_ms, ElementsAre(10'000, 10'000, 10'000));
}

TEST(DeliveryTest, DoesNotWaitForAServerThatWasNeverThere) {
  Script script{{kNoAnswer}, {}};
  Delivery delivery = script.MakeDelivery();
  EXPECT_EQ(delivery.Send({}).status(), kNoAnswer);
  EXPECT_THAT(script.pauses_ms, IsEmpty());
}

TEST(DeliveryTest, WaitsForAServerThatIsToComeUp) {
  Script script{{kNoAnswer, kNoAnswer, Reply{204, "", ""}}, {}, 100, true};
  Delivery delivery = script.MakeDelivery();
  EXPECT_EQ(delivery.Send({}).value().status, 204);
  EXPECT_THAT(script.pauses_ms, ElementsAre(500, 1000));
}

TEST(DeliveryTest, StopsWaitingWhenToldTo) {
  Script script{{Reply{503, "", "busy"}}, {}, 2};
  Delivery delivery = script.MakeDelivery();
  EXPECT_FALSE(delivery.Send({}).ok());
  EXPECT_THAT(script.pauses_ms, ElementsAre(500, 1000));
}

TEST(DeliveryTest, GivesBackWhatTryingAgainWouldNotChange) {
  for (const int status : {200, 400, 401, 403, 404, 409, 413, 415}) {
    Script script{{Reply{status, "", "no\n"}}, {}};
    Delivery delivery = script.MakeDelivery();
    EXPECT_EQ(Describe(delivery.Send({}).value()),
              absl::StrFormat("the server answered %d: no", status));
    EXPECT_THAT(script.pauses_ms, IsEmpty());
  }
}

}  // namespace
}  // namespace lockstep::importer
