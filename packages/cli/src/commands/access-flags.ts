/** The flags of who may call a server, and of how its questions reach people; `photon dev` has them too. */
// isolatedDeclarations wants the types of these defaults written: hence `as string`.
import { defaultTimes } from "@photon/server";

export const accessFlags = {
  "auth-token": {
    type: "list",
    value: "name:token",
    env: "PHOTON_TOKEN",
    isSecret: true,
    summary: "let in who bears this token, by a name of their own",
  },
  "no-auth": { type: "boolean", summary: "let in everybody who reaches the --host" },
  "public-url": {
    type: "string",
    value: "url",
    summary: "where people reach the server, for the links to its pages",
  },
  "when-unsupported": {
    type: "string",
    value: "what",
    choices: ["fail", "page", "relay"],
    default: "fail",
    summary: "what becomes of a question that the client cannot show",
  },
  "min-reading-time": {
    type: "timeout",
    value: defaultTimes.minReadingTime as string,
    default: defaultTimes.minReadingTime as string,
    summary: "a decline or cancel that comes sooner is not a person's; none: every reply counts",
  },
  distrust: {
    type: "boolean",
    summary: "take a client that seems to show questions to nobody for one that cannot",
  },
  audit: {
    type: "string",
    value: "file",
    summary: "append who was asked what, and what was answered, to a file, as lines of JSON",
  },
  with: { type: "list", value: "pack", choices: ["elicit"], summary: "serve ready-made tools as well" },
} as const;
