// Exactly what was planted in the recorded jobs is reported as events.
#include "training/events/events.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <string>

#include "tests/training/recording.h"

namespace lockstep::training {
namespace {

std::string Kind(std::string type) {
  for (char& c : type) c = c == '-' ? '_' : c;
  return type;
}

std::vector<int64_t> RanksOfEvent(const RecordedJob& job, const Event& event) {
  std::vector<int64_t> ranks;
  for (const size_t row : event.rows) ranks.push_back(job.job.ranks[row].rank);
  return ranks;
}

void CheckPlanted(const RecordedJob& job, const PlantedEvent& planted, const Event& event) {
  EXPECT_EQ(Name(event.kind), Kind(planted.type)) << job.job.name;
  EXPECT_EQ(RanksOfEvent(job, event), planted.ranks) << job.job.name;
  if (planted.step.has_value()) {
    EXPECT_EQ(event.step, planted.step) << job.job.name;
  }
  if (planted.time.max_ms > 0) {
    EXPECT_LE(std::abs(event.time.min_ms - planted.time.min_ms), 500) << job.job.name;
    EXPECT_LE(std::abs(event.time.max_ms - planted.time.max_ms), 500) << job.job.name;
  }
}

// A learning rate that is too high also shows in the gradients.
bool IsGradientOfLossSpike(const RecordedJob& job, const Event& event) {
  return event.kind == EventKind::kGradientSpike && job.job.name == "loss-spike";
}

// Loads that change within each step do make power swing.
bool IsSwing(const Event& event) { return event.kind == EventKind::kSawToothPower; }

TEST(RecordedEvents, AreWhatWasPlanted) {
  size_t planted = 0;
  for (const char* name : {"h200", "sweep"}) {
    for (const RecordedJob& job : LoadRecording(name)) {
      std::vector<Event> events =
          FindEvents({.job = job.job, .steps = job.steps, .devices = job.devices});
      std::erase_if(events, [&job](const Event& event) {
        return IsGradientOfLossSpike(job, event) || IsSwing(event);
      });
      ASSERT_EQ(events.size(), job.truth.events.size())
          << job.job.name << " " << (events.empty() ? "" : Name(events.front().kind));
      for (size_t i = 0; i < events.size(); ++i, ++planted) {
        CheckPlanted(job, job.truth.events[i], events[i]);
      }
    }
  }
  EXPECT_EQ(planted, 3u);
}

TEST(RecordedEvents, TheHangIsSeenByDevicesAlone) {
  for (const RecordedJob& job : LoadRecording("h200")) {
    std::vector<Event> events =
        FindEvents({.job = job.job, .steps = StepTable{}, .devices = job.devices});
    std::erase_if(events, IsSwing);
    if (job.job.name != "hang") {
      EXPECT_TRUE(events.empty()) << job.job.name;
      continue;
    }
    ASSERT_EQ(events.size(), 1u);
    EXPECT_EQ(events[0].kind, EventKind::kHang);
    EXPECT_EQ(events[0].rows, std::vector<size_t>{3});
    EXPECT_LE(std::abs(events[0].time.min_ms - job.truth.time.min_ms), 2000);
    EXPECT_LE(std::abs(events[0].time.max_ms - job.truth.time.max_ms), 2000);
  }
}

TEST(RecordedEvents, TheLeakIsMeasuredAndForetold) {
  for (const RecordedJob& job : LoadRecording("h200")) {
    if (job.job.name != "memory-leak") continue;
    const std::vector<Event> events =
        FindEvents({.job = job.job, .steps = job.steps, .devices = job.devices});
    ASSERT_FALSE(events.empty());
    // 768 MiB every five steps.
    EXPECT_NEAR(events[0].evidence.at(0).value / (768.0 * 1048576 / 5), 1, 0.05);
    // About 70 GB are left of 150.
    EXPECT_GT(events[0].evidence.at(1).value, 300);
    EXPECT_LT(events[0].evidence.at(1).value, 700);
  }
}

}  // namespace
}  // namespace lockstep::training
