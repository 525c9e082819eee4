#pragma once

// Catch2 2 (Debian 12) and 3 (Debian 13) differ in their header names only, as far as we use them.
#ifdef MATCHCLOUD_CATCH2_V2
#include <catch2/catch.hpp>
#else
#include <catch2/catch_all.hpp>
using Catch::Approx;
#endif
