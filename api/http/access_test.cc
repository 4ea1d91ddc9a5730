#include "api/http/access.h"

#include <gtest/gtest.h>

#include <string>

namespace lockstep::api {
namespace {

TEST(AccessTest, RolesHaveNames) {
  EXPECT_EQ(Name(Role::kNone), "none");
  EXPECT_EQ(Name(Role::kRead), "read");
  EXPECT_EQ(Name(Role::kCrossTenant), "cross-tenant");
  EXPECT_EQ(Name(Role::kAdmin), "admin");
}

TEST(AccessTest, ACredentialHasNoneOfTheRolesThatOnlyRoutesHave) {
  for (const Role role : {Role::kRead, Role::kWrite, Role::kPush, Role::kRules, Role::kMetrics,
                          Role::kCrossTenant, Role::kAdmin}) {
    EXPECT_EQ(ParseRole(Name(role)), role) << Name(role);
  }
  for (const char* name : {"none", "any", "", "Read", "owner"}) {
    EXPECT_EQ(ParseRole(name), std::nullopt) << name;
  }
}

TEST(AccessTest, AnAdministratorMayDoEverything) {
  RoleSet some;
  EXPECT_TRUE(some.Allows(Role::kNone));
  EXPECT_TRUE(some.Allows(Role::kAny));
  EXPECT_FALSE(some.Allows(Role::kRead));
  some.Add(Role::kRead);
  EXPECT_TRUE(some.Allows(Role::kRead));
  EXPECT_FALSE(some.Allows(Role::kWrite));
  EXPECT_FALSE(some.Allows(Role::kAdmin));
  EXPECT_TRUE(RoleSet::All().Allows(Role::kWrite));
  EXPECT_TRUE(RoleSet::All().Allows(Role::kAdmin));
}

TEST(AccessTest, SomeRolesConcernAllJobs) {
  for (const auto& [role, can_be] :
       {std::pair(Role::kRead, true), std::pair(Role::kWrite, true), std::pair(Role::kPush, true),
        std::pair(Role::kCrossTenant, true), std::pair(Role::kRules, false),
        std::pair(Role::kMetrics, false), std::pair(Role::kAdmin, false)}) {
    RoleSet roles;
    roles.Add(role);
    EXPECT_EQ(roles.CanBeHeldToJobs(), can_be) << Name(role);
  }
}

}  // namespace
}  // namespace lockstep::api
