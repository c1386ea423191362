// Bundles what is measured of the extension, which is published as TypeScript, into one module that any Node runs.

import { existsSync } from "node:fs";
import { join } from "node:path";
import { build } from "esbuild";

const source = join(import.meta.dirname, "node_modules/@gotgenes/pi-permission-system/src");

// The package names its own files without their ending.
const ownFiles = {
  name: "own-files",
  setup(build) {
    build.onResolve({ filter: /^#src\// }, ({ path }) => {
      const file = join(source, path.slice("#src/".length));
      const found = [`${file}.ts`, join(file, "index.ts")].find(existsSync);
      return { path: found ?? file };
    });
  },
};

// The host is asked for one thing only, where its files lie, and the benchmark has none.
const host = {
  name: "host",
  setup(build) {
    build.onResolve({ filter: /^@earendil-works\// }, ({ path }) => ({ path, namespace: "host" }));
    build.onLoad({ filter: /.*/, namespace: "host" }, () => ({
      contents: 'export const getAgentDir = () => "";',
    }));
  },
};

await build({
  stdin: {
    contents: `
      export { PermissionManager } from "./permission-manager.ts";
      export { resolveBashAdvisoryCheck } from "./bash-advisory-check.ts";
      export { warmBashParser } from "./access-intent/bash/parser.ts";
    `,
    resolveDir: source,
  },
  bundle: true,
  platform: "node",
  format: "esm",
  target: "node20",
  outfile: join(import.meta.dirname, "manager.mjs"),
  plugins: [ownFiles, host],
  // Loaded from the packages at run time: it reads a file beside itself.
  external: ["web-tree-sitter"],
  logLevel: "warning",
});
