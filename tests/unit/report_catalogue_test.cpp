#include "report/catalogue.h"

#include <gtest/gtest.h>

namespace ww::report {
namespace {

Value number_of(double v, const char* unit = "") { return {"", v, unit, Provenance::Modelled, ""}; }

/// "{count} results verified" in a language: what the plural rules of CLDR ask for.
std::string verified(const char* language, double count) {
  Conclusion c{"verified.some", {}, {}};
  c.arguments.emplace_back("count", number_of(count));
  return Catalogue(language).sentence({}, c);
}

TEST(Catalogue, PluralsAreThoseOfTheLanguage) {
  EXPECT_EQ(verified("en", 1), "1 result lies within its error bound.");
  EXPECT_EQ(verified("en", 2), "2 results lie within their error bounds.");
  for (const auto& [language, one, few, many] :
       {std::tuple("pl", "1 wynik mieści", "22 wyniki mieszczą", "12 wyników mieści"),
        std::tuple("cs", "1 výsledek leží", "3 výsledky leží", "5 výsledků leží"),
        std::tuple("ru", "21 результат лежит", "22 результата лежат", "11 результатов лежат")}) {
    EXPECT_EQ(verified(language, std::atof(one)).find(one), 0u) << verified(language, std::atof(one));
    EXPECT_EQ(verified(language, std::atof(few)).find(few), 0u) << verified(language, std::atof(few));
    EXPECT_EQ(verified(language, std::atof(many)).find(many), 0u) << verified(language, std::atof(many));
  }
}

TEST(Catalogue, RatiosRowsAndUnitsAreWords) {
  Table table;
  for (const char* tile : {"16", "32"}) {
    Row& row = table.rows.emplace_back();
    row[Axis::Kernel] = "t/padded";
    row[Axis::Gpu] = "h200";
    row[axis_named("tile")] = tile;
  }
  Conclusion c{"verdict.best.two", {}, {}};
  c.arguments.emplace_back("best", RowName{1});
  c.arguments.emplace_back("score", Value{"time", 0.0384, "ms", Provenance::Modelled, ""});
  c.arguments.emplace_back("by", number_of(1.5));
  c.arguments.emplace_back("last", RowName{0});
  c.arguments.emplace_back("last_score", Value{"time", 0.0576, "ms", Provenance::Modelled, ""});
  EXPECT_EQ(Catalogue("en").sentence(table, c),
            "padded · tile 32 at 38.4 µs: 1.5\u00a0times as fast as padded · tile 16 (57.6 µs).");
  EXPECT_EQ(Catalogue("ru").sentence(table, c),
            "padded · плитка 32 (38,4 µs): в 1,5\u00a0раза быстрее, чем padded · плитка 16 (57,6 µs).");
  // A ratio that is hardly more than 1, and one that is a lower bound.
  c.arguments[2].second = number_of(1.001);
  EXPECT_NE(Catalogue("en").sentence(table, c).find("just as fast as"), std::string::npos);
  Value least = number_of(2);
  least.description = "at least";
  c.arguments[2].second = least;
  EXPECT_NE(Catalogue("pl").sentence(table, c).find("co najmniej 2\u00a0razy"), std::string::npos);
}

TEST(Catalogue, AVerdictIsALineForEachAnswerThatFits) {
  Table table;
  table.rows.resize(2);
  table.rows[0][Axis::Kernel] = "a/x";
  table.rows[1][Axis::Kernel] = "a/y";
  Conclusion none{"verdict.change.none", {}, {}}, measured{"verdict.sure.measured", {}, {}};
  const std::string text = verdict_text(table, {none, measured}, "en", 50);
  EXPECT_EQ(text,
            "What to change  Nothing that was tried here makes\n"
            "                a difference larger than the\n"
            "                uncertainty.\n"
            "How sure        Measured.\n");
  EXPECT_EQ(verdict_markdown(table, {measured}, "cs"), "- **Jak jisté**: Změřeno.\n\n");
  EXPECT_EQ(verdict_text(table, {}, "en", 50), "");
}

}  // namespace
}  // namespace ww::report
