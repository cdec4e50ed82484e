import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { makePicture, picture } from "../../scripts/pictures/terminal-svg.mjs";
import { verifies } from "../requirements.ts";

it(
  verifies("D2", "is asked in the terminal as the README's picture shows it, which a script takes"),
  async () => {
    expect(await makePicture()).toBe(readFileSync(picture, "utf8"));
  },
  60_000,
);
