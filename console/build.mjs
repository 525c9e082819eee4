// The one build step of the console: node console/build.mjs OUT_FOLDER [PACKAGES_FOLDER]
//
// Writes index.html, docs.html and assets/ into OUT_FOLDER (which it empties first), each file with
// a compressed copy (.gz) next to it. The packages are in PACKAGES_FOLDER/node_modules;
// PACKAGES_FOLDER is build/console by default. The same sources and packages give the same bytes,
// wherever the tree is.
import { createRequire } from "node:module";
import { createHash } from "node:crypto";
import { mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { basename, dirname, extname, join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { cities } from "./cities.mjs";
import { land } from "./land.mjs";

const root = dirname(fileURLToPath(import.meta.url));
const source = join(root, "src");
const [outArgument, packagesArgument = join(root, "../build/console")] = process.argv.slice(2);
if (!outArgument) {
  console.error("usage: node console/build.mjs OUT_FOLDER [PACKAGES_FOLDER]");
  process.exit(2);
}
const out = resolve(outArgument);
const packages = join(resolve(packagesArgument), "node_modules");
const pages = ["index.html", "docs.html"];
const license = /^(licen[cs]e|copying|notice)([.-].*)?$/i;

const require = createRequire(join(packages, "../package.json"));
const zopfli = require("@gfx/zopfli");

/** gzip with zopfli, which searches longer: about 4 % smaller than the best of zlib. */
const smallest = (bytes) => zopfli.gzipAsync(bytes, { numiterations: 15 });

function digest(bytes) {
  return createHash("sha256").update(bytes).digest("hex").slice(0, 10);
}

async function bundle() {
  return require("esbuild").build({
    absWorkingDir: root,
    entryPoints: [
      { in: "src/main.js", out: "main" }, { in: "src/docs.js", out: "docs" },
      { in: "src/styles/main.css", out: "style" },
    ],
    outdir: join(out, "assets"),
    entryNames: "[name]-[hash]",
    chunkNames: "part-[hash]",
    assetNames: "[name]-[hash]",
    loader: { ".svg": "file", ".json": "json" },
    nodePaths: [packages],
    plugins: [cities(), land(packages)],
    bundle: true,
    splitting: true,
    format: "esm",
    target: "es2022",
    minify: true,
    legalComments: "none",
    metafile: true,
    write: false,
    logLevel: "warning",
  });
}

/** The names of the assets by the names of their entries: main.js -> assets/main-DIGEST.js. */
function namesOf(metafile) {
  const names = {};
  for (const [path, { entryPoint }] of Object.entries(metafile.outputs)) {
    if (!entryPoint) continue;
    const name = entryPoint.endsWith(".css") ? "main.css" : basename(entryPoint);
    names[name] = `assets/${basename(path)}`;
  }
  return names;
}

/** The licenses of all packages with code in the bundle, one after the other. */
async function licensesOf(metafile) {
  const used = new Set();
  for (const path of Object.keys(metafile.inputs)) {
    const found = /node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(path);
    if (found) used.add(found[1]);
  }
  const texts = [];
  for (const name of [...used].sort()) {
    const folder = join(packages, name);
    const { version, license: kind, author } = JSON.parse(
      await readFile(join(folder, "package.json"), "utf8"));
    const files = (await readdir(folder)).filter((file) => license.test(file)).sort();
    const said = await Promise.all(files.map((file) => readFile(join(folder, file), "utf8")));
    // Some packages name their license only in package.json.
    const text = said.join("\n").trim() || `${kind}, ${author?.name ?? author}`;
    texts.push(`${name} ${version}\n\n${text}\n`);
  }
  return texts.join(`\n${"-".repeat(72)}\n\n`);
}

async function put(path, bytes) {
  const file = join(out, path);
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, bytes);
  await writeFile(`${file}.gz`, await smallest(bytes));
}

async function digested(path, bytes) {
  const extension = extname(path);
  const name = `assets/${basename(path, extension)}-${digest(bytes)}${extension}`;
  await put(name, bytes);
  return name;
}

function substituted(page, text, names) {
  return text.replace(/\{\{([^}]+)\}\}/g, (_, name) => {
    if (!names[name]) throw new Error(`${page}: there is no asset ${name}`);
    // Relative, because a proxy may serve the page below a path of its own.
    return names[name];
  });
}

const { metafile, outputFiles } = await bundle();
await rm(out, { recursive: true, force: true });
for (const { path, contents } of outputFiles) await put(relative(out, path), contents);
const names = {
  ...namesOf(metafile),
  "icon.svg": await digested("icon.svg", await readFile(join(source, "icon.svg"))),
  "licenses.txt": await digested("licenses.txt", Buffer.from(await licensesOf(metafile))),
};
for (const page of pages) {
  const text = await readFile(join(source, page), "utf8");
  await put(page, Buffer.from(substituted(page, text, names)));
}
