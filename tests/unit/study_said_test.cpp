// What the model says of a launch, and what the pages' catalogue has for it.
#include <gtest/gtest.h>

#include <algorithm>
#include <regex>

#include "gpus/catalog.h"
#include "model/explain.h"
#include "model_activity_data.h"
#include "report/catalogue.h"

namespace ww::model {
namespace {

TEST(Said, OtherLanguagesSayTheSameWithTheSameGaps) {
  size_t sentences = 0;
  for (const char* id : {"gt240", "gtx1080", "h200"})
    for (const auto& row : known_activities(id)) {
      const auto gpu = gpus::find_gpu(id);
      const auto time = predict_time(*gpu, row.activity);
      if (!time) continue;
      for (const Said& said : explain(*gpu, row.activity, *time)) {
        ++sentences;
        for (const char* language : {"cs", "pl", "ru"}) {
          const std::string text = report::Catalogue(language).text(said.message);
          ASSERT_NE(text, said.message) << said.text;
          static const std::regex kGap("\\{(\\w+)[,}]");
          for (std::sregex_iterator it(text.begin(), text.end(), kGap), end; it != end; ++it)
            EXPECT_TRUE(std::any_of(said.gaps.begin(), said.gaps.end(),
                                    [&](const auto& gap) { return gap.first == (*it)[1].str(); }))
                << language << ": " << text;
        }
      }
    }
  EXPECT_GT(sentences, 50u);
}

}  // namespace
}  // namespace ww::model
