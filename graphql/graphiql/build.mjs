// Bundles the page, with the licences, versions and checksums of what is in it.
// Run by `make graphiql` in a copy of this folder that has node_modules: node build.mjs TARGET
import { createHash } from "node:crypto";
import fs from "node:fs";
import path from "node:path";
import { build } from "esbuild";

const HERE = import.meta.dirname ?? path.dirname(new URL(import.meta.url).pathname);
const TARGET = path.resolve(process.argv[2]);
const SOURCES = [
  "alike.graphql", "build.mjs", "example.graphql", "grouped.graphql", "index.html", "main.jsx",
  "package-lock.json", "package.json", "page.css",
];
// Packages that leave their licence's text out, and the one of the same project or author that has it.
const TOLD_BY = {
  "@graphiql/plugin-doc-explorer": "graphiql",
  "@graphiql/plugin-history": "graphiql",
  "react-compiler-runtime": "react",
  "react-remove-scroll-bar": "react-remove-scroll",
};
// What no package says of itself.
const ALSO = `The font of icons in the style sheet is codicon (@vscode/codicons), Copyright (c) Microsoft
Corporation, under Creative Commons Attribution 4.0 International, unchanged:
https://creativecommons.org/licenses/by/4.0/legalcode`;
const sha256 = (bytes) => createHash("sha256").update(bytes).digest("hex");
const read = (...names) => fs.readFileSync(path.join(HERE, ...names));

function licence(folder) {
  const names = fs.readdirSync(path.join(HERE, folder)).sort();
  const told = names.filter((name) => /^(licen[cs]e|copying|copyright|notice|third-?party-?notices)/i.test(name));
  const texts = told.map((name) => read(folder, name).toString().trim());
  return texts.join("\n\n").replaceAll("\r\n", "\n");
}

const result = await build({
  absWorkingDir: HERE,
  entryPoints: {
    main: "main.jsx",
    editor: "node_modules/monaco-editor/esm/vs/editor/editor.worker.js",
    json: "node_modules/monaco-editor/esm/vs/language/json/json.worker.js",
    graphql: "node_modules/monaco-graphql/esm/graphql.worker.js",
  },
  bundle: true,
  splitting: true,
  format: "esm",
  target: "es2022",
  minify: true,
  jsx: "automatic",
  charset: "utf8",
  legalComments: "none", // LICENSES.txt has every text in full
  define: { "process.env.NODE_ENV": '"production"' },
  loader: { ".graphql": "text", ".ttf": "empty" },
  entryNames: "[name]-[hash]",
  chunkNames: "part-[hash]",
  outdir: path.join(HERE, "out"),
  write: false,
  metafile: true,
  plugins: [
    {
      // The editor's style sheets, its font of icons included, are in GraphiQL's own already.
      name: "styles-once",
      setup: ({ onLoad }) =>
        onLoad({ filter: /monaco-editor[/\\].*\.css$/ }, () => ({ contents: "", loader: "css" })),
    },
  ],
});

const files = new Map(
  result.outputFiles
    .filter(({ contents }) => contents.length) // the style sheets that are were left out
    .map(({ path: name, contents }) => [path.basename(name), contents]),
);
const named = (entry) => [...files.keys()].find((name) => name.replace(/-[A-Z0-9]{8}\./, ".") === entry);
const html = read("index.html").toString().replace(/{{(.*?)}}/g, (_, entry) => named(entry));
files.set("index.html", html);

const folders = new Set();
for (const output of Object.values(result.metafile.outputs)) {
  for (const input of Object.keys(output.inputs)) {
    const found = /^(.*node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(input);
    if (found) folders.add(found[1]);
  }
}

const packages = {};
const texts = {};
for (const folder of folders) {
  const { name, version, license } = JSON.parse(read(folder, "package.json"));
  packages[`${name} ${version}`] = license;
  const from = TOLD_BY[name];
  const text = licence(from ? `node_modules/${from}` : folder);
  texts[`${name} ${version}`] = text && from ? `(The text is that of ${from}.)\n\n${text}` : text;
}
const titles = Object.keys(packages).sort();
const without = titles.filter((title) => !texts[title]);
if (without.length) throw new Error(`no text of a licence: ${without.join(", ")}`);
const rule = "-".repeat(80);
files.set(
  "LICENSES.txt",
  `${titles.map((title) => `${rule}\n${title} (${packages[title]})\n${rule}\n\n${texts[title]}\n`).join("\n")}\n${rule}\n${ALSO}\n`,
);
const sorted = (entries) => Object.fromEntries([...entries].sort(([a], [b]) => (a < b ? -1 : 1)));
const about = {
  packages: sorted(Object.entries(packages)),
  sources: sorted(SOURCES.map((name) => [name, sha256(read(name))])),
  files: sorted([...files].map(([name, bytes]) => [name, sha256(bytes)])),
};
files.set("versions.json", `${JSON.stringify(about, null, 2)}\n`);

fs.rmSync(TARGET, { recursive: true, force: true });
fs.mkdirSync(TARGET, { recursive: true });
for (const [name, bytes] of files) fs.writeFileSync(path.join(TARGET, name), bytes);
const total = [...files.values()].reduce((sum, bytes) => sum + Buffer.byteLength(bytes), 0);
console.log(`${files.size} files, ${(total / 1e6).toFixed(1)} MB: ${path.relative(".", TARGET)}`);
