#define WW_CHAPTER "isa/chapters/half.inc"
#define WW_FIND find_half
#include "engine/lanes/expand.h"
