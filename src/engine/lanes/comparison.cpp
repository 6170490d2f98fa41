#define WW_CHAPTER "isa/chapters/comparison.inc"
#define WW_FIND find_comparison
#include "engine/lanes/expand.h"
