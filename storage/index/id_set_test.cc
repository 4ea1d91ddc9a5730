#include "storage/index/id_set.h"

#include <gtest/gtest.h>

#include <random>
#include <set>

namespace lockstep {
namespace {

TEST(IdSet, AgreesWithASet) {
  std::mt19937 random(6);
  for (const uint32_t spread : {10u, 5000u, 100'000u, 50'000'000u}) {
    IdSet set;
    std::set<uint32_t> model;
    for (int i = 0; i < 3000; ++i) {
      const uint32_t id = random() % spread;
      ASSERT_EQ(set.Insert(id), model.insert(id).second);
      const uint32_t asked = random() % spread;
      ASSERT_EQ(set.Has(asked), model.contains(asked));
    }
    Postings ids;
    set.ForEach([&ids](uint32_t id) { ids.push_back(id); });
    EXPECT_EQ(ids, Postings(model.begin(), model.end()));
  }
}

TEST(IdSet, TheLastIdHasAPlace) {
  const Postings ids = {0, 4095, 4096, UINT32_MAX};
  const IdSet set(ids);
  for (const uint32_t id : ids) EXPECT_TRUE(set.Has(id));
  for (const uint32_t id : {1u, 4094u, 4097u, UINT32_MAX - 1}) EXPECT_FALSE(set.Has(id));
}

}  // namespace
}  // namespace lockstep
