#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_format.h"
#include "answers/derived/made_series_set.h"
#include "answers/derived/merged_series_set.h"
#include "answers/derived/scaled_series_set.h"

namespace lockstep::answers {
namespace {

using Points = std::vector<std::pair<int64_t, double>>;

DerivedSeries SeriesNamed(const char* name, const Points& points) {
  DerivedSeries series{LabelSet::Of({{"name", name}}), {}};
  for (const auto& [time_ms, value] : points) series.samples.Append(time_ms, value);
  return series;
}

// One series per letter, with a sample at 1 whose value is the letter's.
std::unique_ptr<SeriesSet> Letters(const std::string& letters) {
  MadeSeries series;
  for (const char letter : letters) {
    const char name[] = {letter, '\0'};
    series.push_back(SeriesNamed(name, {{1, letter}}));
  }
  return NewMadeSeriesSet(std::make_shared<const MadeSeries>(std::move(series)));
}

// "0 a 1=97, 1 b 1=98": position, name and samples of each.
std::string ReadAll(SeriesSet& set) {
  std::string text;
  SampleColumns samples;
  while (set.Next()) {
    samples.Clear();
    EXPECT_TRUE(set.Read(samples).ok());
    if (!text.empty()) text += ", ";
    absl::StrAppendFormat(&text, "%d %s", set.position(), set.labels().Get("name"));
    for (size_t i = 0; i < samples.values.size(); ++i) {
      const double value = samples.values[i];
      absl::StrAppendFormat(&text, " %d=%s", samples.timestamps_ms[i],
                            IsStaleNan(value) ? "end" : absl::StrFormat("%g", value));
    }
  }
  EXPECT_TRUE(set.status().ok());
  return text;
}

TEST(MadeSeriesSet, HasItsSeriesInOrder) {
  EXPECT_EQ(Letters("abc")->size(), 3u);
  EXPECT_EQ(ReadAll(*Letters("abc")), "0 a 1=97, 1 b 1=98, 2 c 1=99");
  EXPECT_EQ(ReadAll(*Letters("")), "");
}

TEST(MadeSeriesSet, ReadsBehindWhatIsThere) {
  const auto set = Letters("a");
  SampleColumns samples;
  samples.Append(0, 7);
  ASSERT_TRUE(set->Next());
  ASSERT_TRUE(set->Read(samples).ok());
  EXPECT_EQ(samples.timestamps_ms, (std::vector<int64_t>{0, 1}));
  EXPECT_EQ(samples.values, (std::vector<double>{7, 97}));
  EXPECT_FALSE(set->Next());
  EXPECT_FALSE(set->Next());
}

TEST(MadeSeriesSet, PartsKeepThePositionsOfTheWhole) {
  const auto parts = Letters("abcde")->Split(2);
  ASSERT_EQ(parts.size(), 2u);
  EXPECT_EQ(parts[0]->size(), 2u);
  EXPECT_EQ(parts[1]->size(), 3u);
  EXPECT_EQ(ReadAll(*parts[1]), "2 c 1=99, 3 d 1=100, 4 e 1=101");
  EXPECT_EQ(ReadAll(*parts[0]), "0 a 1=97, 1 b 1=98");
  EXPECT_EQ(Letters("abc")->Split(9).size(), 3u);
  EXPECT_EQ(Letters("")->Split(9).size(), 1u);
  const auto again = Letters("abcdef")->Split(2)[1]->Split(3);
  ASSERT_EQ(again.size(), 3u);
  EXPECT_EQ(ReadAll(*again[1]), "4 e 1=101");
}

TEST(MergedSeriesSet, IsSortedByLabels) {
  const auto merged = [](const char* first, const char* second) {
    const auto set = NewMergedSeriesSet(Letters(first), Letters(second));
    EXPECT_EQ(set->size(), std::string(first).size() + std::string(second).size());
    return ReadAll(*set);
  };
  EXPECT_EQ(merged("ad", "bce"), "0 a 1=97, 1 b 1=98, 2 c 1=99, 3 d 1=100, 4 e 1=101");
  EXPECT_EQ(merged("", "bc"), "0 b 1=98, 1 c 1=99");
  EXPECT_EQ(merged("bc", ""), "0 b 1=98, 1 c 1=99");
  EXPECT_EQ(merged("", ""), "");
}

TEST(MergedSeriesSet, IsOnePart) {
  const auto parts = NewMergedSeriesSet(Letters("ac"), Letters("b"))->Split(5);
  ASSERT_EQ(parts.size(), 1u);
  EXPECT_EQ(parts[0]->work(), Letters("ac")->work() + Letters("b")->work());
  EXPECT_EQ(ReadAll(*parts[0]), "0 a 1=97, 1 b 1=98, 2 c 1=99");
}

// A set that fails instead of ending.
class FailingSet : public SeriesSet {
 public:
  size_t size() const override { return 1; }
  std::vector<std::unique_ptr<SeriesSet>> Split(size_t /*max_parts*/) override { return {}; }
  bool Next() override { return false; }
  size_t position() const override { return 0; }
  const LabelSet& labels() const override { return labels_; }
  absl::Status Read(SampleColumns& /*columns*/) override { return status(); }
  absl::Status status() const override { return absl::DataLossError("broken"); }

