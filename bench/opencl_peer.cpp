#include "opencl_peer.h"

#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

#include <chrono>

namespace ww::bench {

namespace {

Status checked(cl_int code, const char* what) {
  if (code == CL_SUCCESS) return {};
  return error("OpenCL: " + std::string(what) + ": error " + std::to_string(code));
}

class Peer : public OpenClPeer {
 public:
  Status start() {
    cl_platform_id platform;
    if (auto ok = checked(clGetPlatformIDs(1, &platform, nullptr), "no platform"); !ok) return ok;
    if (auto ok = checked(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device_, nullptr), "no device");
        !ok)
      return ok;
    cl_int code;
    context_ = clCreateContext(nullptr, 1, &device_, nullptr, nullptr, &code);
    if (auto ok = checked(code, "context"); !ok) return ok;
    queue_ = clCreateCommandQueue(context_, device_, 0, &code);
    return checked(code, "queue");
  }
  ~Peer() override {
    release();
    if (queue_) clReleaseCommandQueue(queue_);
    if (context_) clReleaseContext(context_);
  }

  std::string name() const override {
    char text[256] = {};
    clGetDeviceInfo(device_, CL_DEVICE_VERSION, sizeof text - 1, text, nullptr);
    return text;
  }

  Status prepare(const Case& c, const std::string& source) override {
    release();
    cl_int code;
    const char* text = source.c_str();
    program_ = clCreateProgramWithSource(context_, 1, &text, nullptr, &code);
    if (auto ok = checked(code, "program"); !ok) return ok;
    if (auto ok = checked(clBuildProgram(program_, 1, &device_, "", nullptr, nullptr), "build"); !ok)
      return ok;
    kernel_ = clCreateKernel(program_, c.name.c_str(), &code);
    if (auto ok = checked(code, "kernel"); !ok) return ok;
    for (cl_uint k = 0; k < c.arguments.size(); ++k) {
      buffers_.push_back(nullptr);
      sizes_.push_back(0);
      if (const auto* a = std::get_if<Array>(&c.arguments[k])) {
        sizes_[k] = 4 * a->words.size();
        buffers_[k] = clCreateBuffer(context_, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, sizes_[k],
                                     const_cast<uint32_t*>(a->words.data()), &code);
        if (auto ok = checked(code, "buffer"); !ok) return ok;
        code = clSetKernelArg(kernel_, k, sizeof(cl_mem), &buffers_[k]);
      } else if (const auto* i = std::get_if<int32_t>(&c.arguments[k])) {
        code = clSetKernelArg(kernel_, k, 4, i);
      } else {
        code = clSetKernelArg(kernel_, k, 4, &std::get<float>(c.arguments[k]));
      }
      if (auto ok = checked(code, "argument"); !ok) return ok;
    }
    for (int d = 0; d < 2; ++d) local_[d] = c.block[d], global_[d] = size_t{c.grid[d]} * c.block[d];
    return {};
  }

  Result<double> run() override {
    const auto begin = std::chrono::steady_clock::now();
    if (auto ok =
            checked(clEnqueueNDRangeKernel(queue_, kernel_, 2, nullptr, global_, local_, 0, nullptr, nullptr),
                    "launch");
        !ok)
      return ok.error();
    if (auto ok = checked(clFinish(queue_), "finish"); !ok) return ok.error();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  }

  Result<std::vector<uint32_t>> read(size_t index) override {
    std::vector<uint32_t> words(sizes_[index] / 4);
    if (auto ok = checked(clEnqueueReadBuffer(queue_, buffers_[index], CL_TRUE, 0, sizes_[index],
                                              words.data(), 0, nullptr, nullptr),
                          "read");
        !ok)
      return ok.error();
    return words;
  }

 private:
  void release() {
    for (cl_mem b : buffers_)
      if (b) clReleaseMemObject(b);
    buffers_.clear();
    sizes_.clear();
    if (kernel_) clReleaseKernel(kernel_);
    if (program_) clReleaseProgram(program_);
    kernel_ = nullptr, program_ = nullptr;
  }

  cl_device_id device_ = nullptr;
  cl_context context_ = nullptr;
  cl_command_queue queue_ = nullptr;
  cl_program program_ = nullptr;
  cl_kernel kernel_ = nullptr;
  std::vector<cl_mem> buffers_;
  std::vector<size_t> sizes_;
  size_t local_[2] = {}, global_[2] = {};
};

}  // namespace

Result<std::unique_ptr<OpenClPeer>> OpenClPeer::open() {
  auto peer = std::make_unique<Peer>();
  if (auto ok = peer->start(); !ok) return ok.error();
  return std::unique_ptr<OpenClPeer>(std::move(peer));
}

}  // namespace ww::bench
