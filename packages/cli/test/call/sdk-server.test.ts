import { describe, expect, it } from "vitest";
import { verifies } from "../../../../test/requirements.ts";
import { call, command } from "./servers.ts";

const second = command(new URL("./fixtures/input-required.mjs", import.meta.url));

describe("photon call with a server of the SDK's second generation", { timeout: 20_000 }, () => {
  it(verifies("C11", "answers what it asks by input_required, by the id it gave"), async () => {
    const { stdout, stderr, exitCode } = await call([
      "greet",
      "--city",
      "Rome",
      "--answer",
      "who=Ada",
      ...second,
    ]);

    expect({ stdout, exitCode }).toEqual({ stdout: "Ada is in Rome.\n", exitCode: 0 });
    expect(stderr).toBe("?  Who is in Rome?\n   Ada\n");
  });

  it(verifies("C11", "answers several questions of one round, a form and a web address"), async () => {
    const { stdout, stderr } = await call(
      ["several", "--answer", 'guest={"name":"Ada","nights":2,"meal":"fish"}', ...second],
      { input: "done\n" },
    );

    expect(stderr).toMatch(
      /^25% Thinking\n\[warning\] It is late\.\n\? {2}Who comes\? \(JSON on one line, .+\)\n/,
    );
    expect(stderr).toContain("?  Sign in (https://example.com/sign-in)\n");
    expect(JSON.parse(stdout)).toEqual({
      guest: { action: "accept", content: { name: "Ada", nights: 2, meal: "fish" } },
      page: { action: "accept" },
    });
  });

  it("speaks 2026-07-28 with it, and says so in a listing", async () => {
    const { stdout } = await call(["--list", "--json", ...second]);

    expect(JSON.parse(stdout)).toMatchObject({
      server: { name: "second", version: "2.0.0" },
      revision: "2026-07-28",
      tools: [{ name: "greet" }, { name: "several" }, { name: "clever" }, { name: "deep" }],
    });
  });

  it("says that there is no model for one that wants it", async () => {
    const { stdout, stderr, exitCode } = await call(["clever", ...second]);

    expect({ stdout, exitCode }).toEqual({ stdout: "", exitCode: 1 });
    expect(stderr).toBe("The tool asks for a language model, and a terminal has none.\n");
  });

  it("says so where it asks what no form can show", async () => {
    const { stderr, exitCode } = await call(["deep", ...second]);

    expect(stderr).toMatch(/ asks a question that no form can show: Invalid elicitation request: .+\n$/);
    expect(exitCode).toBe(1);
  });
});
