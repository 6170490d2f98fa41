#include "device.h"

int main(int count, char** arguments) {
  testing::InitGoogleTest(&count, arguments);
  if (const int code = device::start()) return code;
  return RUN_ALL_TESTS();
}
