// SeriesSeer: selects series and records whose they are and when they had samples. Not thread-safe.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "identity/resolver.h"
#include "identity/store/identity_reader.h"

namespace lockstep::identity {

class SeriesSeer {
 public:
  // Borrows what the context borrows.
  explicit SeriesSeer(const IdentityContext& context) : context_(context) {}

  // Reads matching series with any of `names`; a series that differs from an earlier one only in
  // its name is skipped, because it says the same. Registrations are searched from the beginning of
  // time.
  absl::Status See(SeenSeries::Kind kind, std::string_view names, std::vector<Matcher> matchers);

  std::vector<SeenSeries>& seen() { return seen_; }

 private:
  absl::Status Read(SeenSeries::Kind kind, SeriesSet& series);

  const IdentityContext& context_;
  absl::flat_hash_set<LabelSet> known_;
  std::vector<SeenSeries> seen_;
};

}  // namespace lockstep::identity
