// A kernel's clocks, the events around it and the rates that the device names fit each other, as on a card
// (data/measured/h100/clocks.csv).
#include <chrono>
#include <cmath>
#include <cstdio>

struct Seen {
  unsigned long long clock[2], timer[2];
  unsigned clock_low, clock_high, timer_low, timer_high;
};

__global__ void look(Seen* s, unsigned long long clocks) {
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(s->timer[0]));
  s->clock[0] = clock64();
  do s->clock[1] = clock64();
  while (s->clock[1] - s->clock[0] < clocks);
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(s->timer[1]));
  asm volatile("mov.u32 %0, %%clock;" : "=r"(s->clock_low));
  asm volatile("mov.u32 %0, %%clock_hi;" : "=r"(s->clock_high));
  asm volatile("mov.u32 %0, %%globaltimer_lo;" : "=r"(s->timer_low));
  asm volatile("mov.u32 %0, %%globaltimer_hi;" : "=r"(s->timer_high));
}

unsigned long long whole(unsigned high, unsigned low) { return (unsigned long long)high << 32 | low; }
/// Seconds by which other work of the machine may delay a reading.
const double kSlack = 10;

int main() {
  int khz, memory_khz;
  cudaDeviceGetAttribute(&khz, cudaDevAttrClockRate, 0);
  cudaDeviceGetAttribute(&memory_khz, cudaDevAttrMemoryClockRate, 0);
  Seen* s;
  cudaMallocManaged(&s, sizeof *s);
  cudaEvent_t begin, end;
  cudaEventCreate(&begin);
  cudaEventCreate(&end);
  double off = 1;  // the quotient of the clocks, of the least disturbed of some runs
  bool events = true, halves = true, day = true;
  for (int run = 0; run < 10; ++run) {
    cudaEventRecord(begin);
    look<<<1, 1>>>(s, 20ull * khz);  // 20 ms
    cudaEventRecord(end);
    cudaDeviceSynchronize();
    float ms;
    cudaEventElapsedTime(&ms, begin, end);
    const double quotient = 1e6 * double(s->clock[1] - s->clock[0]) / double(s->timer[1] - s->timer[0]) / khz;
    off = std::fmin(off, std::fabs(quotient - 1));
    events &= ms >= 19.9 && ms < 20 + 1e3 * kSlack;
    halves &= double(whole(s->clock_high, s->clock_low) - s->clock[1]) < kSlack * 1e3 * khz &&
              double(whole(s->timer_high, s->timer_low) - s->timer[1]) < kSlack * 1e9;
    const double now =
        std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
    day &= std::fabs(now - s->timer[1] / 1e9) < kSlack;
  }
  printf("%d kHz, memory %d kHz: quotient %s, events %s, halves %s, time of day %s\n", khz, memory_khz,
         off < 0.05 ? "right" : "wrong", events ? "right" : "wrong", halves ? "right" : "wrong",
         day ? "right" : "wrong");
}
