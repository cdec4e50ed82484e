import { ask, tool, type FormAnswer } from "@photon/core";
import { jsonFile } from "../studio/json-file.ts";

const fields = {
  name: ask.text("Name", { minLength: 1, maxLength: 80 }),
  email: ask.text("Email", { format: "email" }),
  born: ask.date("Date of birth", { min: "1900-01-01", max: "2020-12-31" }),
  plays: ask.multiselect("Instruments", { keys: "Keys", strings: "Strings", drums: "Drums", voice: "Voice" }),
  level: ask.select("How well?", { new: "I am new to it", good: "Well", pro: "For a living" }),
  hours: ask.number("Hours a week", { min: 0, max: 60, default: 4 }),
  news: ask.confirm("Send me news"),
  site: ask.optional(ask.text("Web site", { format: "uri" })),
};

type Member = FormAnswer<typeof fields>;

const members = jsonFile<Readonly<Record<string, Member>>>("members.json", {});

/** A form with eight fields, one of them optional. */
export const signUp = tool({
  name: "sign_up",
  title: "Sign up",
  description: "Signs the user up as a member of the studio",
  input: {
    type: "object",
    properties: { email: { type: "string", format: "email", description: "Prefilled in the form" } },
  },
  async *run({ email }) {
    const member = yield* ask.form("Become a member", fields, {
      id: "member",
      retries: 1,
      ...(email === undefined ? {} : { default: { email } }),
    });
    await members.update((before) => ({ ...before, [member.email]: member }));
    return { welcome: member.name, plays: member.plays };
  },
});
