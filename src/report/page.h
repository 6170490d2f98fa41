// Everything that a report's page shows, as data; and the page itself: one HTML file that needs nothing else.
#pragma once

#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "base/result.h"
#include "base/table.h"
#include "report/presentation.h"

namespace ww::report {

/// A metric by its tag, where a sentence speaks of the metric and not of a number.
struct MetricName {
  std::string tag;
  bool described = false;  ///< with its description behind it
};
/// A row of the table, spoken of by its axes.
struct RowName {
  size_t index = 0;
};
/// Another message of the catalogue: "origin.modelled".
struct MessageName {
  std::string key;
};
/// Figures of a GPU, by their keys ("launch_overhead").
struct FigureNames {
  std::vector<std::string> keys;
};
/// What fills a gap of a message. A Value without a tag is derived from others, or a count; with a
/// description all the same, it is no more than a lower bound.
using Argument = std::variant<std::string, Value, MetricName, RowName, MessageName, FigureNames>;

/// A sentence that was computed: a message of the catalogue (messages/en.json and its translations) and what
/// fills it.
struct Conclusion {
  std::string message;  ///< its key: "best.next"
  std::vector<std::pair<std::string, Argument>> arguments;
  std::vector<size_t> rows;  ///< what it rests on; the reader can look at them
  bool goes_on = false;      ///< says more about what the sentence before it says
};

struct Listing {
  std::string name, text;
  std::string watch;  ///< a file beside the page that shows it at work; "" when there is none
};

struct Page : Presentation {
  Table table;
  std::vector<Conclusion> verdict;       ///< best, why, what to change, how sure: "verdict.ANSWER…"
  std::vector<Conclusion> conclusions;   ///< what the table says, what is worth most first
  std::vector<Conclusion> verification;  ///< whether it can be trusted
  std::vector<Table> extras;             ///< smaller tables: the GPUs
  std::vector<Listing> listings;         ///< sources of the kernels
  bool built_in = false;                 ///< its study is: the catalogue has title and text
  std::string language = "en";
};

/// The languages that there is a catalogue for.
const std::vector<std::string>& languages();
/// Error: no catalogue for it.
Status check_language(const std::string& language);

/// The HTML text. Opens without a network, in any language of languages(); holds every value of the table.
/// Bytes that are not UTF-8 become U+FFFD.
std::string write_page(const Page& page);

/// The page that shows a recording (src/watch), whose JSON is `data`, without "<".
std::string write_watch_page(const std::string& title, const std::string& language, const std::string& data);

/// The page of launches (src/forecast/view.h), whose JSON is `data`, without "<".
std::string write_launch_page(const std::string& title, const std::string& language, const std::string& data);

/// The page's data alone, as the page reads it (see page_data.cpp); "<" does not occur in it.
std::string page_data(const Page& page);

}  // namespace ww::report
