/** Forms, dates, plain data, and what is asked of a model. */
import type { Scenario } from "../scenario.ts";

const ada = {
  name: "Ada",
  email: "ada@example.com",
  born: "1990-12-10",
  plays: ["keys", "voice"],
  level: "good",
  hours: 6,
  news: false,
};

export const signUp: Scenario = {
  tool: "sign_up",
  shows: "signs up whoever filled in the form",
  input: { email: "ada@example.com" },
  answers: { member: ada },
  says: '{"welcome":"Ada","plays":["keys","voice"]}',
  changes: { "members.json": { "ada@example.com": ada } },
};

export const signUpTwice: Scenario = {
  tool: "sign_up",
  shows: "asks again for an address that is none",
  answers: {
    member: {
      $attempts: [
        { ...ada, email: "nowhere" },
        { ...ada, site: "https://example.com/ada" },
      ],
    },
  },
  says: '{"welcome":"Ada"',
  changes: { "members.json": { "ada@example.com": { ...ada, site: "https://example.com/ada" } } },
};

const morning = { start: "2026-08-01T09:00:00.000Z", end: "2026-08-01T11:00:00.000Z" };
const evening = { start: "2026-08-01T18:00:00.000Z", end: "2026-08-01T20:00:00.000Z" };

export const bookSession: Scenario = {
  tool: "book_session",
  shows: "books the studio",
  answers: { start: "2026-08-01T09:00:00Z" },
  gives: ["resource", "text"],
  says: JSON.stringify(morning),
  changes: { "sessions.json": [morning] },
};

export const bookAnother: Scenario = {
  tool: "book_session",
  shows: "asks for another time where somebody is in",
  after: bookSession,
  answers: { start: "2026-08-01T10:00:00Z", "start#2": "2026-08-01T20:00:00+02:00" },
  gives: ["resource", "text"],
  says: JSON.stringify(evening),
  changes: { "sessions.json": [morning, evening] },
};

const sheet = {
  song: "Opener",
  written: "Ada",
  recorded: "2026-07-28",
  mixed: "2026-07-29T18:30:00Z",
};

export const credits: Scenario = {
  tool: "credits",
  shows: "writes down who made the song",
  input: { song: "Opener" },
  answers: { names: { written: "Ada" }, recorded: sheet.recorded, mixed: sheet.mixed, final: true },
  gives: ["text", "text"],
  says: "The credits are final.",
  changes: { "credits.json": sheet },
  otherwise: {
    final: { decline: { says: "The credits are not final.", gives: ["text", "text"], isError: true } },
  },
};

export const linerNotes: Scenario = {
  tool: "write_liner_notes",
  shows: "prints what the model of the client, or a person, has written",
  model: "Made at night. Played by hand.",
  answers: { notes: "Made at night. Played by hand." },
  says: "Made at night. Played by hand.",
  changes: { "liner-notes.json": { text: "Made at night. Played by hand." } },
  otherwise: { draft: { decline: { says: "There are no liner notes.", isError: true } } },
};

export const ownNotes: Scenario = {
  tool: "write_liner_notes",
  shows: "asks a person where the client has no model",
  can: { sample: false },
  answers: { notes: "By me." },
  says: "By me.",
  changes: { "liner-notes.json": { text: "By me." } },
};
