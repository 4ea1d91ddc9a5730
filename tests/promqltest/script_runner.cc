#include "tests/promqltest/script_runner.h"

#include <chrono>
#include <future>
#include <utility>

#include "base/check.h"
#include "query/engine/engine.h"
#include "tests/promqltest/comparison.h"
#include "tests/promqltest/loader.h"
#include "tests/promqltest/variations.h"

namespace lockstep::promqltest {
namespace {

constexpr int64_t kMaxSamples = 10'000'000;

void Load(const LoadCommand& load, Storage& storage) {
  std::promise<absl::StatusOr<WriteOutcome>> written;
  storage.Write(ToWriteRequest(load), [&written](absl::StatusOr<WriteOutcome> outcome) {
    written.set_value(std::move(outcome));
  });
  const absl::StatusOr<WriteOutcome> outcome = written.get_future().get();
  LOCKSTEP_CHECK(outcome.ok() && outcome->rejected_count == 0);
}

absl::StatusOr<engine::QueryResult> Execute(const EvalCommand& eval, const Storage& storage) {
  const engine::Engine engine(storage, engine::EngineOptions{});
  QueryBudget budget(kMaxSamples, QueryBudget::Clock::now() + std::chrono::minutes(1));
  if (eval.is_range) {
    return engine.Execute(engine::RangeQuery{eval.query, eval.start_ms, eval.end_ms, eval.step_ms},
                          budget);
  }
  return engine.Execute(engine::InstantQuery{eval.query, eval.start_ms}, budget);
}

std::string Run(const EvalCommand& eval, const Storage& storage) {
  std::string problem = Compare(eval, Execute(eval, storage));
  if (!problem.empty()) return problem;
  for (const Variation& variation : VariationsOf(eval)) {
    problem =
        Compare(variation.expected, AtMiddleStep(variation, Execute(variation.asked, storage)));
    if (!problem.empty()) return variation.name + ": " + problem;
  }
  return {};
}

}  // namespace

std::vector<EvalOutcome> RunScript(const std::vector<Command>& commands,
                                   const StorageUnderTest& storages) {
  std::vector<EvalOutcome> outcomes;
  std::unique_ptr<Storage> storage = storages.make();
  for (const Command& command : commands) {
    if (const auto* load = std::get_if<LoadCommand>(&command)) {
      Load(*load, *storage);
      if (storages.after_load) storages.after_load(*storage);
    } else if (const auto* eval = std::get_if<EvalCommand>(&command)) {
      outcomes.push_back({eval->line, eval->query, Run(*eval, *storage)});
    } else {
      storage.reset();
      storage = storages.make();
    }
  }
  return outcomes;
}

}  // namespace lockstep::promqltest
