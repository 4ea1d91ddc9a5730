#include "import/traces/training_phase.h"

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

}  // namespace
}  // namespace lockstep::traces
