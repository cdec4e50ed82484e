import { availableParallelism } from "node:os";
import { fileURLToPath } from "node:url";
import { defaultServerConditions } from "vite";
import { defineConfig, type TestProjectInlineConfiguration, type ViteUserConfig } from "vitest/config";
import { groupOf, testFiles, type Group } from "./test/groups.ts";

// Tests see the sources of other packages, not their last build.
const conditions = ["@photon/source", ...defaultServerConditions];

/** One for the files of each group, which `test/groups.ts` tells apart. They run in the order of their names: the long ones early. */
function projects(): TestProjectInlineConfiguration[] {
  const files: Record<Group, string[]> = { long: [], processes: [], quick: [] };
  for (const file of testFiles()) files[groupOf(file)].push(file);
  return (["long", "processes", "quick"] as const).map((name) => ({
    extends: true,
    test: {
      name,
      include: files[name],
      ...(name === "quick" && { isolate: false, setupFiles: ["test/no-processes.ts"] }),
    },
  }));
}

const repository = (): ViteUserConfig => ({
  resolve: { conditions },
  ssr: { resolve: { conditions } },
  test: {
    // Most tests wait most of the time: for processes, sockets and timers.
    maxWorkers: 2 * availableParallelism(),
    // Nothing is timed; what hangs is found out, on a busy machine as on a quiet one.
    testTimeout: 30_000,
    hookTimeout: 60_000,
    // Files that a test has just written are loaded as anybody would load them: by Node.
    server: { deps: { external: [/photon-load-/] } },
    reporters: ["default", ["json", { outputFile: "test-results.json" }]],
    projects: projects(),
  },
});

// Vitest takes the configuration of any folder above the one it is started in. Tools that are written in a folder of this
// repository are tested as they are elsewhere.
const isHere = process.cwd() === fileURLToPath(new URL(".", import.meta.url)).replace(/[/\\]$/, "");

export default defineConfig(isHere ? repository() : {});
