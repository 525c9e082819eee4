#pragma once

// What most tests need, so that it is read once per test program.
#include "base/precompiled.hpp"
#include "tests/catch.hpp"

#include <fstream>
#include <iostream>
#include <random>
#include <sstream>
