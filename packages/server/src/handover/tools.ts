/** The tools that continue calls, as they are listed. Loaded when they first are. */
import type { Wire } from "../jsonrpc/messages.ts";
import { ANSWER, CONTINUE } from "./words.ts";

/** The tool that continues a call, as it is listed. */
export const continueTool: Wire = {
  name: CONTINUE,
  description:
    "Continues a call that has not ended: at once, where it has more questions than a client shows in one call; where it waits for a person to answer on a page, when they say that they have.",
  inputSchema: {
    type: "object",
    properties: { run: { type: "string", description: "The run, as the call that waits has given it." } },
    required: ["run"],
  },
};

/** The two tools, as they are listed: for everybody, or for nobody. */
export const handoverTools: readonly Wire[] = [
  continueTool,
  {
    name: ANSWER,
    description:
      "Goes on with a call that waits for an answer from the person you work for, with what they have said. Never answer in their place.",
    inputSchema: {
      type: "object",
      properties: {
        run: { type: "string", description: "The run, as the call that waits has given it." },
        answer: {
          description:
            "What the person has answered, in the form that the call which waits has shown; for several questions an object by their keys.",
          anyOf: [
            { type: "string" },
            { type: "number" },
            { type: "boolean" },
            { type: "array", items: { type: "string" } },
            { type: "object" },
            { type: "null" },
          ],
        },
        action: {
          type: "string",
          enum: ["accept", "decline", "cancel"],
          description:
            "decline, if they do not want to answer; cancel, if they left it. accept without this.",
        },
      },
      required: ["run"],
    },
  },
];
