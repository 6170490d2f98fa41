#include <gtest/gtest.h>

#include "base/diagnostic.h"

namespace ww {

TEST(Render, PutsTheCaretBelowTheWord) {
  auto d = error_at({"a.ptx", 2, 5, 3}, "unknown instruction 'foo'", "did you mean 'fma'?");
  EXPECT_EQ(render(d, "line one\nxxx foo bar\n"),
            "a.ptx:2:5: error: unknown instruction 'foo'\n"
            "  xxx foo bar\n"
            "      ^^^\n"
            "  hint: did you mean 'fma'?\n");
}

TEST(Render, ElidesLongLines) {
  std::string line(1000, 'a');
  line[500] = '!';
  std::string text = render(error_at({"", 1, 501}, "bad"), line);
  EXPECT_LT(text.size(), 300u);
  EXPECT_NE(text.find("...aaa"), text.npos);
  size_t bang = text.find('!') - text.find("  ...");
  size_t caret = text.find('^') - text.rfind('\n', text.find('^')) - 1;
  EXPECT_EQ(bang, caret);
}

TEST(Nearest, OffersOnlyWhatCouldBeATypingError) {
  EXPECT_EQ(nearest("matmul/tyled", {"matmul/tiled", "sum/last_block"}), "matmul/tiled");
  EXPECT_EQ(nearest("zebra", {"matmul/tiled", "sum/last_block"}), "");
}

}  // namespace ww
