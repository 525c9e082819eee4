#pragma once

// What most tests of actors need, so that it is read once per test program.
#include "actors/request/precompiled.hpp"
#include "tests/precompiled.hpp"
