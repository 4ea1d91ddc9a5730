#include "storage/db/head/head.h"

#include <gtest/gtest.h>

#include <memory>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace lockstep {
namespace {

HistogramSample HistogramAt(int64_t time_ms) { return {time_ms, std::make_shared<Histogram>()}; }

std::string At(int64_t start_ms) { return start_ms == 0 ? "" : "@" + std::to_string(start_ms); }

// "time=value" for floats, then "time=h" for histograms, with "@start" where it is known.
std::string Text(const SampleColumns& columns) {
  std::string text;
  for (size_t i = 0; i < columns.values.size(); ++i) {
    text += std::to_string(columns.timestamps_ms[i]) + "=" +
            std::to_string(static_cast<int>(columns.values[i])) + At(columns.StartOf(i)) + " ";
  }
  for (const HistogramSample& sample : columns.histograms) {
    text += std::to_string(sample.timestamp_ms) + "=h" + At(sample.start_timestamp_ms) + " ";
  }
  return text;
}

std::string Read(const Head& head, SeriesId id, TimeRange range = kAllTimes) {
  SampleColumns columns;
  head.Read(id, range, columns);
  return Text(columns);
}

std::string ReadAsOf(const Head& head, SeriesId id, const ArrivalCounts& counts) {
  SampleColumns columns;
  head.Read(id, kAllTimes, counts, columns);
  return Text(columns);
}

void Append(Head& head, SeriesId id, const SampleColumns& columns) {
  if (!head.IsOpen(id)) head.Open(id, kNoTimeMs);
  head.Append(id, columns);
}

void Append(Head& head, SeriesId id, Sample sample) {
  Append(head, id, {{sample.timestamp_ms}, {sample.value}, {}});
}

SampleColumns Columns(const std::vector<Sample>& samples) {
  SampleColumns columns;
  for (const Sample& sample : samples) columns.Append(sample.timestamp_ms, sample.value);
  return columns;
}

TEST(Head, KeepsSamplesBySeries) {
  Head head;
  Append(head, 5, Sample{1, 10});
  Append(head, 9, Sample{1, 20});
  Append(head, 5, Sample{2, 11});
  EXPECT_EQ(Read(head, 5), "1=10 2=11 ");
  EXPECT_EQ(Read(head, 9), "1=20 ");
  EXPECT_EQ(Read(head, 7), "");
  EXPECT_EQ(Read(head, 1000), "");
  EXPECT_EQ(Read(head, 5, {2, 2}), "2=11 ");
  EXPECT_EQ(Read(head, 5, {3, 9}), "");
  EXPECT_EQ(head.LatestMs(5), 2);
  EXPECT_EQ(head.LatestMs(7), kNoTimeMs);
  EXPECT_EQ(head.sample_count(), 3u);
  EXPECT_EQ(head.slot_count(), 2u);
}

TEST(Head, OfOneTimeTheLastArrivalStays) {
  Head head;
  Append(head, 0, Sample{3, 1});
  Append(head, 0, Sample{1, 2});
  Append(head, 0, Sample{3, 3});
  EXPECT_EQ(Read(head, 0), "1=2 3=3 ");
  Append(head, 0, {{}, {}, {HistogramAt(3)}});
  EXPECT_EQ(Read(head, 0), "1=2 3=h ");
  Append(head, 0, Sample{3, 4});
  EXPECT_EQ(Read(head, 0), "1=2 3=4 ");
}

TEST(Head, AReaderSeesTheArrivalsOfItsMoment) {
  Head head;
  Append(head, 0, Sample{10, 1});
  Append(head, 0, {{}, {}, {HistogramAt(20)}});
  head.Commit();
  const auto early = head.counts();
  Append(head, 0, Sample{5, 2});   // late
  Append(head, 0, Sample{10, 3});  // an overwrite
  Append(head, 0, {{}, {}, {HistogramAt(5)}});
  Append(head, 1, Sample{1, 1});
  EXPECT_EQ(ReadAsOf(head, 0, *early), "10=1 20=h ");
  EXPECT_EQ(ReadAsOf(head, 0, *head.counts()), "10=1 20=h ");
  EXPECT_FALSE(head.MayHold(1, *head.counts()));
  head.Commit();
  EXPECT_EQ(ReadAsOf(head, 0, *early), "10=1 20=h ");
  EXPECT_EQ(ReadAsOf(head, 0, *head.counts()), "10=3 5=h 20=h ");
  EXPECT_EQ(ReadAsOf(head, 1, *early), "");
  EXPECT_TRUE(head.MayHold(1, *head.counts()));
  EXPECT_FALSE(head.MayHold(1, *early));
}

TEST(Head, KnowsTheNewestWithoutALookAtTheOthers) {
  Head head;
  head.Open(1, 500);
  SampleColumns newest;
  const auto known = [&](TimeRange range) {
    head.Commit();
    return head.ReadNewest(1, range, *head.counts(), newest);
  };
  // Earlier than the sample elsewhere.
  head.Append(1, Columns({{400, 4}}));
  EXPECT_FALSE(known(kAllTimes));
  head.Append(1, Columns({{600, 6}, {700, 7}}));
  // The first one came late, so the samples do not ascend from 500 on.
  EXPECT_FALSE(known(kAllTimes));

  head.Open(2, 500);
  const auto counts_before = head.counts();
  head.Append(2, Columns({{600, 6}, {700, 7}}));
  head.Commit();
  const auto counts = head.counts();
  EXPECT_FALSE(head.ReadNewest(2, kAllTimes, *counts_before, newest));
  ASSERT_TRUE(head.ReadNewest(2, kAllTimes, *counts, newest));
  EXPECT_EQ(Text(newest), "700=7 ");
  ASSERT_TRUE(head.ReadNewest(2, {701, 800}, *counts, newest));
  EXPECT_EQ(Text(newest), "");
  EXPECT_FALSE(head.ReadNewest(2, {0, 699}, *counts, newest));
  // Later arrivals are not part of that moment, and the last arrival of each time wins.
  head.Append(2, Columns({{700, 8}}));
  head.Commit();
  EXPECT_FALSE(head.ReadNewest(2, kAllTimes, *counts, newest));
  EXPECT_FALSE(head.ReadNewest(2, kAllTimes, *head.counts(), newest));
  EXPECT_EQ(Read(head, 2), "600=6 700=8 ");
}

TEST(Head, TakesBackWhatWasNotCommitted) {
  Head head;
  Append(head, 0, Sample{10, 1});
  head.Commit();
  Append(head, 0, Sample{5, 2});
  Append(head, 0, {{30}, {3}, {HistogramAt(20)}});
  Append(head, 1, Sample{1, 1});
  head.Rollback();
  EXPECT_EQ(Read(head, 0), "10=1 ");
  EXPECT_EQ(Read(head, 1), "");
  EXPECT_EQ(head.LatestMs(0), 10);
  EXPECT_FALSE(head.Contains(1));
  EXPECT_EQ(head.LatestMs(1), kNoTimeMs);
  EXPECT_EQ(head.sample_count(), 1u);
  Append(head, 0, Sample{11, 4});
  head.Commit();
  EXPECT_EQ(ReadAsOf(head, 0, *head.counts()), "10=1 11=4 ");
}

// Across slabs, at every length, whatever is rolled back.
TEST(Head, TakesBackAtAnyLength) {
  Head head;
  head.Open(0, kNoTimeMs);
  std::string expected;
  for (int i = 0; i < 300; ++i) {
    const auto time_ms = int64_t{i} * i * 1000;
    for (int failed = 0; failed < i % 40; ++failed) {
      EXPECT_TRUE(head.AppendNewest(0, {time_ms + failed, -1.0 / (failed + 1)}));
    }
    head.Rollback();
    ASSERT_EQ(Read(head, 0), expected);
    EXPECT_TRUE(head.AppendNewest(0, {time_ms, static_cast<double>(i)}));
    head.Commit();
    expected += std::to_string(time_ms) + "=" + std::to_string(i) + " ";
  }
  EXPECT_EQ(head.sample_count(), 300u);
}

TEST(Head, TheNewestIsLaterThanAnythingAnywhere) {
  Head head;
  head.Open(0, 100);
  EXPECT_EQ(head.LatestMs(0), 100);
  EXPECT_FALSE(head.Contains(0));
  EXPECT_FALSE(head.AppendNewest(0, {100, 1}));
  EXPECT_TRUE(head.AppendNewest(0, {101, 1}));
  EXPECT_FALSE(head.AppendNewest(0, {101, 2}));
  EXPECT_EQ(Read(head, 0), "101=1 ");
}

TEST(Head, TakesLateSamplesInOrderWithoutALookAtTheOthers) {
  Head head;
  head.Open(0, kNoTimeMs);
  EXPECT_TRUE(head.AppendNewest(0, {100, 1}));
  EXPECT_TRUE(head.AppendNewest(0, {200, 2}));
  EXPECT_TRUE(head.MayHaveTime(0, 150));
  EXPECT_FALSE(head.MayHaveTime(0, 99));
  EXPECT_FALSE(head.AppendLate(0, {150, 0}));
  EXPECT_TRUE(head.AppendLate(0, {10, 3}));
  EXPECT_TRUE(head.AppendLate(0, {20, 4}));
  EXPECT_FALSE(head.AppendLate(0, {20, 5}));
  EXPECT_FALSE(head.AppendLate(0, {100, 5}));
  EXPECT_TRUE(head.AppendNewest(0, {300, 6}));
  EXPECT_TRUE(head.AppendLate(0, {1, 7}));
  EXPECT_TRUE(head.AppendLate(0, {9, 8}));
  EXPECT_EQ(Read(head, 0), "1=7 9=8 10=3 20=4 100=1 200=2 300=6 ");
  EXPECT_TRUE(head.IsLast(0, {9, 8}));
  EXPECT_FALSE(head.IsLast(0, {9, 9}));
  // Into a gap that was scanned before.
  Append(head, 0, Sample{150, 0});
  head.AnchorLateRun(0, 150);
  EXPECT_TRUE(head.AppendLate(0, {160, 0}));
  EXPECT_FALSE(head.AppendLate(0, {210, 0}));
  EXPECT_EQ(Read(head, 0, {140, 210}), "150=0 160=0 200=2 ");
}

// Whatever arrives, a time that is there is never reported free.
TEST(Head, NeverTakesALateSampleForATimeThatIsThere) {
  std::mt19937 random(5);
  for (int round = 0; round < 200; ++round) {
    Head head;
    head.Open(0, static_cast<int64_t>(random() % 60));
    std::set<int64_t> times, committed;
    for (int step = 0; step < 100; ++step) {
      const auto time_ms = static_cast<int64_t>(random() % 100);
      if (!head.MayHaveTime(0, time_ms)) {
        ASSERT_FALSE(times.contains(time_ms));
      }
      if (random() % 10 == 0) {
        head.Rollback();
        times = committed;
      } else if (head.AppendNewest(0, {time_ms, 1}) || head.AppendLate(0, {time_ms, 1})) {
        ASSERT_TRUE(times.insert(time_ms).second);
      } else if (random() % 2 == 0) {
        Append(head, 0, Sample{time_ms, 2});
        times.insert(time_ms);
        if (random() % 2 == 0) head.AnchorLateRun(0, time_ms);
      }
      if (random() % 5 == 0) {
        head.Commit();
        committed = times;
      }
    }
  }
}

SampleColumns FirstIn(TimeRange range, size_t count, const SampleColumns& all) {
  SampleColumns in_range;
  for (size_t i = 0; i < count; ++i) {
    if (!range.Contains(all.timestamps_ms[i])) continue;
    in_range.Append(all.timestamps_ms[i], all.values[i], all.StartOf(i));
  }
  return in_range;
}

// A long series, so that reading starts in its middle, with rollbacks along the way.
class LongSeries {
 public:
  LongSeries(std::mt19937& random, bool has_starts) {
    head_.Open(0, kNoTimeMs);
    while (all_.values.size() < 700) {
      SampleColumns batch;
      for (size_t left = random() % 60; left > 0; --left) {
        last_ms_ += 1 + static_cast<int64_t>(random() % 3);
        batch.Append(last_ms_, static_cast<double>(random() % 100), has_starts ? last_ms_ / 50 : 0);
      }
      head_.Append(0, batch);
      if (random() % 3 == 0) {
        head_.Rollback();
      } else {
        Commit(batch);
      }
    }
  }

