#define WW_CHAPTER "isa/chapters/floating.inc"
#define WW_FIND find_floating
#include "engine/lanes/expand.h"
