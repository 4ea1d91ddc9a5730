#include "api/mcp/cookbook.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <string>

namespace lockstep::api {
namespace {

using testing::HasSubstr;

TEST(CookbookTest, SectionsCoverTheDocumentOnceUnderUniqueNames) {
  std::set<std::string> slugs;
  for (const CookbookSection& section : CookbookSections()) {
    EXPECT_TRUE(slugs.insert(section.slug).second) << section.slug;
    EXPECT_TRUE(section.text.starts_with("## ") || section.text.starts_with("### "));
    EXPECT_EQ(FindCookbookSection(section.slug), &section);
  }
  EXPECT_GT(slugs.size(), 20u);
  EXPECT_EQ(FindCookbookSection("no-such-section"), nullptr);
  const CookbookSection* const mfu = FindCookbookSection("training-mfu");
  ASSERT_NE(mfu, nullptr);
  EXPECT_EQ(mfu->title, "Training: MFU");
  EXPECT_THAT(std::string(mfu->text), HasSubstr("lockstep_mfu"));
}

TEST(CookbookTest, WordsInTitlesCountMore) {
  const auto found = SearchCookbook("garbage collection", 3);
  ASSERT_FALSE(found.empty());
  EXPECT_EQ(found.front()->title, "Training: Garbage collection");
  EXPECT_LE(found.size(), 3u);
  EXPECT_TRUE(SearchCookbook("zzzz qqqq", 3).empty());
  EXPECT_TRUE(SearchCookbook("", 3).empty());
  EXPECT_TRUE(SearchCookbook("?!", 3).empty());
}

}  // namespace
}  // namespace lockstep::api
