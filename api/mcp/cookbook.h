// The cookbook's sections, by title and by words. Constant; safe from any thread.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace lockstep::api {

struct CookbookSection {
  std::string title;  // "Training: MFU"
  std::string slug;   // "training-mfu"
  std::string_view text;
};

// In the order of the document.
std::span<const CookbookSection> CookbookSections();
// Null if there is none.
const CookbookSection* FindCookbookSection(std::string_view slug);
// The sections that have most of the words, the best first; words in titles count more.
std::vector<const CookbookSection*> SearchCookbook(std::string_view words, size_t max_count);

}  // namespace lockstep::api
