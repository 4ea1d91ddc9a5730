// SideDataKeeper: metadata and exemplars, which live in memory, kept in the store from one run to the next.
//
// What was kept is put back when the keeper is made. Metadata that is new is written within kMetadataPeriod, exemplars
// within kExemplarPeriod; both when the keeper goes, which is before the store closes. Its thread does the
// writing: senders never wait for it. For one thread but for that.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <thread>
#include <vector>

#include "base/mutex.h"
#include "ingest/exemplar_store.h"
#include "ingest/metadata_store.h"
#include "storage/kept_rows.h"

namespace lockstep {

class SideDataKeeper {
 public:
  static constexpr std::chrono::seconds kMetadataPeriod{30};
  static constexpr std::chrono::minutes kExemplarPeriod{10};

  // All outlive the keeper. A store that is open for reading only is read and never written.
  SideDataKeeper(MetadataStore& metadata, ExemplarStore& exemplars, KeptRows& rows);
  ~SideDataKeeper();
  SideDataKeeper(const SideDataKeeper&) = delete;
  SideDataKeeper& operator=(const SideDataKeeper&) = delete;

 private:
  // One kind's rows: how many the store has, and of what.
  struct Kept {
    KeptKind kind;
    uint64_t change_count = 0;  // of what they hold
    size_t row_count = 0;
  };

  void RestoreMetadata();
  void RestoreExemplars();
  std::vector<KeptRow> Read(Kept& kept);
  // False when the keeper goes.
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
  std::jthread thread_;  // the first to go
};

}  // namespace lockstep
