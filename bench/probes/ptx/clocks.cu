// What %globaltimer counts from, the rate of %clock64 against it, and what the halves of both are.
// Output: run,what,value.
#include <cstdio>
#include <ctime>

struct Seen {
  unsigned long long clock[2], timer[2];
  unsigned clock_low, clock_high, timer_low, timer_high;
};

__global__ void look(Seen* s, unsigned long long ns) {
  asm volatile("mov.u64 %0, %%clock64;" : "=l"(s->clock[0]));
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(s->timer[0]));
  do asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(s->timer[1]));
  while (s->timer[1] - s->timer[0] < ns);
  asm volatile("mov.u64 %0, %%clock64;" : "=l"(s->clock[1]));
  asm volatile("mov.u32 %0, %%clock;" : "=r"(s->clock_low));
  asm volatile("mov.u32 %0, %%clock_hi;" : "=r"(s->clock_high));
  asm volatile("mov.u32 %0, %%globaltimer_lo;" : "=r"(s->timer_low));
  asm volatile("mov.u32 %0, %%globaltimer_hi;" : "=r"(s->timer_high));
}

int main() {
  int sm_khz, memory_khz;
  cudaDeviceGetAttribute(&sm_khz, cudaDevAttrClockRate, 0);
  cudaDeviceGetAttribute(&memory_khz, cudaDevAttrMemoryClockRate, 0);
  printf("run,what,value\n0,cudaDevAttrClockRate (kHz),%d\n0,cudaDevAttrMemoryClockRate (kHz),%d\n", sm_khz,
         memory_khz);
  Seen* s;
  cudaMallocManaged(&s, sizeof *s);
  cudaEvent_t begin, end;
  cudaEventCreate(&begin);
  cudaEventCreate(&end);
  for (int run = 1; run <= 3; ++run) {
    cudaEventRecord(begin);
    look<<<1, 1>>>(s, 20'000'000);
    cudaEventRecord(end);
    cudaDeviceSynchronize();
    timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    float ms;
    cudaEventElapsedTime(&ms, begin, end);
    const double host = now.tv_sec * 1e9 + now.tv_nsec;
    printf("%d,clocks in 1 us of %%globaltimer,%.3f\n", run,
           1e3 * (s->clock[1] - s->clock[0]) / (s->timer[1] - s->timer[0]));
    printf("%d,ms between events around 20 ms of %%globaltimer,%.3f\n", run, ms);
    printf("%d,host's time of day behind %%globaltimer (ms),%.3f\n", run, (host - s->timer[1]) / 1e6);
    printf("%d,clocks from %%clock64 to %%clock_hi:%%clock,%llu\n", run,
           ((unsigned long long)s->clock_high << 32 | s->clock_low) - s->clock[1]);
    printf("%d,ns from %%globaltimer to %%globaltimer_hi:%%globaltimer_lo,%llu\n", run,
           ((unsigned long long)s->timer_high << 32 | s->timer_low) - s->timer[1]);
  }
}
