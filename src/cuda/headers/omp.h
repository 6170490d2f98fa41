// OpenMP's functions. The compiler's own where it has OpenMP; else for one thread, as OpenMP's appendix
// "Stubs for runtime library routines" has them: directives are comments then.
#if defined(_OPENMP) && defined(__has_include_next)
#if __has_include_next(<omp.h>)
#include_next <omp.h>
#define WW_OMP_IS_THERE
#endif
#endif
#if !defined(WW_OMP_IS_THERE) && !defined(WW_OMP_STUBS)
#define WW_OMP_STUBS
#include <time.h>
#ifdef __cplusplus
extern "C" {
#endif
typedef struct {
  int depth;
} omp_nest_lock_t;
typedef int omp_lock_t;
typedef enum { omp_sched_static = 1, omp_sched_dynamic, omp_sched_guided, omp_sched_auto } omp_sched_t;
static inline void omp_set_num_threads(int n) { (void)n; }
static inline int omp_get_num_threads(void) { return 1; }
static inline int omp_get_max_threads(void) { return 1; }
static inline int omp_get_thread_num(void) { return 0; }
static inline int omp_get_num_procs(void) { return 1; }
static inline int omp_in_parallel(void) { return 0; }
static inline void omp_set_dynamic(int on) { (void)on; }
static inline int omp_get_dynamic(void) { return 0; }
static inline void omp_set_nested(int on) { (void)on; }
static inline int omp_get_nested(void) { return 0; }
static inline int omp_get_level(void) { return 0; }
static inline int omp_get_thread_limit(void) { return 1; }
static inline void omp_set_schedule(omp_sched_t kind, int chunk) { (void)kind, (void)chunk; }
static inline void omp_init_lock(omp_lock_t* lock) { *lock = 0; }
static inline void omp_destroy_lock(omp_lock_t* lock) { (void)lock; }
static inline void omp_set_lock(omp_lock_t* lock) { *lock = 1; }
static inline void omp_unset_lock(omp_lock_t* lock) { *lock = 0; }
static inline int omp_test_lock(omp_lock_t* lock) { return *lock ? 0 : (*lock = 1); }
/// Seconds since some time in the past, and of one tick.
static inline double omp_get_wtime(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}
static inline double omp_get_wtick(void) { return 1e-9; }
#ifdef __cplusplus
}
#endif
#endif