  void CheckRange(std::mt19937& random) const {
    const Moment& moment = moments_[random() % moments_.size()];
    const auto from_ms = static_cast<int64_t>(random() % static_cast<uint64_t>(last_ms_ + 20)) - 10;
    const TimeRange range = {from_ms, from_ms + static_cast<int64_t>(random() % 500)};
    SampleColumns columns;
    const SeriesId id = 0;
    head_.PrefetchAll({&id, 1}, range.min_ms);
    head_.Read(id, range, moment.counts, columns);
    ASSERT_EQ(Text(columns), Text(FirstIn(range, moment.size, all_)));
  }

  Head& head() { return head_; }

 private:
  struct Moment {
    ArrivalCounts counts;
    size_t size = 0;
  };

  void Commit(const SampleColumns& batch) {
    head_.Commit();
    for (size_t i = 0; i < batch.values.size(); ++i) {
      all_.Append(batch.timestamps_ms[i], batch.values[i], batch.StartOf(i));
    }
    moments_.push_back({*head_.counts(), all_.values.size()});
  }

  Head head_;
  SampleColumns all_;
  int64_t last_ms_ = 0;
  std::vector<Moment> moments_;
};

TEST(Head, ReadsAnyRangeAsOfAnyMoment) {
  std::mt19937 random(7);
  for (int round = 0; round < 30; ++round) {
    LongSeries series(random, round % 2 == 0);
    // From here on it does not ascend.
    if (round % 5 == 4) Append(series.head(), 0, Sample{-5, 1});
    for (int i = 0; i < 200; ++i) series.CheckRange(random);
  }
}

TEST(Head, KeepsWhenCountersBegan) {
  Head head;
  SampleColumns columns;
  columns.Append(10, 1, 5);
  columns.Append(20, 2, 5);
  columns.Append(30, 3);
  columns.histograms = {{40, HistogramAt(40).histogram, 35}};
  Append(head, 0, columns);
  head.Commit();
  EXPECT_TRUE(head.AppendNewest(0, {50, 4}));
  columns.Clear();
  columns.Append(60, 5, 55);
  Append(head, 0, columns);
  EXPECT_EQ(Read(head, 0), "10=1@5 20=2@5 30=3 50=4 60=5@55 40=h@35 ");
  EXPECT_EQ(Read(head, 0, {20, 55}), "20=2@5 30=3 50=4 40=h@35 ");
  EXPECT_EQ(ReadAsOf(head, 0, *head.counts()), "10=1@5 20=2@5 30=3 40=h@35 ");
  EXPECT_FALSE(head.IsLast(0, {60, 5}));
  head.Rollback();
  columns.Clear();
  columns.Append(15, 6, 12);  // late
  columns.Append(45, 7, 35);
  Append(head, 0, columns);
  head.Commit();
  EXPECT_EQ(Read(head, 0), "10=1@5 15=6@12 20=2@5 30=3 45=7@35 40=h@35 ");
  SampleColumns newest;
  EXPECT_FALSE(head.ReadNewest(0, kAllTimes, *head.counts(), newest));
}

TEST(Head, ColumnsOfBothKindsArriveInOrderOfTime) {
  Head head;
  Append(head, 0, {{1, 3}, {1, 3}, {HistogramAt(2), HistogramAt(4)}});
  head.Commit();
  EXPECT_EQ(ReadAsOf(head, 0, {1}), "1=1 ");
  EXPECT_EQ(ReadAsOf(head, 0, {2}), "1=1 2=h ");
  EXPECT_EQ(ReadAsOf(head, 0, {3}), "1=1 3=3 2=h ");
  EXPECT_EQ(ReadAsOf(head, 0, {4}), "1=1 3=3 2=h 4=h ");
  EXPECT_EQ(head.range().min_ms, 1);
  EXPECT_EQ(head.range().max_ms, 4);
}

// Floats that repeat step and value take a byte each, slabs of 64 bytes have room for 60, and after
// each 96 floats there is a mark of 40 bytes.
TEST(Head, CountsTheMemoryOfItsFloats) {
  Head head;
  head.Open(0, kNoTimeMs);
  const size_t of_series = head.byte_count();
  head.Open(1, kNoTimeMs);
  EXPECT_EQ(head.byte_count(), 2 * of_series);
  EXPECT_GE(of_series, 64u);
  std::vector<std::pair<int, size_t>> growth;
  size_t before = head.byte_count();
  for (int i = 0; i < 250; ++i) {
    EXPECT_TRUE(head.AppendNewest(0, {1000 * i, 0}));
    if (head.byte_count() > before) growth.emplace_back(i, head.byte_count() - before);
    before = head.byte_count();
  }
  // The second one, which has another step than the first, takes three bytes.
  const std::vector<std::pair<int, size_t>> expected = {{0, 64},   {58, 64},  {96, 40}, {118, 64},
                                                        {178, 64}, {192, 40}, {238, 64}};
  EXPECT_EQ(growth, expected);
}

TEST(Head, CountsTheMemoryOfHistogramsAndStarts) {
  Head head;
  head.Open(0, kNoTimeMs);
  head.Open(1, kNoTimeMs);
  size_t before = head.byte_count();
  const auto growth = [&] { return head.byte_count() - std::exchange(before, head.byte_count()); };
  const HistogramSample sample = HistogramAt(1);
  head.Append(0, {{}, {}, {sample}});
  const size_t first = growth();
  head.Append(0, {{}, {}, {HistogramAt(2)}});
  const size_t second = growth();
  EXPECT_GT(second, sample.histogram->byte_count());
  EXPECT_GT(first, second);  // the list too
  SampleColumns columns;
  columns.Append(1, 1, 7);
  head.Append(1, columns);
  const size_t with_list = growth();
  columns.Clear();
  columns.Append(2, 1, 7);
  head.Append(1, columns);
  EXPECT_EQ(growth(), 0u);  // the same start
  columns.Clear();
  columns.Append(3, 1, 8);
  head.Append(1, columns);
  EXPECT_EQ(growth(), 16u);
  // A slab, the list, and the first start.
  EXPECT_EQ(with_list, 64 + (first - second) + 16);
}

TEST(Head, CountsTheMemoryOfALateRunOnce) {
  Head head;
  head.Open(0, kNoTimeMs);
  EXPECT_TRUE(head.AppendNewest(0, {100, 0}));
  const size_t before = head.byte_count();
  EXPECT_TRUE(head.AppendLate(0, {10, 0}));
  const size_t after = head.byte_count();
  EXPECT_GT(after, before);
  EXPECT_LE(after, before + 32);
  EXPECT_TRUE(head.AppendLate(0, {11, 0}));
  EXPECT_EQ(head.byte_count(), after);
}

// A rollback gives no memory back, but the next samples use what is there.
TEST(Head, SamplesAfterARollbackUseItsRoom) {
  Head head;
  head.Open(0, kNoTimeMs);
  EXPECT_TRUE(head.AppendNewest(0, {100, 0}));
  head.Commit();
  const size_t before = head.byte_count();
  for (int round = 0; round < 100; ++round) {
    EXPECT_TRUE(head.AppendNewest(0, {200, 0}));
    head.Rollback();
  }
  EXPECT_EQ(head.byte_count(), before);
}

TEST(Head, ItsRangeIsThatOfAllSeries) {
  Head head;
  Append(head, 0, Sample{50, 1});
  Append(head, 1, Sample{70, 1});
  Append(head, 0, Sample{40, 1});
  Append(head, 2, {{}, {}, {HistogramAt(90)}});
  EXPECT_EQ(head.range().min_ms, 40);
  EXPECT_EQ(head.range().max_ms, 90);
  EXPECT_EQ(head.sample_count(), 4u);
  EXPECT_EQ(head.IdOfSlot(1), 1u);
}

TEST(Head, CountsAreMadeOncePerCommit) {
  Head head;
  Append(head, 0, Sample{50, 1});
  head.Commit();
  const auto counts = head.counts();
  EXPECT_EQ(head.counts(), counts);
  EXPECT_EQ(*counts, ArrivalCounts{1});
  head.Commit();
  EXPECT_NE(head.counts(), counts);
}

TEST(Head, ATimeOfASeriesWithoutSamplesIsFree) {
  Head head;
  EXPECT_FALSE(head.MayHaveTime(0, 5));
  head.Open(0, 100);
  EXPECT_FALSE(head.MayHaveTime(0, 5));
  EXPECT_TRUE(head.AppendLate(0, {5, 1}));
  EXPECT_TRUE(head.MayHaveTime(0, 5));
  EXPECT_FALSE(head.MayHaveTime(0, 6));
  EXPECT_FALSE(head.MayHaveTime(0, 4));
  // Histograms may have any time.
  Append(head, 1, {{}, {}, {HistogramAt(20)}});
  EXPECT_TRUE(head.MayHaveTime(1, 5));
  EXPECT_FALSE(head.AppendLate(1, {5, 1}));
  head.AnchorLateRun(1, 20);
  EXPECT_FALSE(head.AppendLate(1, {25, 1}));
}

}  // namespace
}  // namespace lockstep
