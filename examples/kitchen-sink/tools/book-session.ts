import { ask, emit, tool } from "@photon/core";
import { jsonFile } from "../studio/json-file.ts";

interface Session {
  readonly start: string;
  readonly end: string;
}

const sessions = jsonFile<readonly Session[]>("sessions.json", []);

const HOUR = 3_600_000;

/** A date with a time. The tool asks again if the time is taken. */
export const bookSession = tool({
  name: "book_session",
  title: "Book a session",
  description: "Books the studio for two hours",
  // For a client without forms that opens URLs: Photon serves the question as a web page.
  whenUnsupported: "page",
  async *run() {
    let message = "When do you want to come in?";
    for (;;) {
      const start = yield* ask.date(message, {
        id: "start",
        time: true,
        min: "2026-01-01T00:00:00Z",
        max: "2099-12-31T00:00:00Z",
      });
      const session = { start: formatTime(Date.parse(start)), end: formatTime(Date.parse(start) + 2 * HOUR) };
      if (await reserve(session)) {
        const uri = `studio://sessions/${session.start}.ics`;
        yield emit.resource({ uri, mimeType: "text/calendar", text: calendarOf(session) });
        return session;
      }
      message = `The studio is taken then (${session.start}). Which other time?`;
    }
  },
});

const formatTime = (moment: number): string => new Date(moment).toISOString();

/** Adds the session if its time is free, and returns whether it did. */
async function reserve(wanted: Session): Promise<boolean> {
  const all = await sessions.update((before) => {
    const isTaken = before.some(({ start, end }) => start < wanted.end && wanted.start < end);
    return isTaken ? before : [...before, wanted];
  });
  return all.includes(wanted);
}

function calendarOf({ start, end }: Session): string {
  const stamp = (moment: string): string => moment.replaceAll(/[-:]|\.\d+/g, "");
  const event = [
    "BEGIN:VEVENT",
    `DTSTART:${stamp(start)}`,
    `DTEND:${stamp(end)}`,
    "SUMMARY:Studio",
    "END:VEVENT",
  ];
  return ["BEGIN:VCALENDAR", "VERSION:2.0", "PRODID:studio", ...event, "END:VCALENDAR", ""].join("\r\n");
}
