/** Quick tests start no process: whatever tries to, fails. `test/groups.ts` says which tests are quick. */
import childProcess from "node:child_process";
import { syncBuiltinESMExports } from "node:module";

const STARTERS = ["exec", "execFile", "execFileSync", "execSync", "fork", "spawn", "spawnSync"] as const;

for (const name of STARTERS) {
  Object.assign(childProcess, {
    [name]() {
      throw new Error(
        `A quick test has called ${name}(). test/groups.ts has a group for tests that start processes.`,
      );
    },
  });
}
syncBuiltinESMExports();
