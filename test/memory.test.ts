import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, it } from "vitest";

const RUNS = 100_000;

/** Runs a tool with three asks over and over in a process of its own, and prints by how many bytes the heap grew. */
const program = `
  import { ask, run, tool } from "@photon/core";
  const wizard = tool({
    name: "wizard",
    async *run() {
      const name = yield* ask.text("Name?", { minLength: 1 });
      const nights = yield* ask.number("Nights?", { min: 1, max: 30 });
      return [name, nights, yield* ask.confirm("Sure?")];
    },
  });
  const answers = { "ask-1": "Ada", "ask-2": 3, "ask-3": true };
  const host = { ask: ({ key }) => ({ action: "accept", value: answers[key] }) };
  const heap = () => { for (let count = 0; count < 4; count++) gc(); return process.memoryUsage().heapUsed; };
  for (let count = 0; count < ${RUNS / 10}; count++) await run(wizard, {}, host);
  const before = heap();
  for (let count = 0; count < ${RUNS}; count++) await run(wizard, {}, host);
  console.log(heap() - before);
`;

it(
  `leaves nothing behind in memory after ${RUNS.toLocaleString("en")} runs`,
  { timeout: 120_000 },
  async () => {
    const cwd = fileURLToPath(new URL("..", import.meta.url));
    const args = ["--expose-gc", "--input-type=module", "--eval", program];
    const { stdout } = await promisify(execFile)(process.execPath, args, { cwd });

    // Three bytes a run would be 300 kB: less than the smallest object there is.
    expect(Number(stdout)).toBeLessThan(3 * RUNS);
  },
);
