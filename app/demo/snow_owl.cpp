#include "app/demo/demo_characters.hpp"

#include <initializer_list>

namespace matchcloud::app {

namespace {

/// A round or long spot.
struct spot {
  point middle;
  double size = 0;
};

shape feather(const point& middle) {
  const auto& [x, y] = middle;
  return line({x - 0.05, y}, {x, y + 0.055}, {x + 0.05, y}, 0.017);
}

void paint_night(canvas& on) {
  on.fill(whole_picture(), {0x1D2A63, 0x7FA6DC});
  on.fill(disc({0.42, -0.52}, 0.95), {0x9CC0F5, 0x9CC0F5, 0.45, 1.1});
  on.fill(disc({0.5, -0.56}, 0.36), {0xFDF6DC, 0xF4E3B4});
  for (const auto& [middle, radius] :
       {spot{{-0.82, -0.78}, 0.03}, spot{{-0.55, -0.9}, 0.018}, spot{{-0.9, -0.3}, 0.022},
        spot{{-0.74, -0.05}, 0.035}, spot{{0.9, 0.02}, 0.026}, spot{{0.86, -0.16}, 0.016},
        spot{{0.92, 0.5}, 0.034}, spot{{-0.92, 0.42}, 0.026}, spot{{-0.38, -0.78}, 0.026},
        spot{{0.02, -0.92}, 0.02}, spot{{0.9, -0.92}, 0.022}, spot{{-0.7, -0.46}, 0.016},
        spot{{0.76, 0.26}, 0.018}})
    on.fill(disc(middle, radius), {0xFFFFFF, 0xFFFFFF, 0.9, 0.02});
  on.fill(oval({-0.55, 1.25}, 0.95, 0.55), {0xDCEBFB, 0xB7D0EE});
  on.fill(oval({0.6, 1.3}, 1, 0.55), {0xEAF4FF, 0xC4DAF3});
}

void paint_body(canvas& on) {
  const auto body = smooth({{0, -0.3},
                            {0.5, -0.26},
                            {0.74, 0.2},
                            {0.78, 0.8},
                            {0.6, 1.3},
                            {-0.6, 1.3},
                            {-0.78, 0.8},
                            {-0.74, 0.2},
                            {-0.5, -0.26}});
  on.fill(body, {0xFFFFFF, 0xC3D5EE});
  on.fill_both(smooth({{0.46, 0.1},
                       {0.74, 0.06},
                       {0.86, 0.4},
                       {0.86, 0.9},
                       {0.74, 1.3},
                       {0.6, 1.2},
                       {0.52, 0.7}}),
               {0xF3F8FF, 0x9FB9DD});
  for (const auto& middle : {point{0.66, 0.30}, point{0.74, 0.52}, point{0.64, 0.60},
                             point{0.76, 0.78}, point{0.66, 0.88}})
    on.fill_both(tilted_oval(middle, {0.045, 0.012}, 0.022), {0x6D83B0, 0x6D83B0, 0.8});
  const paint feathers{0x8BA1CB, 0x8BA1CB, 0.85};
  for (const auto& middle : {point{0.2, 0.66}, point{0.4, 0.62}, point{0.1, 0.78}, point{0.3, 0.80},
                             point{0.2, 0.95}, point{0.4, 0.93}})
    on.fill_both(feather(middle), feathers);
  for (const auto& middle : {point{0, 0.60}, point{0, 0.94}})
    on.fill(feather(middle), feathers);
  // The shadow of the head.
  on.fill(oval({0, 0.42}, 0.6, 0.16), {0x49639C, 0x49639C, 0.5, 0.26, &body});
}

void paint_owl_head(canvas& on) {
  const auto head = smooth({{-0.18, -0.86},
                            {0.18, -0.86},
                            {0.54, -0.72},
                            {0.76, -0.4},
                            {0.76, 0},
                            {0.62, 0.34},
                            {0.3, 0.52},
                            {0, 0.54},
                            {-0.3, 0.52},
                            {-0.62, 0.34},
                            {-0.76, 0},
                            {-0.76, -0.4},
                            {-0.54, -0.72}});
  on.fill(head, {0xFFFFFF, 0xDFEAF8});
  on.fill(oval({0.45, 0.2}, 0.5, 0.5), {0x8AA5D4, 0x8AA5D4, 0.28, 0.5, &head});
  const paint marks{0x8BA1CB, 0x7289BB, 0.75};
  for (const auto& [middle, length] :
       {spot{{0.14, -0.60}, 0.04}, spot{{0.28, -0.56}, 0.038}, spot{{0.07, -0.50}, 0.034},
        spot{{0.21, -0.47}, 0.034}, spot{{0.42, -0.47}, 0.034}})
    on.fill_both(tilted_oval(middle, {0.55 * length, 0}, length), marks);
  on.fill(tilted_oval({0, -0.62}, {0.022, 0}, 0.04), marks);
}

void paint_owl_face(canvas& on) {
  on.fill_both(oval({0.3, -0.06}, 0.37, 0.37), {0xD3E1F4, 0xC2D3EC});
  on.fill_both(oval({0.295, -0.05}, 0.335, 0.34), {0xF8FBFF, 0xE6EEFA});
  on.fill_both(oval({0.285, -0.05}, 0.205, 0.205), {0x33406B, 0x1C2547});
  on.fill_both(oval({0.285, -0.05}, 0.18, 0.18), {0xFFCF3F, 0xF08C1E});
  on.fill_both(oval({0.285, 0.04}, 0.13, 0.08), {0xFFE68A, 0xFFE68A, 0.6, 0.08});
  on.fill_both(oval({0.275, -0.05}, 0.108, 0.115), {0x171A33, 0x0B0D1D});
  for (const auto x : {-0.275, 0.275})
    paint_gleam(on, {x, -0.06}, 0.045);
  on.fill(smooth({{-0.1, 0.06},
                  {0, -0.02},
                  {0.1, 0.06},
                  {0.1, 0.18},
                  {0.02, 0.33},
                  {-0.02, 0.33},
                  {-0.1, 0.18}}),
          {0x59658F, 0x262E52});
  on.fill(oval({-0.025, 0.1}, 0.022, 0.06), {0xFFFFFF, 0xFFFFFF, 0.4, 0.03});
  on.fill_both(line({0.1, -0.3}, {0.3, -0.4}, {0.54, -0.3}, 0.026), {0xFFFFFF, 0xFFFFFF});
}

} // namespace

void paint_snow_owl(canvas& on) {
  paint_night(on);
  paint_body(on);
  paint_owl_head(on);
  paint_owl_face(on);
}

} // namespace matchcloud::app
