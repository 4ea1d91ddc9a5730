#include "scrape/scrape_sink.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>
#include <utility>
#include <vector>

#include "ingest/write/ingest_testing.h"
#include "scrape/scrape_batch.h"

namespace lockstep::scrape {
namespace {

using testing::IsEmpty;

KeyedLabels SeriesNamed(std::string_view name) {
  LabelSet labels = LabelSet::Of({{"__name__", name}});
  const SeriesKey key = SeriesKeyOf(labels);
  return {key, std::move(labels)};
}

HistogramSample HistogramOf(uint64_t buckets) {
  Histogram histogram;
  histogram.positive_spans = {{0, static_cast<uint32_t>(buckets)}};
  histogram.positive_counts.assign(buckets, 1);
  return {7, std::make_shared<const Histogram>(std::move(histogram))};
}

class ScrapeBatchTest : public testing::Test {
 protected:
  const KeyedLabels known_ = SeriesNamed("known");
  const KeyedLabels fresh_ = SeriesNamed("fresh");
  const KnowsOne storage_{known_.labels};
  ScrapeBatch batch_;
};

TEST_F(ScrapeBatchTest, OnlyANewSeriesIsSentWithItsLabels) {
  batch_.Add(known_, {1, 10});
  batch_.Add(fresh_, {2, 20});
  batch_.AddOwn(known_, {3, 30});
  const DecodedWrite write = batch_.Take(storage_);
  ASSERT_EQ(write.request.known.size(), 2u);
  EXPECT_EQ(write.request.known[0].sample.timestamp_ms, 1);
  EXPECT_EQ(write.request.known[0].sample.value, 10);
  EXPECT_EQ(write.request.known[1].sample.value, 30);
  ASSERT_EQ(write.request.series.size(), 1u);
  EXPECT_EQ(write.request.series[0].labels, fresh_.labels);
  EXPECT_EQ(write.request.series[0].samples.at(0).value, 20);
}

TEST_F(ScrapeBatchTest, CountsEachKindAndIsEmptyAfterwards) {
  batch_.Add(known_, {1, 10});
  batch_.Add(fresh_, {2, 20});
  batch_.AddHistogram(fresh_, HistogramOf(1));
  batch_.AddExemplar(fresh_.labels, {{}, 1, 2});
  batch_.AddExemplar(known_.labels, {{}, 3, 4});
  batch_.AddMetadata({"m", {}});
  const DecodedWrite write = batch_.Take(storage_);
  EXPECT_EQ(write.series_count, 3u);
  EXPECT_EQ(write.sample_count, 2u);
  EXPECT_EQ(write.histogram_count, 1u);
  EXPECT_EQ(write.exemplar_count, 2u);
  ASSERT_EQ(write.request.series.size(), 2u);
  EXPECT_EQ(write.request.series[1].labels, fresh_.labels);
  EXPECT_THAT(write.request.series[1].samples, IsEmpty());
  EXPECT_EQ(write.request.series[1].histograms.at(0).timestamp_ms, 7);
  ASSERT_EQ(write.exemplars.size(), 2u);
  EXPECT_EQ(write.exemplars[1].series, known_.labels);
  EXPECT_EQ(write.exemplars[1].exemplars.at(0).timestamp_ms, 4);
  EXPECT_EQ(write.metadata.size(), 1u);

  const DecodedWrite next = batch_.Take(storage_);
  EXPECT_EQ(next.series_count + next.sample_count + next.histogram_count + next.exemplar_count, 0u);
  EXPECT_TRUE(next.request.series.empty() && next.request.known.empty());
  EXPECT_TRUE(next.exemplars.empty() && next.metadata.empty());
}

TEST_F(ScrapeBatchTest, ABadBodyLeavesItsMetadataOnly) {
  batch_.Add(fresh_, {2, 20});
  batch_.AddHistogram(fresh_, HistogramOf(1));
  batch_.AddExemplar(fresh_.labels, {{}, 1, 2});
  batch_.AddMetadata({"m", {}});
  batch_.Clear();
  const DecodedWrite write = batch_.Take(storage_);
  EXPECT_EQ(write.series_count + write.exemplar_count, 0u);
  EXPECT_TRUE(write.request.series.empty() && write.exemplars.empty());
  EXPECT_EQ(write.metadata.size(), 1u);
}

TEST_F(ScrapeBatchTest, WhatHasNoMemoryIsLeftOut) {
  MemoryBudget::OfProcess().set_max_bytes(4 << 20);
  batch_.AddHistogram(fresh_, HistogramOf(1 << 20));
  EXPECT_FALSE(batch_.status().ok());
  // Nothing more is added, however small.
  batch_.Add(fresh_, {1, 2});
  batch_.AddHistogram(fresh_, HistogramOf(1));
  batch_.AddExemplar(fresh_.labels, {{}, 1, 2});
  DecodedWrite write = batch_.Take(storage_);
  EXPECT_EQ(write.series_count + write.exemplar_count, 0u);
  // The next body begins anew.
  EXPECT_TRUE(batch_.status().ok());
  batch_.AddExemplar(LabelSet::Of({{"a", std::string(4 << 20, 'x')}}), {{}, 1, 2});
  EXPECT_FALSE(batch_.status().ok());
  batch_.Clear();
  EXPECT_TRUE(batch_.status().ok());
  batch_.AddExemplar(fresh_.labels, {LabelSet::Of({{"a", std::string(4 << 20, 'x')}}), 1, 2});
  EXPECT_FALSE(batch_.status().ok());
  MemoryBudget::OfProcess().set_max_bytes(MemoryBudget::kNoLimit);
}

class ScrapeSinkTest : public testing::Test {
 protected:
  const KnowsOne storage_{LabelSet::Of({{"__name__", "none"}})};
  std::vector<Ingester::Done> done_;  // of the writes that were begun
  ScrapeSink sink_{storage_,
                   [this](DecodedWrite, Ingester::Done done) { done_.push_back(std::move(done)); }};
};

TEST_F(ScrapeSinkTest, AWriteIsGoingOnUntilTheStoreHasAnswered) {
  const auto is_writing = std::make_shared<std::atomic<bool>>(false);
  sink_.Write({}, is_writing);
  EXPECT_TRUE(*is_writing);
  done_.at(0)(WriteSummary{});
  EXPECT_FALSE(*is_writing);
  EXPECT_EQ(sink_.counters().failed_writes, 0u);
  sink_.Write({}, is_writing);
  EXPECT_TRUE(*is_writing);
  done_.at(1)(absl::UnavailableError("full"));
  EXPECT_FALSE(*is_writing);
  EXPECT_EQ(sink_.counters().failed_writes, 1u);
  sink_.AwaitWrites();
}

TEST_F(ScrapeSinkTest, AwaitsAllWrites) {
  const auto is_writing = std::make_shared<std::atomic<bool>>(false);
  sink_.Write({}, is_writing);
  sink_.Write({}, is_writing);
  done_.at(0)(WriteSummary{});
  std::atomic<bool> is_answered{false};
  std::thread store([&] {
    is_answered = true;
    done_.at(1)(WriteSummary{});
  });
  sink_.AwaitWrites();
  EXPECT_TRUE(is_answered);
  store.join();
}

TEST_F(ScrapeSinkTest, EachCounterHasItsField) {
  ScrapeSink::Counters& counters = sink_.counters();
  counters.scrapes = 1;
  counters.failed_scrapes = 2;
  counters.skipped_scrapes = 3;
  counters.body_bytes = 4;
  counters.samples = 5;
  counters.kept_samples = 6;
  counters.stale_markers = 7;
  counters.failed_writes = 8;
  ScrapeStats stats;
  stats.jobs = 9;
  sink_.FillStats(stats);
  EXPECT_EQ(stats.scrapes, 1u);
  EXPECT_EQ(stats.failed_scrapes, 2u);
  EXPECT_EQ(stats.skipped_scrapes, 3u);
  EXPECT_EQ(stats.body_bytes, 4u);
  EXPECT_EQ(stats.samples, 5u);
  EXPECT_EQ(stats.kept_samples, 6u);
  EXPECT_EQ(stats.stale_markers, 7u);
  EXPECT_EQ(stats.failed_writes, 8u);
  EXPECT_EQ(stats.jobs, 9u);
}

}  // namespace
}  // namespace lockstep::scrape
