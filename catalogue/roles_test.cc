#include "catalogue/roles.h"

#include <gtest/gtest.h>

namespace lockstep::catalogue {
namespace {

TEST(Roles, TableIsInTheOrderOfTheEnum) {
  for (const RoleInfo& info : AllRoles()) {
    EXPECT_EQ(&InfoOf(info.role), &info) << info.name;
    EXPECT_EQ(info.kind == RoleKind::kTotal, info.name.ends_with("_total")) << info.name;
  }
  EXPECT_EQ(InfoOf(Role::kGpuSmClockHertz).name, "gpu_sm_clock_hertz");
}

TEST(Roles, NamesEndInTheirUnits) {
  const std::pair<std::string_view, std::string_view> endings[] = {
      {"_ratio", "ratio"},   {"_watts", "W"},   {"_celsius", "C"},
      {"_hertz", "Hz"},      {"_bytes", "B"},   {"_bytes_per_second", "B/s"},
      {"_bytes_total", "B"}, {"_seconds", "s"}, {"_seconds_total", "s"},
      {"_joules_total", "J"}};
  for (const RoleInfo& info : AllRoles()) {
    for (const auto& [ending, unit] : endings) {
      if (!info.name.ends_with(ending)) continue;
      EXPECT_EQ(info.unit, unit) << info.name;
    }
  }
}

TEST(Roles, ScopesAndKindsHaveNames) {
  EXPECT_EQ(Name(RoleScope::kGpu), "gpu");
  EXPECT_EQ(Name(RoleScope::kRank), "rank");
  EXPECT_EQ(Name(RoleScope::kHost), "host");
  EXPECT_EQ(Name(RoleScope::kNic), "nic");
  EXPECT_EQ(Name(RoleKind::kTotal), "total");
  EXPECT_EQ(Name(RoleKind::kGauge), "gauge");
}

}  // namespace
}  // namespace lockstep::catalogue
