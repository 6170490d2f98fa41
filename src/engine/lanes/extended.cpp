#define WW_CHAPTER "isa/chapters/extended.inc"
#define WW_FIND find_extended
#include "engine/lanes/expand.h"
