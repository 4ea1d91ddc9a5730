#include "import/traces/kinds/copy_kind.h"

#include <gtest/gtest.h>

namespace lockstep::traces {
namespace {

void CheckCopy(std::string_view name, std::string_view direction, std::string_view memory) {
  EXPECT_EQ(CopyKindOf(name), (CopyKind{direction, memory})) << name;
}

TEST(CopyKindTest, IsToldByTheProfilersNames) {
  CheckCopy("Memcpy HtoD (Pageable -> Device)", "h2d", "pageable");
  CheckCopy("Memcpy HtoD (Pinned -> Device)", "h2d", "pinned");
  CheckCopy("Memcpy DtoH (Device -> Pinned)", "d2h", "pinned");
  CheckCopy("Memcpy DtoD (Device -> Device)", "d2d", "device");
  CheckCopy("Memcpy PtoP (Device -> Device)", "p2p", "device");
  CheckCopy("Memset (Device)", "memset", "device");
  CheckCopy("Memset (Unknown)", "memset", "");
  CheckCopy("copyBuffer", "other", "");
}

TEST(CopyKindTest, TellsCallsThatBlockTheHost) {
  EXPECT_TRUE(IsBlockingCopy("cudaMemcpy"));
  EXPECT_TRUE(IsBlockingCopy("cudaMemset"));
  EXPECT_TRUE(IsBlockingCopy("cuMemcpyHtoD_v2"));
  EXPECT_FALSE(IsBlockingCopy("cudaMemcpyAsync"));
  EXPECT_FALSE(IsBlockingCopy("cuMemsetD8Async"));
  EXPECT_FALSE(IsBlockingCopy("cudaLaunchKernel"));
}

}  // namespace
}  // namespace lockstep::traces
