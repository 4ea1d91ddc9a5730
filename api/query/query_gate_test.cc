#include "api/query/query_gate.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <future>
#include <latch>
#include <optional>
#include <string>
#include <vector>

#include "base/mutex.h"

namespace lockstep::api {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;

const QueryGateOptions kOnePlace = {
    .max_running = 1, .long_after = hours(1), .slow_client_after = hours(1)};
const QueryGate::Limits kPatient = {.max_samples = 100, .timeout = hours(1)};

QueryGate::Limits PatientNow() { return {.max_samples = 100, .timeout = hours(1)}; }

QueryGate::Limits PatientOf(const std::string& network, const std::string& user = "") {
  return {.max_samples = 100, .timeout = hours(1), .client = {network, user}};
}

std::shared_ptr<CancelSignal> Signal() { return std::make_shared<CancelSignal>(); }

// Work that holds a thread of the gate until it is released.
class Blocker {
 public:
  QueryGate::Work Work() {
    return [this, released = released_.get_future().share()](
               const absl::Status& admitted, QueryBudget&, const QueryGate::Place&) {
      EXPECT_TRUE(admitted.ok());
      started_.count_down();
      // The blocker may be gone by now.
      released.wait();
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

// The queue counts as standing as soon as one query has waited too long.
const QueryGateOptions kSoonStands = {
    .max_running = 2,
    .long_after = hours(1),
    .run_well = 1,
    .standing = {.stands_after = milliseconds(0), .least_patience = hours(1)}};

QueryGate::Limits WaitedTwoHours() {
  QueryGate::Limits limits = kPatient;
  limits.arrived = std::chrono::steady_clock::now() - hours(2);
  return limits;
}

// The answer to a query that has waited for two hours, with another one behind it in the queue,
// when this many places become free.
absl::Status AnswerToLateQuery(QueryGate& gate, size_t free_places) {
  std::vector<Blocker> blockers(free_places);
  for (Blocker& blocker : blockers) {
    gate.Submit(PatientNow(), Signal(), blocker.Work());
    blocker.WaitUntilStarted();
  }
  std::promise<absl::Status> late, behind;
  gate.Submit(WaitedTwoHours(), Signal(), Report(late));
  gate.Submit(PatientNow(), Signal(), Report(behind));
  for (Blocker& blocker : blockers) blocker.Release();
  EXPECT_TRUE(behind.get_future().get().ok());
  return late.get_future().get();
}

TEST(QueryGateTest, WhoWaitedTooLongIsRefusedWhenTheQueueStands) {
  QueryGate gate(kSoonStands);
  const absl::Status status = AnswerToLateQuery(gate, 2);
  EXPECT_TRUE(absl::IsUnavailable(status)) << status;
  EXPECT_THAT(std::string(status.message()),
              testing::StartsWith("the server is overloaded: this query waited 72"));
  EXPECT_EQ(gate.stats().refused, 1u);
}

TEST(QueryGateTest, TheLastInTheQueueIsAnswered) {
  QueryGate gate(kSoonStands);
  ASSERT_FALSE(AnswerToLateQuery(gate, 2).ok());
  std::promise<absl::Status> admitted;
  gate.Submit(WaitedTwoHours(), Signal(), Report(admitted));
  EXPECT_TRUE(admitted.get_future().get().ok());
}

// Takes an answer from the gate, like a client that never receives it.
QueryGate::Place AnswerNotTaken(QueryGate& gate) {
  std::promise<QueryGate::Place> answer;
  gate.Submit(PatientNow(), Signal(),
              [&](const absl::Status&, QueryBudget&, QueryGate::Place place) {
                answer.set_value(std::move(place));
              });
  return answer.get_future().get();
}

// Submits `tries` queries that have waited for two hours; returns the number admitted.
int CountAdmitted(QueryGate& gate, int tries) {
  int admitted_count = 0;
  for (int i = 0; i < tries; ++i) admitted_count += AnswerToLateQuery(gate, 1).ok() ? 1 : 0;
  return admitted_count;
}

// The thread that did the work may not have recorded its end yet, so try many times.
TEST(QueryGateTest, NobodyIsRefusedForClientsThatDoNotTakeTheirAnswers) {
  QueryGateOptions options = kSoonStands;
  options.run_well = 2;
  options.slow_client_after = milliseconds(0);
  QueryGate gate(options);
  const QueryGate::Place not_taken = AnswerNotTaken(gate);
  EXPECT_GT(CountAdmitted(gate, 10000), 0);
}

// On a busy machine, finished answers may wait for the thread that sends them.
TEST(QueryGateTest, AnswersOnTheirWayAreNoSignOfSlowClients) {
  QueryGateOptions options = kSoonStands;
  options.run_well = 2;
  options.slow_client_after = hours(1);
  QueryGate gate(options);
  const QueryGate::Place on_its_way = AnswerNotTaken(gate);
  EXPECT_EQ(CountAdmitted(gate, 1000), 0);
}

TEST(QueryGateTest, WhoWaitedForLongIsAnsweredWhenTheQueueDrains) {
  QueryGate gate({.max_running = 1});
  std::promise<absl::Status> admitted;
  gate.Submit(WaitedTwoHours(), Signal(), Report(admitted));
  EXPECT_TRUE(admitted.get_future().get().ok());
  EXPECT_EQ(gate.stats().refused, 0u);
}

TEST(QueryGateTest, FewerRunAtOnceWhenTheQueueStands) {
  QueryGate gate(kSoonStands);
  ASSERT_FALSE(AnswerToLateQuery(gate, 2).ok());
  Blocker blocker;
  gate.Submit(PatientNow(), Signal(), blocker.Work());
  blocker.WaitUntilStarted();
  std::promise<absl::Status> admitted;
  std::future<absl::Status> next = admitted.get_future();
  gate.Submit(PatientNow(), Signal(), Report(admitted));
  EXPECT_EQ(next.wait_for(milliseconds(50)), std::future_status::timeout);
  blocker.Release();
  EXPECT_TRUE(next.get().ok());
}

TEST(QueryGateTest, WhoWaitsWithLittleIsNotRefusedForOthers) {
  QueryGate gate(kSoonStands);
  Blocker first, second;
  for (Blocker* blocker : {&first, &second}) {
    gate.Submit(PatientOf("greedy"), Signal(), blocker->Work());
    blocker->WaitUntilStarted();
  }
  QueryGate::Limits limits = WaitedTwoHours();
  std::promise<absl::Status> refused[4], last, admitted;
  limits.client = {"greedy", ""};
  for (std::promise<absl::Status>& each : refused) gate.Submit(limits, Signal(), Report(each));
  gate.Submit(PatientOf("greedy"), Signal(), Report(last));
  limits.client = {"polite", ""};
  gate.Submit(limits, Signal(), Report(admitted));
  first.Release();
  second.Release();
  EXPECT_TRUE(admitted.get_future().get().ok());
  for (std::promise<absl::Status>& each : refused) {
    EXPECT_TRUE(absl::IsUnavailable(each.get_future().get()));
  }
  EXPECT_TRUE(last.get_future().get().ok());
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
    gate.Submit(PatientOf(blocker == &first ? "a" : "b"), Signal(), blocker->Work());
    blocker->WaitUntilStarted();
  }
  std::promise<absl::Status> admitted;
  gate.Submit(PatientOf("c"), Signal(), Report(admitted));
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

TEST(QueryGateTest, ASlowClientsAnswerGivesItsPlaceAway) {
  QueryGateOptions options = kOnePlace;
  options.slow_client_after = milliseconds(1);
  QueryGate gate(options);
  const QueryGate::Place not_taken = AnswerNotTaken(gate);
  std::promise<absl::Status> admitted;
  gate.Submit(PatientNow(), Signal(), Report(admitted));
  EXPECT_TRUE(admitted.get_future().get().ok());
  EXPECT_EQ(gate.stats().refused, 0u);
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

// Keeps the places it is given, like clients that receive answers slowly.
class Hoard {
 public:
  QueryGate::Work Work() {
    return [this](const absl::Status& admitted, QueryBudget&, QueryGate::Place place) {
      if (!admitted.ok()) return;  // the gate is closing
      const MutexLock lock(mutex_);
      places_.push_back(std::move(place));
      changed_.NotifyAll();
    };
  }
  void Await(size_t count) {
    const MutexLock lock(mutex_);
    while (places_.size() < count) changed_.Wait(mutex_);
  }
  size_t size() {
    const MutexLock lock(mutex_);
    return places_.size();
  }
  void GiveBackOne() {
    QueryGate::Place place;
    const MutexLock lock(mutex_);
    place = std::move(places_.back());
    places_.pop_back();
  }

 private:
  Mutex mutex_;
  CondVar changed_;
  std::vector<QueryGate::Place> places_;
};

TEST(QueryGateTest, NoClientGetsMoreThanHalfOfAllPlaces) {
  Hoard greedy;
  QueryGate gate({.max_running = 4, .long_after = milliseconds(0)});
  for (int i = 0; i < 20; ++i) gate.Submit(PatientOf("greedy"), Signal(), greedy.Work());
  greedy.Await(4);
  std::promise<absl::Status> polite;
  gate.Submit(PatientOf("polite"), Signal(), Report(polite));
  EXPECT_TRUE(polite.get_future().get().ok());
  EXPECT_EQ(greedy.size(), 4u);
  EXPECT_EQ(gate.stats().queued, 16u);
  greedy.GiveBackOne();
  greedy.Await(4);
  EXPECT_EQ(gate.stats().queued, 15u);
}

TEST(QueryGateTest, ACredentialIsOneClientFromWhicheverAddress) {
  Hoard greedy;
  QueryGate gate({.max_running = 2, .long_after = milliseconds(0)});
  for (const char* network : {"a", "b", "c", "d"}) {
    gate.Submit(PatientOf(network, "greedy"), Signal(), greedy.Work());
  }
  greedy.Await(2);
  std::promise<absl::Status> polite;
  gate.Submit(PatientOf("e", "polite"), Signal(), Report(polite));
  EXPECT_TRUE(polite.get_future().get().ok());
  EXPECT_EQ(greedy.size(), 2u);
}

TEST(QueryGateTest, ItIsTheTurnOfTheClientForWhomLeastRuns) {
  Hoard greedy;
  Blocker blocker;
  Mutex mutex;
  std::string order;
  std::latch all(3);
  QueryGate gate({.max_running = 2, .long_after = hours(1)});
  gate.Submit(PatientOf("greedy"), Signal(), greedy.Work());
  greedy.Await(1);
  gate.Submit(PatientOf("other"), Signal(), blocker.Work());
  blocker.WaitUntilStarted();
  const auto note = [&](char name) {
    return [&, name](const absl::Status&, QueryBudget&, const QueryGate::Place&) {
      const MutexLock lock(mutex);
      order += name;
      all.count_down();
    };
  };
  gate.Submit(PatientOf("greedy"), Signal(), note('1'));
  gate.Submit(PatientOf("greedy"), Signal(), note('2'));
  gate.Submit(PatientOf("polite"), Signal(), note('p'));
  blocker.Release();
  all.wait();
  const MutexLock lock(mutex);
  EXPECT_EQ(order, "p12");
}

TEST(QueryGateTest, OneClientFillsNoMoreThanHalfOfTheQueue) {
  QueryGate gate({.max_running = 1, .long_after = hours(1), .max_queued = 4});
  Blocker blocker;
  gate.Submit(PatientOf("greedy"), Signal(), blocker.Work());
  blocker.WaitUntilStarted();
  std::promise<absl::Status> first, second, refused, polite;
  gate.Submit(PatientOf("greedy"), Signal(), Report(first));
  gate.Submit(PatientOf("greedy"), Signal(), Report(second));
  gate.Submit(PatientOf("greedy"), Signal(), Report(refused));
  gate.Submit(PatientOf("polite"), Signal(), Report(polite));
  EXPECT_EQ(refused.get_future().get(),
            absl::UnavailableError("too many queries of this client are waiting; the limit is 4 "
                                   "(query.max-concurrency); try again later"));
  blocker.Release();
  EXPECT_TRUE(first.get_future().get().ok());
  EXPECT_TRUE(second.get_future().get().ok());
  EXPECT_TRUE(polite.get_future().get().ok());
  std::promise<absl::Status> again;
  gate.Submit(PatientOf("greedy"), Signal(), Report(again));
  EXPECT_TRUE(again.get_future().get().ok());
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
