import { elicitPack } from "@photon/server";
import { describe, expect, it } from "vitest";
import {
  descriptionSchema,
  labelSchema,
  MAX_ANSWER_LENGTH,
  messageSchema,
  MAX_FIELDS,
  optionsSchema,
} from "../../packages/server/src/elicit-tools/fields.ts";
import { readPage } from "./pages.ts";

const page = readPage("docs/serving.md");
const [, section = ""] = /^## Tools that let a model ask\n([^]*?)^## /m.exec(page) ?? [];

describe("docs/serving.md, on the pack elicit,", () => {
  it("has its tools, and no others", () => {
    const told = [...section.matchAll(/^\| `(elicit_\w+)`/gm)].map(([, name]) => name);

    expect(told).toEqual(elicitPack().map(({ name }) => name));
  });

  it("has its limits", () => {
    const told = [...section.matchAll(/^\| ([a-z][^|]*?) +\| ([\d,]+)(?: characters)? +\|$/gm)];

    expect(
      Object.fromEntries(told.map(([, what, most = ""]) => [what, Number(most.replace(",", ""))])),
    ).toEqual({
      "the message": messageSchema["maxLength"],
      "a label, a value or title of an option": labelSchema["maxLength"],
      "a description": descriptionSchema["maxLength"],
      options: optionsSchema["maxItems"],
      "fields of a form": MAX_FIELDS,
      "an answer that is typed": MAX_ANSWER_LENGTH,
    });
  });
});
