import { expect, it } from "vitest";
import { readPage } from "./pages.ts";

it("the glossary explains every word once", () => {
  const entries = [...readPage("docs/glossary.md").matchAll(/^- \*\*([^*]+)\*\*/gm)].map(([, word]) => word);

  expect(entries.length).toBeGreaterThan(0);
  expect(new Set(entries).size).toBe(entries.length);
});
