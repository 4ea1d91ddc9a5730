// SideDataKeeper: keeps the in-memory metadata and exemplars in the store across restarts.
//
// The constructor restores what was kept. New metadata is written within kMetadataPeriod, exemplars
// within kExemplarPeriod, and both on destruction, which must precede the store's. Its own thread
// writes, so senders never wait. Otherwise for one thread.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <thread>
#include <vector>

#include "base/mutex.h"
#include "ingest/side_data/exemplar_store.h"
#include "ingest/side_data/metadata_store.h"
#include "storage/kept_rows.h"

namespace lockstep {

class SideDataKeeper {
 public:
  static constexpr std::chrono::seconds kMetadataPeriod{30};
  static constexpr std::chrono::minutes kExemplarPeriod{10};

  // All must outlive the keeper. A read-only store is read but never written.
  SideDataKeeper(MetadataStore& metadata, ExemplarStore& exemplars, KeptRows& rows);
  ~SideDataKeeper();
  SideDataKeeper(const SideDataKeeper&) = delete;
  SideDataKeeper& operator=(const SideDataKeeper&) = delete;

 private:
  // The rows of one kind in the store: their number and version.
  struct Kept {
    KeptKind kind;
    uint64_t change_count = 0;  // of their content
    size_t row_count = 0;
  };

  void RestoreMetadata();
  void RestoreExemplars();
  std::vector<KeptRow> Read(Kept& kept);
  // False on destruction.
  bool WaitForNextLook();
  void Run();
  void SaveMetadata();
  void SaveExemplars();
  void Save(Kept& kept, std::vector<std::string> rows, uint64_t change_count);

  MetadataStore& metadata_;
  ExemplarStore& exemplars_;
  KeptRows& rows_;
  Kept kept_metadata_{KeptKind::kMetadata};
  Kept kept_exemplars_{KeptKind::kExemplars};
  Mutex mutex_;
  CondVar changed_;
  bool stop_ LOCKSTEP_GUARDED_BY(mutex_) = false;
  std::jthread thread_;  // destroyed first
};

}  // namespace lockstep
