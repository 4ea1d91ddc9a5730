#include "import/traces/kinds/training_phase.h"

#include <gtest/gtest.h>

namespace lockstep::traces {
namespace {

struct PhaseRow {
  std::string_view range;
  std::string_view expected;
};

TEST(TrainingPhaseTest, KnowsPhasesByTheirNames) {
  for (const PhaseRow& row : {
           PhaseRow{"DATA_LOADING", "data"},
           PhaseRow{"enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__", "data"},
           PhaseRow{"Load Batch", "data"},
           PhaseRow{"## forward ##", "forward"},
           PhaseRow{"DistributedDataParallel.forward", "forward"},
           PhaseRow{"Backward Pass", "backward"},
           PhaseRow{"forward-backward", "forward-backward"},
           PhaseRow{"Optimizer.step#AdamW.step", "optimizer"},
           PhaseRow{"Optimizer.zero_grad#AdamW.zero_grad", "zero_grad"},
           PhaseRow{"save_checkpoint", "checkpoint"},
           PhaseRow{"nccl:all_reduce", ""},
           PhaseRow{"Logging", ""},
           PhaseRow{"", ""},
       }) {
    EXPECT_EQ(PhaseOfRange(row.range), row.expected) << row.range;
  }
}

TEST(TrainingPhaseTest, KnowsStepsByTheirNumbers) {
  EXPECT_EQ(StepOfRange("ProfilerStep#12"), 12);
  for (const std::string_view name : {"ProfilerStep#", "ProfilerStep#-1", "ProfilerStep#1x",
                                      "profilerstep#1", "ProfilerStep#99999999999999999999"}) {
    EXPECT_EQ(StepOfRange(name), std::nullopt) << name;
  }
}

void CheckStepRange(std::string_view name, std::string_view expected) {
  const auto step = NumberedStepOf(name);
  const std::string found =
      step.has_value() ? std::string(step->name) + "|" + std::to_string(step->number) : "";
  EXPECT_EQ(found, expected) << name;
}

TEST(TrainingPhaseTest, StepsOfALoopHaveOneName) {
  CheckStepRange("train_step_15", "train_step|15");
  CheckStepRange(":STEP 3", "STEP|3");
  CheckStepRange("Iteration#007", "Iteration|7");
  CheckStepRange("iter12", "iter|12");
  CheckStepRange("layer_3", "");
  CheckStepRange("step", "");
  CheckStepRange("15", "");
  CheckStepRange("step_99999999999999999999", "");
  CheckStepRange("optimizer_step", "");
}

}  // namespace
}  // namespace lockstep::traces
