// What a study expects of its rows: judged, and told on stderr, in results, on the page and in Markdown.
#pragma once

#include "cli/study/options.h"
#include "report/page.h"
#include "study/expect.h"

namespace ww::cli {

/// The study's expectations, but for those about rows that the command line left out.
std::vector<study::Outcome> judged(const StudyOptions& o, const study::Study& study, const Table& table);

/// Names on stderr those that are not so, and the first rows that show it. Whether all are.
bool say_failed(const Table& table, const std::vector<study::Outcome>& outcomes);

/// The same as notes, for whoever reads the table as data.
void note_expected(Table& table, const std::vector<study::Outcome>& outcomes);

/// The same on the page: in its verdict, and where it says how far the results can be trusted.
void show_expected(report::Page& page, const std::vector<study::Outcome>& outcomes);

/// All of them as a list in Markdown; empty if there are none.
std::string expected_markdown(const Table& table, const std::vector<study::Outcome>& outcomes);

}  // namespace ww::cli
