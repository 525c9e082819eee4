#pragma once

// The heavy headers that every translation unit with actors needs.
#include <caf/all.hpp>
#include <memory>
#include <string>
#include <vector>