 private:
  LabelSet labels_;
};

TEST(MergedSeriesSet, FailsIfOneOfTheTwoDoes) {
  for (const bool is_first : {true, false}) {
    auto failing = std::make_unique<FailingSet>();
    const auto set = is_first ? NewMergedSeriesSet(std::move(failing), Letters("a"))
                              : NewMergedSeriesSet(Letters("a"), std::move(failing));
    while (set->Next()) {
    }
    EXPECT_EQ(set->status(), absl::DataLossError("broken"));
  }
}

// Stored series in the order of the first letters, which become the second ones.
std::unique_ptr<SeriesSet> Scaled(MadeSeries stored, const std::string& names, double factor,
                                  int64_t max_ms = 1'000'000) {
  std::vector<ScaledSeries> series;
  for (const char letter : names) {
    const char name[] = {letter, '\0'};
    series.push_back({LabelSet::Of({{"name", name}}), factor});
  }
  return NewScaledSeriesSet(NewMadeSeriesSet(std::make_shared<const MadeSeries>(std::move(stored))),
                            std::move(series), max_ms);
}

MadeSeries ThreeStored() {
  return {SeriesNamed("a", {{1, 1}, {2, 2}}), SeriesNamed("b", {{1, 3}, {2, 4}}),
          SeriesNamed("c", {{1, 5}, {2, 6}})};
}

TEST(ScaledSeriesSet, IsSortedByTheNewLabels) {
  const auto set = Scaled(ThreeStored(), "zxy", 10, 100);
  EXPECT_EQ(set->size(), 3u);
  EXPECT_EQ(ReadAll(*set), "0 x 1=30 2=40, 1 y 1=50 2=60, 2 z 1=10 2=20");
}

TEST(ScaledSeriesSet, PartsHaveThePositionsOfTheWhole) {
  const auto whole = Scaled(ThreeStored(), "zxy", 10, 100);
  EXPECT_EQ(whole->work(), 3u);
  const auto parts = whole->Split(3);
  ASSERT_EQ(parts.size(), 3u);
  EXPECT_EQ(parts[0]->size(), 1u);
  EXPECT_EQ(parts[0]->work(), 1u);
  EXPECT_EQ(ReadAll(*parts[0]), "2 z 1=10 2=20");
  EXPECT_EQ(ReadAll(*parts[1]), "0 x 1=30 2=40");
  const auto again = Scaled(ThreeStored(), "zxy", 10, 100)->Split(1)[0]->Split(3);
  EXPECT_EQ(ReadAll(*again[2]), "1 y 1=50 2=60");
}

TEST(ScaledSeriesSet, ReadsBehindWhatIsThere) {
  for (const bool is_split : {false, true}) {
    auto set = Scaled({SeriesNamed("a", {{1, 1}, {2, 2}})}, "z", 10, 100);
    if (is_split) set = std::move(set->Split(1)[0]);
    SampleColumns samples;
    samples.Append(0, 7);
    ASSERT_TRUE(set->Next());
    ASSERT_TRUE(set->Read(samples).ok());
    EXPECT_EQ(samples.timestamps_ms, (std::vector<int64_t>{0, 1, 2}));
    EXPECT_EQ(samples.values, (std::vector<double>{7, 10, 20}));
  }
}

TEST(ScaledSeriesSet, KeepsMarkersAndDropsWhatIsNoNumber) {
  const auto set =
      Scaled({SeriesNamed("a", {{1, 1}, {2, NAN}, {3, 3}, {4, StaleNan()}})}, "z", 10, 100);
  EXPECT_EQ(ReadAll(*set), "0 z 1=10 3=30 4=end");
}

TEST(ScaledSeriesSet, MarksWhereASeriesEnds) {
  const auto set = Scaled({SeriesNamed("a", {{0, 1}, {1000, 2}})}, "z", 10, 71'000);
  EXPECT_EQ(ReadAll(*set), "0 z 0=10 1000=20 71000=end");
  const auto going_on = Scaled({SeriesNamed("a", {{0, 1}, {1000, 2}})}, "z", 10, 70'999);
  EXPECT_EQ(ReadAll(*going_on), "0 z 0=10 1000=20");
}

TEST(ScaledSeriesSet, FailsAsTheStoredOneDoes) {
  std::vector<ScaledSeries> series = {{LabelSet::Of({{"name", "z"}}), 1}};
  const auto set = NewScaledSeriesSet(std::make_unique<FailingSet>(), std::move(series), 1);
  SampleColumns samples;
  ASSERT_TRUE(set->Next());
  EXPECT_EQ(set->Read(samples), absl::DataLossError("broken"));
  EXPECT_EQ(set->status(), absl::DataLossError("broken"));
}

TEST(MarkEnds, AMarkerEndsASeriesAlready) {
  SampleColumns samples;
  samples.Append(0, 1);
  samples.Append(1000, 2);
  samples.Append(2000, StaleNan());
  MarkEnds(1'000'000, samples);
  EXPECT_EQ(samples.values.size(), 3u);
  // Samples that were left out may be there.
  SampleColumns sparse;
  sparse.Append(0, 1);
  sparse.Append(1000, 2);
  sparse.left_out = {5};
  MarkEnds(1'000'000, sparse);
  EXPECT_EQ(sparse.values.size(), 2u);
}

}  // namespace
}  // namespace lockstep::answers
