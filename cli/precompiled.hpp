#pragma once

// What most translation units with a command line need, so that it is read once per library.
#include "base/precompiled.hpp"

#include <CLI/CLI.hpp>
