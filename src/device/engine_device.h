// The engine behind the device interface.
#pragma once

#include "device/device.h"
#include "engine/engine.h"

namespace ww::device {

/// The engine's device. `settings.cancel` stops launches that run.
std::unique_ptr<Device> make_engine_device(engine::Settings settings = {});

}  // namespace ww::device
