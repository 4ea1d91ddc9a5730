#include "hang/dump/stack_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace lockstep::hang {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr std::string_view kFaulthandler =
    "Thread 0x00007f10 (most recent call first):\n"
    "  File \"/usr/lib/python3.11/threading.py\", line 327 in wait\n"
    "\n"
    "Current thread 0x00007f20 [python] (most recent call first):\n"
    "  File \"data/my loader.py\", line 42 in load_batch\n"
    "  File \"train.py\", line 7 in <module>\n";

constexpr std::string_view kPySpy =
    "Process 4711: python train.py --lr 1e-4\n"
    "Python v3.11.7 (/usr/bin/python3.11)\n"
    "\n"
    "Thread 4711 (idle): \"MainThread\"\n"
    "    synchronize (torch/cuda/__init__.py:954)\n"
    "    train_step (train.py:12)\n"
    "        Locals:\n"
    "            x: 12 (int)\n"
    "    <module> (train.py:40)\n"
    "Thread 4720 (active): \"pt_autograd_0\"\n"
    "    backward (torch/autograd/function.py:9)\n";

TEST(StackTextTest, FaulthandlerEndsWithTheFirstThread) {
  EXPECT_TRUE(IsStackText(kFaulthandler));
  EXPECT_THAT(ReadStackText(kFaulthandler),
              ElementsAre("load_batch (data/my loader.py:42)", "<module> (train.py:7)"));
}

TEST(StackTextTest, PySpyNamesTheMainThread) {
  EXPECT_TRUE(IsStackText(kPySpy));
  EXPECT_THAT(ReadStackText(kPySpy),
              ElementsAre("synchronize (torch/cuda/__init__.py:954)", "train_step (train.py:12)",
                          "<module> (train.py:40)"));
}

// As a signal of faulthandler leaves it in a training log.
TEST(StackTextTest, ALogWithAStackIsALog) {
  const std::string log = "iter 10: loss 4.1\n" + std::string(kFaulthandler);
  EXPECT_FALSE(IsStackText(log));
  EXPECT_EQ(ReadStackText(log).size(), 2u);
  EXPECT_TRUE(IsStackText("Timeout (0:00:05)!\n" + std::string(kFaulthandler)));
}

TEST(StackTextTest, OtherTextIsNone) {
  for (const std::string_view text :
       {"", "iter 10: loss 4.1\n",
        "Traceback (most recent call last):\n  File \"a.py\", line 1, in f\n", "Process 1: x\n"}) {
    EXPECT_FALSE(IsStackText(text)) << text;
    EXPECT_THAT(ReadStackText(text), IsEmpty());
  }
}

}  // namespace
}  // namespace lockstep::hang
