#include "base/json_reader.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "base/text.h"

namespace ww {

std::string in_quotes(std::string_view word) {
  return fmt::format("'{}{}'", printable(word.substr(0, 60)), word.size() > 60 ? "..." : "");
}

bool JsonReader::complain(const Json& json, std::string message, std::string hint) {
  return complain(json.where(file_), std::move(message), std::move(hint));
}

bool JsonReader::complain(Location where, std::string message, std::string hint) {
  if (errors.size() < kMostErrors)
    errors.push_back(error_at(std::move(where), std::move(message), std::move(hint)));
  return false;
}

void JsonReader::unknown(Location where, std::string_view what, const std::string& word,
                         const std::vector<std::string>& known) {
  const std::string near = nearest(word, known);
  complain(std::move(where), fmt::format("unknown {} {}", what, in_quotes(word)),
           near.empty() ? fmt::format("there are {}", fmt::join(known, ", "))
                        : fmt::format("did you mean '{}'?", near));
}

bool JsonReader::members(const Json& json, std::string_view what, const std::vector<std::string>& known) {
  const auto* object = json.get<Json::Object>();
  if (!object) return complain(json, fmt::format("{} must be an object, not {}", what, json.kind()));
  for (const JsonMember& member : *object)
    if (std::find(known.begin(), known.end(), member.key) == known.end())
      unknown(member.where(file_), "key", member.key, known);
  return true;
}

std::vector<const Json*> JsonReader::items(const Json& json) {
  std::vector<const Json*> all;
  if (const auto* list = json.get<Json::Array>())
    for (const Json& one : *list) all.push_back(&one);
  else
    all.push_back(&json);
  return all;
}

const Json::Array& JsonReader::list(const Json& object, std::string_view key) {
  static const Json::Array kNone;
  const Json* json = object.find(key);
  if (!json) return kNone;
  if (const auto* array = json->get<Json::Array>()) return *array;
  complain(*json, fmt::format("'{}' must be a list, not {}", key, json->kind()));
  return kNone;
}

std::string JsonReader::text(const Json& object, std::string_view key) {
  const Json* json = object.find(key);
  if (!json) return {};
  const auto* word = json->get<std::string>();
  if (word && !word->empty()) return *word;
  complain(*json, fmt::format("'{}' must be a string, not {}", key, word ? "an empty one" : json->kind()));
  return {};
}

std::vector<std::string> JsonReader::words(const Json& object, std::string_view key) {
  std::vector<std::string> all;
  const Json* json = object.find(key);
  if (!json) return all;
  for (const Json* one : items(*json)) {
    const auto* word = one->get<std::string>();
    if (word && !word->empty())
      all.push_back(*word);
    else
      complain(*one, fmt::format("'{}' holds strings, not {}", key, word ? "an empty one" : one->kind()));
  }
  return all;
}

void JsonReader::flag(const Json& json, std::string_view key, bool& out) {
  if (const bool* value = json.get<bool>())
    out = *value;
  else
    complain(json, fmt::format("'{}' must be true or false, not {}", key, json.kind()));
}

std::vector<int64_t> JsonReader::whole_numbers(const Json& json, std::string_view key, int64_t least,
                                               int64_t most) {
  std::vector<int64_t> all;
  for (const Json* one : items(json)) {
    const auto* number = one->get<int64_t>();
    if (!number)
      complain(*one, fmt::format("'{}' holds whole numbers, not {}", key,
                                 one->number() ? "fractions" : one->kind()));
    else if (*number < least || *number > most)
      complain(*one, fmt::format("{} = {}, it must be between {} and {}", key, *number, least, most));
    else
      all.push_back(*number);
  }
  if (items(json).empty()) complain(json, fmt::format("'{}' is an empty list", key));
  return all;
}

}  // namespace ww
