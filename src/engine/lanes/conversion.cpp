#define WW_CHAPTER "isa/chapters/conversion.inc"
#define WW_FIND find_conversion
#include "engine/lanes/expand.h"
