#pragma once

// For what these tests use, Catch2 2 (Debian 12) and 3 (Debian 13) differ only in their header
// names.
#ifdef MATCHCLOUD_CATCH2_V2
#include <catch2/catch.hpp>
#else
#include <catch2/catch_all.hpp>
using Catch::Approx;
#endif
