// The same under its other names.
#pragma once
#include "cublas_v2.h"
