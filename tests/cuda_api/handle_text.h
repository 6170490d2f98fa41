// The 64 bytes of a handle as 128 digits, for the command line of a second process.
#pragma once

#include <cstdio>

inline void to_text(const void* bytes, char* text) {
  for (int k = 0; k < 64; ++k)
    std::sprintf(text + 2 * k, "%02x", static_cast<const unsigned char*>(bytes)[k]);
}
inline void from_text(const char* text, void* bytes) {
  for (int k = 0; k < 64; ++k) {
    unsigned byte;
    std::sscanf(text + 2 * k, "%2x", &byte);
    static_cast<unsigned char*>(bytes)[k] = static_cast<unsigned char>(byte);
  }
}
