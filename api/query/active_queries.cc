#include "api/query/active_queries.h"

#include <utility>

namespace lockstep::api {
namespace {

// Never cuts within a UTF-8 sequence.
void CutText(std::string& text, size_t max_bytes) {
  if (text.size() <= max_bytes) return;
  size_t end = max_bytes;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xc0) == 0x80) --end;
  text.resize(end);
  text += "...";
}

}  // namespace

ActiveQueries::Ticket::~Ticket() {
  const MutexLock lock(queries_.mutex_);
  queries_.entries_.erase(id_);
}

void ActiveQueries::Ticket::Start(const QueryBudget& budget) {
  const MutexLock lock(queries_.mutex_);
  queries_.entries_[id_].budget = &budget;
}

std::unique_ptr<ActiveQueries::Ticket> ActiveQueries::Add(QueryDescription description,
                                                          std::shared_ptr<CancelSignal> cancel) {
  CutText(description.text, kMaxTextBytes);
  const MutexLock lock(mutex_);
  const uint64_t id = ++last_id_;
  std::unique_ptr<Ticket> ticket(new Ticket(*this, id));
  entries_[id] = {std::move(description), std::move(cancel), Clock::now(), &ticket->progress_,
                  nullptr};
  return ticket;
}

std::vector<ActiveQuery> ActiveQueries::List() const {
  std::vector<ActiveQuery> queries;
  const MutexLock lock(mutex_);
  for (const auto& [id, entry] : entries_) {
    ActiveQuery& query = queries.emplace_back();
    query.id = id;
    query.description = entry.description;
    query.is_running = entry.budget != nullptr;
    query.age_seconds = std::chrono::duration<double>(Clock::now() - entry.start).count();
    query.samples_read = entry.progress->samples_read.load(std::memory_order_relaxed);
    if (entry.budget != nullptr) query.peak_samples = entry.budget->peak_samples();
  }
  return queries;
}

bool ActiveQueries::Cancel(uint64_t id) {
  std::shared_ptr<CancelSignal> cancel;
  {
    const MutexLock lock(mutex_);
    const auto found = entries_.find(id);
    if (found == entries_.end()) return false;
    cancel = found->second.cancel;
  }
  // Called without the lock, because the callback may end the query at once.
  cancel->Fire();
  return true;
}

}  // namespace lockstep::api
