#include "api/prometheus/search_match.h"

#include <gtest/gtest.h>

namespace lockstep::api {
namespace {

double ScoreOf(std::string_view name, SearchTerms terms) {
  return MatchName(name, terms).value_or(0);
}

double Subsequence(std::string_view name, std::string term) {
  return ScoreOf(name, {.terms = {std::move(term)}});
}

double JaroWinkler(std::string_view name, std::string term, double threshold) {
  return ScoreOf(name, {.terms = {std::move(term)},
                        .algorithm = FuzzAlgorithm::kJaroWinkler,
                        .threshold = threshold});
}

TEST(SearchMatchTest, WithoutTermsEverythingAnswers) {
  EXPECT_EQ(ScoreOf("a", {}), 1);
  EXPECT_EQ(Subsequence("a", ""), 1);
}

TEST(SearchMatchTest, PrefixesAreWhole) {
  EXPECT_EQ(Subsequence("abc", "ab"), 1);
  EXPECT_EQ(JaroWinkler("abc", "ab", 0), 1);
}

// Expected values follow the formula in the header.
TEST(SearchMatchTest, SubsequencesScoreByRunsAndGaps) {
  EXPECT_DOUBLE_EQ(Subsequence("xab", "ab"), (4 - 1 / 3.0) / 4 * 0.999);
  EXPECT_DOUBLE_EQ(Subsequence("xabyy", "ab"), (4 - 1 / 5.0 - 2 / 10.0) / 4 * 0.999);
  EXPECT_DOUBLE_EQ(Subsequence("xaybz", "ab"), (2 - 1 / 5.0 - 1 / 5.0 - 1 / 10.0) / 4 * 0.999);
  // The second starting position scores higher.
  EXPECT_DOUBLE_EQ(Subsequence("xazab", "ab"), (4 - 3 / 5.0) / 4 * 0.999);
  EXPECT_EQ(Subsequence("ba", "ab"), 0);
  EXPECT_EQ(Subsequence("a", "ab"), 0);
}

TEST(SearchMatchTest, CharactersAreNotBytes) {
  EXPECT_DOUBLE_EQ(Subsequence("\xC3\xBC"
                               "ab",
                               "ab"),
                   Subsequence("xab", "ab"));
  EXPECT_DOUBLE_EQ(JaroWinkler("\xE2\x82\xAC\xF0\x9F\x98\x80"
                               "ab",
                               "ab", 0),
                   JaroWinkler("xyab", "ab", 0));
}

TEST(SearchMatchTest, PartsScoreByWhereTheyAre) {
  EXPECT_DOUBLE_EQ(JaroWinkler("xxab", "ab", 0), 0.1);
  EXPECT_DOUBLE_EQ(JaroWinkler("xabx", "ab", 0), 1 - 0.9 / 2);
  EXPECT_EQ(JaroWinkler("axb", "ab", 0), 0);
}

// Source of the pairs and their values: W. E. Winkler, "String Comparator Metrics", table of
// examples.
TEST(SearchMatchTest, SimilarNamesScoreByJaroAndWinkler) {
  EXPECT_NEAR(JaroWinkler("MARHTA", "MARTHA", 0.5), 0.961, 0.0005);
  EXPECT_NEAR(JaroWinkler("DUANE", "DWAYNE", 0.5), 0.840, 0.0005);
  EXPECT_NEAR(JaroWinkler("DICKSONX", "DIXON", 0.5), 0.813, 0.0005);
  EXPECT_EQ(JaroWinkler("DICKSONX", "DIXON", 0.9), 0);
  EXPECT_EQ(JaroWinkler("abc", "xyz", 0.01), 0);
}

TEST(SearchMatchTest, OneOfTheTermsIsEnough) {
  EXPECT_EQ(ScoreOf("up", {.terms = {"zzz", "", "up"}}), 1);
}

TEST(SearchMatchTest, CaseCanBeLeftOut) {
  EXPECT_EQ(Subsequence("UP", "up"), 0);
  EXPECT_EQ(ScoreOf("UP", {.terms = {"uP"}, .case_sensitive = false}), 1);
}

}  // namespace
}  // namespace lockstep::api
