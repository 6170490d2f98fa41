#define WW_CHAPTER "isa/chapters/integer.inc"
#define WW_FIND find_integer
#include "engine/lanes/expand.h"
