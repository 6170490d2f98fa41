#define WW_CHAPTER "isa/chapters/logic.inc"
#define WW_FIND find_logic
#include "engine/lanes/expand.h"
