/** `photon run` with an answers file, in a process of its own, and somebody who watches it for addresses to go to. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { rm, writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import type { Scenario } from "./scenario.ts";
import { environmentWith, kitchenSink, photon, root } from "./processes.ts";
import { pressButton } from "./run-in-test-kit.ts";
import type { ToolResult } from "./tool-result.ts";

export async function runInTerminal(scenario: Scenario, data: string): Promise<ToolResult> {
  const { tool, input = {}, answers = {}, typed = [], roots: [root_] = [] } = scenario;
  const file = `${data}.answers.json`;
  const given = Object.entries(answers).filter(([key, answer]) => answer !== "done" && !typed.includes(key));
  await writeFile(file, JSON.stringify(Object.fromEntries(given)));
  const named = typed.flatMap((key) => ["--answer", `${key}=${typedText(answers[key])}`]);
  const args = [
    "run",
    `${kitchenSink}#${tool}`,
    "--json",
    "--input",
    JSON.stringify(input),
    "--answers",
    file,
  ];
  const child = spawn(process.execPath, [photon, ...args, ...named], {
    cwd: root_ === undefined ? root : fileURLToPath(root_.uri),
    env: environmentWith({ KITCHEN_SINK_DATA: data }),
    stdio: "pipe",
  });
  let stdout = "";
  let stderr = "";
  child.stdout.on("data", (chunk: Buffer) => {
    stdout += chunk.toString();
  });
  child.stderr.on("data", (chunk: Buffer) => {
    stderr += chunk.toString();
    const address = /http:\/\/127\.0\.0\.1:\d+\/authorize\?state=[0-9a-f]{32}/.exec(stderr)?.[0];
    if (address === undefined || child.stdin.writableEnded) return;
    void pressButton(address).then(() => child.stdin.end("done\n"));
  });
  // Nothing else is typed.
  if (!Object.values(answers).includes("done")) child.stdin.end();
  await once(child, "close");
  await rm(file);
  try {
    return JSON.parse(stdout) as ToolResult;
  } catch (error) {
    throw new Error(`photon run ${tool} printed no result. ${stderr}`, { cause: error });
  }
}

/** An answer as a person types it: a dangerous question takes only the word yes. */
const typedText = (answer: unknown): string =>
  typeof answer === "boolean" ? (answer ? "yes" : "no") : String(answer);
