import { fileURLToPath } from "node:url";
import { defaultServerConditions } from "vite";
import { defineConfig, type ViteUserConfig } from "vitest/config";

// Tests see the sources of other packages, not their last build.
const conditions = ["@photon/source", ...defaultServerConditions];

const repository: ViteUserConfig = {
  resolve: { conditions },
  ssr: { resolve: { conditions } },
  test: {
    // As many as there are processors: by default one is left out, which of two is half.
    maxWorkers: "100%",
    // Nothing is timed; what hangs is found out, on a busy machine as on a quiet one.
    testTimeout: 30_000,
    hookTimeout: 60_000,
    include: ["packages/*/test/**/*.test.ts", "test/**/*.test.ts"],
    // Files that a test has just written are loaded as anybody would load them: by Node.
    server: { deps: { external: [/photon-load-/] } },
    reporters: ["default", ["json", { outputFile: "test-results.json" }]],
  },
};

// Vitest takes the configuration of any folder above the one it is started in. Tools that are written in a folder of this
// repository are tested as they are elsewhere.
const isHere = process.cwd() === fileURLToPath(new URL(".", import.meta.url)).replace(/[/\\]$/, "");

export default defineConfig(isHere ? repository : {});
