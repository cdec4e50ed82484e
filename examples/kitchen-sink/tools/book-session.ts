import { ask, emit, tool } from "@photon/core";
import { paper } from "../studio/documents.ts";

interface Session {
  readonly start: string;
  readonly end: string;
}

const sessions = paper<readonly Session[]>("sessions.json", []);

const HOUR = 3_600_000;

/** A moment; and asked once more where it is taken. */
export const bookSession = tool({
  name: "book_session",
  title: "Book a session",
  description: "Books the studio for two hours",
  // Whoever has a client that shows no forms, and opens web addresses, books on a page.
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
      const session = { start: spelled(Date.parse(start)), end: spelled(Date.parse(start) + 2 * HOUR) };
      if (await reserve(session)) {
        const uri = `studio://sessions/${session.start}.ics`;
        yield emit.resource({ uri, mimeType: "text/calendar", text: calendarOf(session) });
        return session;
      }
      message = `Somebody is in then (${session.start}). When else?`;
    }
  },
});

const spelled = (moment: number): string => new Date(moment).toISOString();

/** Whether it was free, and is taken now. */
async function reserve(wanted: Session): Promise<boolean> {
  const all = await sessions.change((before) => {
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
