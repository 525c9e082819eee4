// A smaller version of the map's land. The atlas has steps of a thousandth of a degree, which a map
// of the whole world cannot show. In tenths of a degree, the land has about half the bytes.
import { createRequire } from "node:module";
import { readFile } from "node:fs/promises";
import { join } from "node:path";

const steps_per_degree = 10;

/** A closed ring as the steps from each point to the next, beginning at 0, 0. */
function stepsOf(ring) {
  const steps = [];
  let [x, y] = [0, 0];
  for (const [longitude, latitude] of ring) {
    const at = [longitude, latitude].map((degrees) => Math.round(degrees * steps_per_degree));
    if (steps.length > 0 && at[0] === x && at[1] === y) continue;
    steps.push(at[0] - x, at[1] - y);
    [x, y] = at;
  }
  return steps;
}

/**
 * An esbuild plugin that loads `world-atlas/land-110m.json` as `{steps_per_degree, polygons}`. A
 * polygon is a list of rings, and a ring a list of steps.
 * @param {string} packages the folder node_modules
 */
export const land = (packages) => ({
  name: "land",
  setup(build) {
    build.onLoad({ filter: /world-atlas[/\\]land-110m\.json$/ }, async ({ path }) => {
      const { feature } = createRequire(join(packages, "../package.json"))("topojson-client");
      const world = JSON.parse(await readFile(path, "utf8"));
      const { features } = feature(world, world.objects.land);
      const polygons = features.flatMap(({ geometry }) => (geometry.type === "Polygon"
        ? [geometry.coordinates] : geometry.coordinates))
        .map((rings) => rings.map(stepsOf).filter((steps) => steps.length >= 8));
      const contents = JSON.stringify({ steps_per_degree, polygons: polygons.filter(([outer]) =>
        outer) });
      return { contents, loader: "json" };
    });
  },
});
