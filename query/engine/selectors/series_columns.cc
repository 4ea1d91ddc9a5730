#include "query/engine/selectors/series_columns.h"

#include <algorithm>
#include <atomic>
#include <limits>
#include <utility>

#include "base/threads/task_pool.h"

namespace lockstep::engine {

class ColumnPass {
 public:
  ColumnPass(size_t series_count, size_t columns_per_series, bool drop_names, Evaluator& evaluator)
      : columns_per_series_(columns_per_series),
        drop_names_(drop_names),
        evaluator_(evaluator),
        slots_(series_count * columns_per_series) {}

  void AddPart(std::unique_ptr<SeriesPart> series, SeriesWorker worker) {
    parts_.push_back({std::move(series), std::move(worker), WorkNotes(evaluator_.NewCounts()),
                      SampleCharge(evaluator_.context().budget), absl::OkStatus()});
  }

  absl::StatusOr<VectorValue> Run() {
    evaluator_.context().pool.Run(parts_.size(), [this](size_t i) {
      Part& part = parts_[i];
      part.status = Work(part);
      if (!part.status.ok()) FailAt(part.notes.series_);
      part.series.reset();
    });
    LOCKSTEP_RETURN_IF_ERROR(FirstError());
    TakeNotes();
    return TakeColumns();
  }

 private:
  struct Part {
    std::unique_ptr<SeriesPart> series;
    SeriesWorker worker;
    WorkNotes notes;
    SampleCharge charge;
    absl::Status status;
  };

  absl::Status Work(Part& part) {
    const size_t step_count = evaluator_.grid().count;
    while (true) {
      LOCKSTEP_ASSIGN_OR_RETURN(const bool more, part.series->Next());
      if (!more) return absl::OkStatus();
      const size_t position = part.series->position();
      part.notes.series_ = position;
      if (position > first_failure_.load(std::memory_order_relaxed)) return absl::OkStatus();
      const std::span slots =
          std::span(slots_).subspan(position * columns_per_series_, columns_per_series_);
      for (EvaluatedSeries& slot : slots) slot.column = Column(step_count);
      LOCKSTEP_RETURN_IF_ERROR(part.worker(*part.series, slots, part.notes));
      for (EvaluatedSeries& slot : slots) LOCKSTEP_RETURN_IF_ERROR(Finish(part, slot));
    }
  }

  absl::Status Finish(Part& part, EvaluatedSeries& slot) const {
    if (slot.column.empty()) return absl::OkStatus();
    if (slot.labels.empty()) slot.labels = part.series->labels();
    slot.drop_name = drop_names_ || part.series->drop_name();
    LOCKSTEP_RETURN_IF_ERROR(part.charge.Add(slot.column.BudgetSize()));
    return part.charge.AddText(slot.labels.bytes().size());
  }

  void FailAt(size_t position) {
    size_t first = first_failure_.load(std::memory_order_relaxed);
    while (position < first && !first_failure_.compare_exchange_weak(first, position)) {
    }
  }

  absl::Status FirstError() const {
    const Part* first = nullptr;
    for (const Part& part : parts_) {
      if (part.status.ok()) continue;
      if (first == nullptr || part.notes.series_ < first->notes.series_) first = &part;
    }
    return first == nullptr ? absl::OkStatus() : first->status;
  }

  void TakeNotes() {
    QueryContext& context = evaluator_.context();
    std::vector<WorkNotes::Note> all;
    for (Part& part : parts_) {
      evaluator_.counts().Add(part.notes.counts_);
      std::move(part.notes.annotations_.begin(), part.notes.annotations_.end(),
                std::back_inserter(all));
    }
    std::stable_sort(all.begin(), all.end(),
                     [](const auto& a, const auto& b) { return a.series < b.series; });
    for (WorkNotes::Note& note : all) context.annotations.Add(std::move(note.annotation), note.at);
  }

  VectorValue TakeColumns() {
    VectorValue vector = evaluator_.NewVector();
    for (Part& part : parts_) vector.charge.Absorb(std::move(part.charge));
    std::erase_if(slots_, [](const EvaluatedSeries& slot) { return slot.column.empty(); });
    vector.series = std::move(slots_);
    return vector;
  }

  const size_t columns_per_series_;
  const bool drop_names_;
  Evaluator& evaluator_;
  std::vector<EvaluatedSeries> slots_;  // by position; those of a series are written by one worker
  std::vector<Part> parts_;
  std::atomic<size_t> first_failure_{std::numeric_limits<size_t>::max()};
};

absl::StatusOr<VectorValue> MakeSeries(SeriesParts parts, size_t columns_per_series,
                                       bool drop_names, Evaluator& evaluator,
                                       absl::FunctionRef<SeriesWorker()> new_worker) {
  ColumnPass pass(parts.series_count, columns_per_series, drop_names, evaluator);
  for (std::unique_ptr<SeriesPart>& part : parts.parts) pass.AddPart(std::move(part), new_worker());
  return pass.Run();
}

absl::StatusOr<VectorValue> MakeColumns(SeriesParts parts, bool drop_names, Evaluator& evaluator,
                                        absl::FunctionRef<ColumnWorker()> new_worker) {
  return MakeSeries(std::move(parts), 1, drop_names, evaluator, [&]() -> SeriesWorker {
    return [worker = new_worker()](SeriesPart& series, std::span<EvaluatedSeries> made,
                                   WorkNotes& notes) mutable {
      return worker(series, made[0].column, notes);
    };
  });
}

size_t MaxParts(const QueryContext& context) {
  // More parts than threads, so that others can take over from a slow thread.
  constexpr size_t kPartsOfThread = 4;
  const size_t threads = context.pool.concurrency();
  return threads == 1 ? 1 : threads * kPartsOfThread;
}

}  // namespace lockstep::engine
