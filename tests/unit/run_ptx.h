// Runs kernels of a checked-in PTX file on the engine, for tests.
#pragma once

#include <gtest/gtest.h>

#include <cstring>

#include "base/file.h"
#include "engine/engine.h"
#include "ir/verify.h"
#include "ptx/parser.h"

namespace ww::test {

class PtxProgram {
 public:
  explicit PtxProgram(const std::string& file, engine::Settings settings = {}) : engine(std::move(settings)) {
    auto text = read_file(WW_TEST_DATA + file);
    if (!text) throw std::runtime_error(render(text.error()));
    auto module = ptx::parse(file, *text);
    if (!module) throw std::runtime_error(render(module.error(), *text));
    if (Diagnostics wrong = ir::verify(*module); !wrong.empty())
      throw std::runtime_error(render(wrong, *text));
    auto loaded = engine.load(std::make_shared<ir::Module>(std::move(*module)));
    if (!loaded) throw std::runtime_error(render(loaded.error()));
    module_ = *loaded;
  }

  template <class T>
  engine::u64 upload(const std::vector<T>& values) {
    auto at = engine.memory().allocate(values.size() * sizeof(T));
    if (!at) throw std::runtime_error(render(at.error()));
    std::memcpy(engine.memory().host(*at), values.data(), values.size() * sizeof(T));
    return *at;
  }
  template <class T>
  std::vector<T> download(engine::u64 address, size_t count) {
    std::vector<T> values(count);
    std::memcpy(values.data(), engine.memory().host(address), count * sizeof(T));
    return values;
  }

  /// Launches; diagnostics of the host are an exception, faults of the kernel are in the result.
  template <class... Args>
  engine::RunResult launch(const std::string& kernel, engine::Extent3 grid, engine::Extent3 block,
                           Args... args) {
    engine::LaunchRequest request;
    request.kernel = kernel;
    request.grid = grid;
    request.block = block;
    request.counted = counted;
    request.listeners = listeners;
    request.cooperative = cooperative;
    [[maybe_unused]] auto add = [&](const auto& value) {
      std::vector<engine::u8> bytes(sizeof value);
      std::memcpy(bytes.data(), &value, sizeof value);
      request.arguments.push_back(bytes);
    };
    (add(args), ...);
    auto result = engine.run(*module_, request);
    if (!result) throw std::runtime_error(render(result.error()));
    return std::move(*result);
  }
  /// The same; a fault fails the test.
  template <class... Args>
  std::string run(const std::string& kernel, engine::Extent3 grid, engine::Extent3 block, Args... args) {
    auto result = launch(kernel, grid, block, args...);
    for (const auto& f : result.faults) ADD_FAILURE() << f.message;
    return result.printed;
  }
  /// The kind of the fault that the launch must end with, and its message.
  template <class... Args>
  std::pair<std::string, std::string> fault(const std::string& kernel, engine::Extent3 block, Args... args) {
    auto result = launch(kernel, {}, block, args...);
    if (result.faults.empty()) return {"no fault", ""};
    return {result.faults[0].kind, result.faults[0].message};
  }

  const ir::Module& module() const { return *module_->module; }

  engine::Engine engine;
  bool counted = false;  ///< of the launches to come
  std::vector<events::Listener*> listeners;
  bool cooperative = false;  ///< of the launches that follow

 private:
  std::shared_ptr<engine::LoadedModule> module_;
};

}  // namespace ww::test
