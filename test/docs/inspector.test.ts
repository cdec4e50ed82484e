import { expect, it } from "vitest";
import { pages, readPage } from "./pages.ts";

it("pages tell of the Inspector in the version that the tests run", () => {
  // What npm reads as well.
  const { dependencies } = JSON.parse(readPage("test/conformance/package.json")) as {
    readonly dependencies: Readonly<Record<string, string>>;
  };
  const installed = dependencies["@modelcontextprotocol/inspector"]?.replace(/\.\d+$/, "");
  const told = pages.flatMap((page) =>
    [...readPage(page).matchAll(/Inspector (\d+\.\d+)|version (\d+\.\d+) of the \[Inspector/g)].map(
      ([, one, other]) => `${page}: ${one ?? other}`,
    ),
  );

  expect(told.length).toBeGreaterThan(1);
  expect(told.filter((one) => !one.endsWith(`: ${installed}`))).toEqual([]);
});
