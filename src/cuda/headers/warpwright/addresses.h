// Address spaces of pointers (Programming Guide, Address Space Predicate and Conversion Functions).
#pragma once

#define WW_DEVICE static __device__ __inline__ __attribute__((always_inline))
WW_DEVICE unsigned __isGlobal(const void* p) { return __nvvm_isspacep_global(p); }
WW_DEVICE unsigned __isShared(const void* p) { return __nvvm_isspacep_shared(p); }
WW_DEVICE unsigned __isConstant(const void* p) { return __nvvm_isspacep_const(p); }
WW_DEVICE unsigned __isLocal(const void* p) { return __nvvm_isspacep_local(p); }
#define WW_CONVERTED(name, space)                                  \
  WW_DEVICE size_t __cvta_generic_to_##name(const void* p) {       \
    return (size_t)(void __attribute__((address_space(space)))*)p; \
  }                                                                \
  WW_DEVICE void* __cvta_##name##_to_generic(size_t p) {           \
    return (void*)(void __attribute__((address_space(space)))*)p;  \
  }
WW_CONVERTED(global, 1)
WW_CONVERTED(shared, 3)
WW_CONVERTED(constant, 4)
WW_CONVERTED(local, 5)
#undef WW_CONVERTED
#undef WW_DEVICE
