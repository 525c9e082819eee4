#pragma once

// What most translation units with actors need, so that it is read once per library.
#include "base/events/log.hpp"
#include "base/precompiled.hpp"

#include <caf/all.hpp>
