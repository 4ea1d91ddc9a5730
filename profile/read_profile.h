// Reads the output of ProfileBuilder for tests: each sample with its function names, innermost
// first, and its values.
#pragma once

#include <zlib.h>

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace lockstep::profile {

struct ReadSample {
  std::vector<std::string> functions;
  std::vector<int64_t> values;
};

struct ReadProfile {
  std::vector<std::string> sample_types;  // "cpu/nanoseconds"
  std::vector<ReadSample> samples;
  std::vector<std::string> comments;
  std::vector<std::string> files;  // mapped files
};

// The fields by number, in order: numbers as values, messages as bytes.
struct ReadField {
  uint64_t number = 0;
  std::string_view bytes;
};

inline uint64_t TakeVarint(std::string_view& in) {
  uint64_t value = 0;
  for (int shift = 0; !in.empty(); shift += 7) {
    const auto byte = static_cast<unsigned char>(in.front());
    in.remove_prefix(1);
    value |= uint64_t{byte & 0x7FU} << shift;
    if (byte < 0x80) break;
  }
  return value;
}

inline std::multimap<uint64_t, ReadField> FieldsOf(std::string_view message) {
  std::multimap<uint64_t, ReadField> fields;
  while (!message.empty()) {
    const uint64_t key = TakeVarint(message);
    ReadField field{TakeVarint(message), {}};
    if ((key & 7) == 2) {
      field.bytes = message.substr(0, field.number);
      message.remove_prefix(field.bytes.size());
    }
    fields.emplace(key >> 3, field);
  }
  return fields;
}

inline std::string Gunzip(const std::string& packed) {
  z_stream stream{};
  inflateInit2(&stream, 16 + MAX_WBITS);
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(packed.data()));
  stream.avail_in = static_cast<uInt>(packed.size());
  std::string plain;
  std::string part(1 << 16, '\0');
  int status = Z_OK;
  while (status == Z_OK) {
    stream.next_out = reinterpret_cast<Bytef*>(part.data());
    stream.avail_out = static_cast<uInt>(part.size());
    status = inflate(&stream, Z_NO_FLUSH);
    plain.append(part, 0, part.size() - stream.avail_out);
  }
  inflateEnd(&stream);
  return status == Z_STREAM_END ? plain : "";
}

inline ReadProfile ParseProfile(const std::string& packed) {
  const std::string plain = Gunzip(packed);
  const auto fields = FieldsOf(plain);
  const auto each = [](const auto& map, uint64_t number, auto use) {
    for (auto [at, end] = map.equal_range(number); at != end; ++at) use(at->second);
  };
  const auto number = [](const auto& map, uint64_t at) {
    const auto found = map.find(at);
    return found == map.end() ? 0 : found->second.number;
  };
  std::vector<std::string> texts;
  each(fields, 6, [&](const ReadField& field) { texts.emplace_back(field.bytes); });
  ReadProfile profile;
  each(fields, 1, [&](const ReadField& field) {
    const auto type = FieldsOf(field.bytes);
    profile.sample_types.push_back(texts.at(number(type, 1)) + "/" + texts.at(number(type, 2)));
  });
  each(fields, 13,
       [&](const ReadField& field) { profile.comments.push_back(texts.at(field.number)); });
  each(fields, 3, [&](const ReadField& field) {
    profile.files.push_back(texts.at(number(FieldsOf(field.bytes), 5)));
  });
  std::map<uint64_t, std::string> functions;
  each(fields, 5, [&](const ReadField& field) {
    const auto function = FieldsOf(field.bytes);
    functions[number(function, 1)] = texts.at(number(function, 2));
  });
  std::map<uint64_t, std::string> locations;
  each(fields, 4, [&](const ReadField& field) {
    const auto location = FieldsOf(field.bytes);
    std::string name = "?";
    each(location, 4,
         [&](const ReadField& line) { name = functions.at(number(FieldsOf(line.bytes), 1)); });
    locations[number(location, 1)] = name;
  });
  each(fields, 2, [&](const ReadField& field) {
    const auto sample = FieldsOf(field.bytes);
    ReadSample& read = profile.samples.emplace_back();
    each(sample, 1,
         [&](const ReadField& at) { read.functions.push_back(locations.at(at.number)); });
    each(sample, 2,
         [&](const ReadField& at) { read.values.push_back(static_cast<int64_t>(at.number)); });
  });
  return profile;
}

}  // namespace lockstep::profile
