#include "api/query_gate.h"

#include <gtest/gtest.h>

#include <future>
#include <latch>
#include <optional>

namespace lockstep::api {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;

constexpr QueryGateOptions kOnePlace = {.max_running = 1, .long_after = hours(1)};
constexpr QueryGate::Limits kPatient = {.max_samples = 100, .timeout = hours(1)};

std::shared_ptr<CancelSignal> Signal() { return std::make_shared<CancelSignal>(); }

// Work that holds a thread of the gate until it is released.
class Blocker {
 public:
  QueryGate::Work Work() {
    return [this](const absl::Status& admitted, QueryBudget&, const QueryGate::Place&) {
      EXPECT_TRUE(admitted.ok());
      started_.count_down();
      released_.get_future().wait();
    };
  }
  void WaitUntilStarted() { started_.wait(); }
  void Release() { released_.set_value(); }

 private:
  std::latch started_{1};
  std::promise<void> released_;
};

// Work that only reports how it was admitted.
QueryGate::Work Report(std::promise<absl::Status>& admitted) {
  return [&admitted](const absl::Status& status, QueryBudget&, const QueryGate::Place&) {
    admitted.set_value(status);
  };
}

TEST(QueryGateTest, RunsWorkWithItsBudget) {
  QueryGate gate({.max_running = 2});
  std::promise<absl::Status> charged;
  gate.Submit(kPatient, Signal(),
              [&](const absl::Status& admitted, QueryBudget& budget, const QueryGate::Place&) {
                EXPECT_TRUE(admitted.ok());
                EXPECT_TRUE(budget.Check().ok());
                charged.set_value(budget.Charge(101));
              });
  EXPECT_EQ(charged.get_future().get().code(), absl::StatusCode::kResourceExhausted);
}

TEST(QueryGateTest, OthersWaitForAFreeThread) {
  QueryGate gate(kOnePlace);
  Blocker blocker;
  gate.Submit(kPatient, Signal(), blocker.Work());
  blocker.WaitUntilStarted();
  std::promise<absl::Status> admitted;
  gate.Submit(kPatient, Signal(), Report(admitted));
  EXPECT_EQ(gate.stats().running, 1u);
  EXPECT_EQ(gate.stats().queued, 1u);
  blocker.Release();
  EXPECT_TRUE(admitted.get_future().get().ok());
}

TEST(QueryGateTest, WhatRunsForLongGivesItsPlaceAway) {
  QueryGate gate({.max_running = 1, .long_after = milliseconds(1)});
  Blocker blocker;
  gate.Submit(kPatient, Signal(), blocker.Work());
  blocker.WaitUntilStarted();
  std::promise<absl::Status> admitted;
  gate.Submit(kPatient, Signal(), Report(admitted));
  EXPECT_TRUE(admitted.get_future().get().ok());
  blocker.Release();
}

TEST(QueryGateTest, NoMoreRunWithoutAPlaceThanThereArePlaces) {
  QueryGate gate({.max_running = 1, .long_after = milliseconds(0)});
  Blocker first, second;
  for (Blocker* blocker : {&first, &second}) {
    gate.Submit(kPatient, Signal(), blocker->Work());
    blocker->WaitUntilStarted();
  }
  std::promise<absl::Status> admitted;
  gate.Submit(kPatient, Signal(), Report(admitted));
  EXPECT_EQ(gate.stats().running, 2u);
  EXPECT_EQ(gate.stats().queued, 1u);
  first.Release();
  EXPECT_TRUE(admitted.get_future().get().ok());
  second.Release();
}

TEST(QueryGateTest, AnAnswerOnItsWayTakesAPlace) {
  auto gate = std::make_unique<QueryGate>(kOnePlace);
  std::promise<QueryGate::Place> answered;
  gate->Submit(kPatient, Signal(), [&](const absl::Status&, QueryBudget&, QueryGate::Place place) {
    answered.set_value(std::move(place));
  });
  QueryGate::Place place = answered.get_future().get();
  std::promise<absl::Status> admitted;
  gate->Submit(kPatient, Signal(), Report(admitted));
  EXPECT_EQ(gate->stats().running, 1u);
  EXPECT_EQ(gate->stats().queued, 1u);
  place = nullptr;
  EXPECT_TRUE(admitted.get_future().get().ok());
}

TEST(QueryGateTest, APlaceMayBeGivenBackWhenTheGateIsGone) {
  auto gate = std::make_unique<QueryGate>(kOnePlace);
  std::promise<QueryGate::Place> answered;
  gate->Submit(kPatient, Signal(), [&](const absl::Status&, QueryBudget&, QueryGate::Place place) {
    answered.set_value(std::move(place));
  });
  const QueryGate::Place place = answered.get_future().get();
  gate = nullptr;
  EXPECT_NE(place, nullptr);
}

TEST(QueryGateTest, AnswersWhoWaitedTooLongWhileAllThreadsAreBusy) {
  QueryGate gate(kOnePlace);
  Blocker blocker;
  gate.Submit(kPatient, Signal(), blocker.Work());
  blocker.WaitUntilStarted();
  std::promise<absl::Status> admitted;
  gate.Submit({.max_samples = 1, .timeout = milliseconds(1)}, Signal(), Report(admitted));
  EXPECT_EQ(admitted.get_future().get(),
            absl::DeadlineExceededError("query timed out in query queue"));
  EXPECT_EQ(gate.stats().refused, 1u);
  blocker.Release();
}

TEST(QueryGateTest, AnswersWhoseClientLeftWhileWaiting) {
  QueryGate gate(kOnePlace);
  Blocker blocker;
  gate.Submit(kPatient, Signal(), blocker.Work());
  blocker.WaitUntilStarted();
  const auto signal = Signal();
  std::promise<absl::Status> admitted;
  gate.Submit(kPatient, signal, Report(admitted));
  signal->Fire();
  EXPECT_EQ(admitted.get_future().get().code(), absl::StatusCode::kCancelled);
  blocker.Release();
}

TEST(QueryGateTest, CancelsWorkThatRuns) {
  QueryGate gate(kOnePlace);
  const auto signal = Signal();
  std::latch started(1);
  std::promise<absl::Status> stopped;
  gate.Submit(kPatient, signal,
              [&](const absl::Status&, QueryBudget& budget, const QueryGate::Place&) {
                started.count_down();
                absl::Status status;
                while (status.ok()) status = budget.Check();
                stopped.set_value(status);
              });
  started.wait();
  signal->Fire();
  EXPECT_EQ(stopped.get_future().get().code(), absl::StatusCode::kCancelled);
}

TEST(QueryGateTest, RefusesWhatItsQueueCannotHold) {
  QueryGate gate({.max_running = 1, .long_after = hours(1), .max_queued = 1});
  Blocker blocker;
  gate.Submit(kPatient, Signal(), blocker.Work());
  blocker.WaitUntilStarted();
  std::promise<absl::Status> waiting;
  gate.Submit(kPatient, Signal(), Report(waiting));
  std::promise<absl::Status> refused;
  gate.Submit(kPatient, Signal(), Report(refused));
  EXPECT_EQ(refused.get_future().get().code(), absl::StatusCode::kUnavailable);
  blocker.Release();
  EXPECT_TRUE(waiting.get_future().get().ok());
}

TEST(QueryGateTest, ClosedItStopsAndRefuses) {
  std::promise<absl::Status> stopped;
  std::promise<absl::Status> waiting;
  std::promise<absl::Status> late;
  QueryGate gate(kOnePlace);
  std::latch started(1);
  gate.Submit(kPatient, Signal(),
              [&](const absl::Status&, QueryBudget& budget, const QueryGate::Place&) {
                started.count_down();
                absl::Status status;
                while (status.ok()) status = budget.Check();
                stopped.set_value(status);
              });
  started.wait();
  gate.Submit(kPatient, Signal(), Report(waiting));
  gate.Close();
  gate.Submit(kPatient, Signal(), Report(late));
  EXPECT_EQ(stopped.get_future().get().code(), absl::StatusCode::kUnavailable);
  EXPECT_EQ(waiting.get_future().get().code(), absl::StatusCode::kUnavailable);
  EXPECT_EQ(late.get_future().get().code(), absl::StatusCode::kUnavailable);
}

}  // namespace
}  // namespace lockstep::api
