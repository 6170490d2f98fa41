#include "model/count_text.h"

#include <gtest/gtest.h>

namespace ww::model {

TEST(CountText, IsReadAsPeopleWriteNumbers) {
  EXPECT_EQ(count_text(0), "0");
  EXPECT_EQ(count_text(999.4), "999");
  EXPECT_EQ(count_text(999.6), "1,000");
  EXPECT_EQ(count_text(253952), "253,952");
  EXPECT_EQ(count_text(999999.4), "999,999");
  EXPECT_EQ(count_text(999999.6), "1 million");
  EXPECT_EQ(count_text(12345678), "12.3 million");
  EXPECT_EQ(count_text(999.6e6), "1 billion");
  EXPECT_EQ(count_text(4294967296.0), "4.29 billion");
}

}  // namespace ww::model
