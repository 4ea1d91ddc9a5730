#include "api/mcp/cookbook.h"

#include <algorithm>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_format.h"
#include "api/mcp/cookbook_document.h"

namespace lockstep::api {
namespace {

std::string Lower(std::string_view text) {
  return absl::AsciiStrToLower({text.data(), text.size()});
}

std::string SlugOf(std::string_view title) {
  std::string slug;
  for (const char c : Lower(title)) {
    if (absl::ascii_isalnum(static_cast<unsigned char>(c))) {
      slug += c;
    } else if (!slug.empty() && slug.back() != '-') {
      slug += '-';
    }
  }
  while (slug.ends_with('-')) slug.pop_back();
  return slug;
}

// Divides the document at its headings of the second and third level.
std::vector<CookbookSection> ReadSections(std::string_view document) {
  std::vector<CookbookSection> sections;
  std::string chapter;
  bool is_code = false;
  size_t begin = 0;
  const auto end_section = [&](size_t end) {
    if (!sections.empty()) sections.back().text = document.substr(begin, end - begin);
  };
  for (size_t at = 0; at < document.size();) {
    const size_t line_end = std::min(document.find('\n', at), document.size());
    const std::string_view line = document.substr(at, line_end - at);
    if (line.starts_with("```")) is_code = !is_code;
    const bool is_chapter = !is_code && line.starts_with("## ");
    if (is_chapter || (!is_code && line.starts_with("### "))) {
      end_section(at);
      begin = at;
      const std::string_view name = line.substr(line.find(' ') + 1);
      if (is_chapter) chapter = name;
      std::string title = is_chapter ? chapter : absl::StrFormat("%s: %s", chapter, name);
      std::string slug = SlugOf(title);
      sections.push_back({std::move(title), std::move(slug), {}});
    }
    at = line_end + 1;
  }
  end_section(document.size());
  return sections;
}

std::vector<std::string> WordsOf(std::string_view text) {
  std::vector<std::string> words(1);
  for (const char c : Lower(text)) {
    const auto byte = static_cast<unsigned char>(c);
    if (absl::ascii_isalnum(byte) || c == '_' || byte >= 0x80) {
      words.back() += c;
    } else if (!words.back().empty()) {
      words.emplace_back();
    }
  }
  if (words.back().empty()) words.pop_back();
  return words;
}

size_t ScoreOf(const CookbookSection& section, const std::vector<std::string>& words) {
  const std::string title = Lower(section.title), text = Lower(section.text);
  size_t score = 0;
  for (const std::string& word : words) {
    if (title.find(word) != title.npos) score += 3;
    if (text.find(word) != text.npos) ++score;
  }
  return score;
}

}  // namespace

std::span<const CookbookSection> CookbookSections() {
  static const auto* const sections =
      new std::vector<CookbookSection>(ReadSections(CookbookDocument()));
  return *sections;
}

const CookbookSection* FindCookbookSection(std::string_view slug) {
  const auto sections = CookbookSections();
  const auto found = std::ranges::find(sections, slug, &CookbookSection::slug);
  return found == sections.end() ? nullptr : &*found;
}

std::vector<const CookbookSection*> SearchCookbook(std::string_view words, size_t max_count) {
  const std::vector<std::string> wanted = WordsOf(words);
  std::vector<std::pair<size_t, const CookbookSection*>> scored;
  for (const CookbookSection& section : CookbookSections()) {
    const size_t score = ScoreOf(section, wanted);
    if (score > 0) scored.emplace_back(score, &section);
  }
  std::ranges::stable_sort(scored, std::greater<>(),
                           &std::pair<size_t, const CookbookSection*>::first);
  if (scored.size() > max_count) scored.resize(max_count);
  std::vector<const CookbookSection*> found;
  for (const auto& [score, section] : scored) found.push_back(section);
  return found;
}

}  // namespace lockstep::api
