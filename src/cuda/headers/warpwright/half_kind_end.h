// What cuda_fp16.h and cuda_bf16.h say to half_kind.h is said for one of them only.
#undef WW_KIND
#undef WW_KIND2
#undef WW_RAW
#undef WW_RAW2
#undef WW_NAME
#undef WW_PAIR_OF
#undef WW_PAIR_OF2
#undef WW_INSIDE
#undef WW_PTX
#undef WW_INFINITE
#undef WW_SOFT
