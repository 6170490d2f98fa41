// The engine behind the device interface.
#pragma once

#include "device/device.h"
#include "engine/engine.h"

namespace ww::device {

/// The engine's device. `settings.cancel` stops launches that run.
std::unique_ptr<Device> make_engine_device(engine::Settings settings = {});

/// The engine behind a device that make_engine_device() made; null behind others.
engine::Engine* engine_of(Device& device);

/// The arguments as the engine takes them.
std::vector<std::vector<uint8_t>> bytes_of(const std::vector<Argument>& arguments);

}  // namespace ww::device
