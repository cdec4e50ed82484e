import { describe, expect, expectTypeOf, it } from "vitest";
import { ask, InvalidDefinition, matchUri, resource, startRun, type Resource } from "@photon/core";
import { verifies } from "../../../test/requirements.ts";

/** A resource at a URI, whose body is not run. */
function at(uri: string): Resource {
  return resource({
    uri,
    async *run() {
      return "";
    },
  }) as Resource;
}

describe("resource", () => {
  it(verifies("A9", "keeps its words and its watch, and is frozen"), async () => {
    const events: string[] = [];
    const today = resource({
      uri: "notes://today",
      name: "today",
      title: "Today",
      description: "The notes of today",
      mimeType: "text/markdown",
      watch({ uri, changed }) {
        events.push(uri);
        changed();
      },
      async *run() {
        return "# Today";
      },
    });

    await today.watch?.({
      uri: "notes://today",
      changed: () => events.push("changed"),
      signal: new AbortController().signal,
    });

    expect(events).toEqual(["notes://today", "changed"]);
    expect(today).toMatchObject({
      kind: "resource",
      uri: "notes://today",
      variables: [],
      name: "today",
      title: "Today",
      description: "The notes of today",
      mimeType: "text/markdown",
    });
    expect(Object.isFrozen(today)).toBe(true);
  });

  it("is called by its address where it has no name", () => {
    expect(at("notes://today").name).toBe("notes://today");
  });

  it(verifies("A9", "types the variables of its template, and completes them"), async () => {
    const note = resource({
      uri: "notes://{year}/{title}",
      complete: { year: (typed) => ["2025", "2026"].filter((year) => year.startsWith(typed)) },
      async *run(variables) {
        expectTypeOf(variables).toEqualTypeOf<{ readonly year: string; readonly title: string }>();
        return `${variables.title} of ${variables.year}`;
      },
    });

    expectTypeOf(note).toEqualTypeOf<Resource<{ readonly year: string; readonly title: string }>>();
    expect(note.variables).toEqual(["year", "title"]);
    expect(await note.complete?.["year"]?.("2026", {})).toEqual(["2026"]);
  });

  it(verifies("A9", "may ask before it is read"), async () => {
    const diary = resource({
      uri: "diary://{day}",
      async *run({ day }) {
        if (!(yield* ask.confirm(`Read the diary of ${day}?`))) return { text: "(closed)" };
        return { data: new Uint8Array([1, 2]), mimeType: "application/octet-stream" };
      },
    });
    const read = async (value: boolean): Promise<unknown> => {
      const running = startRun(diary, { day: "monday" });
      expect(await running.next()).toMatchObject({
        round: { "ask-1": { message: "Read the diary of monday?" } },
      });
      return running.next({ "ask-1": { action: "accept", value } });
    };

    expect(await read(false)).toMatchObject({ done: true, value: { text: "(closed)" } });
    expect(await read(true)).toMatchObject({ done: true, value: { data: new Uint8Array([1, 2]) } });
  });

  it.each(["today", "", "/today", "1notes://today"])("refuses %j, which is not a URI", (uri) => {
    expect(() => at(uri)).toThrow(InvalidDefinition);
    expect(() => at(uri)).toThrow('must be a URI like "notes://today"');
  });

  it.each(["notes://{}", "notes://{a b}", "notes://{+path}", "notes://{a", "notes://a}", "notes://{{a}}"])(
    "refuses the template %j",
    (uri) => {
      expect(() => at(uri)).toThrow("variables like {name} only");
    },
  );

  it("refuses a template that names a variable twice", () => {
    expect(() => at("notes://{a}/{a}")).toThrow("names a variable twice");
  });

  it("refuses to complete a variable that is not in its template", () => {
    const complete = { moth: () => [] } as object;

    expect(() =>
      resource({
        uri: "notes://{month}",
        complete,
        async *run() {
          return "";
        },
      }),
    ).toThrow('The resource notes://{month} completes "moth", which is not in its template.');
  });

  it("refuses a run that is not a function", () => {
    expect(() => resource({ uri: "notes://today", run: "text" as unknown as Resource["run"] })).toThrow(
      /The run of the resource notes:\/\/today .*, not the string "text"/,
    );
  });
});

describe("matchUri", () => {
  it(verifies("A9", "matches a fixed address and nothing else"), () => {
    expect(matchUri(at("notes://today"), "notes://today")).toEqual({});
    expect(matchUri(at("notes://today"), "notes://today/")).toBeUndefined();
    expect(matchUri(at("notes://today"), "my-notes://today")).toBeUndefined();
    expect(matchUri(at("notes://today"), "notes://today\n")).toBeUndefined();
  });

  it(verifies("A9", "finds the values of several variables"), () => {
    const note = at("notes://{year}/{title}.md?view={view}");

    expect(matchUri(note, "notes://2026/july.md?view=full")).toEqual({
      year: "2026",
      title: "july",
      view: "full",
    });
  });

  it.each([
    "notes://2026",
    "notes://2026/",
    "notes:///july",
    "notes://2026/july/draft",
    "notes://2026/july?x=1",
    "notes://2026/july#top",
    "other://2026/july",
    "",
  ])("does not match %j with notes://{year}/{title}", (uri) => {
    expect(matchUri(at("notes://{year}/{title}"), uri)).toBeUndefined();
  });

  it("decodes percent-encoding", () => {
    expect(matchUri(at("notes://{title}"), "notes://caf%C3%A9%20%2F%20bar")).toEqual({
      title: "café / bar",
    });
  });

  it.each(["notes://%", "notes://%zz", "notes://%C3"])("does not match the broken escape in %j", (uri) => {
    expect(matchUri(at("notes://{title}"), uri)).toBeUndefined();
  });

  it("takes the characters of regular expressions in a template as they are", () => {
    const search = at("find://a.b+c(d)[e]|f$^*\\?q={q}");

    expect(matchUri(search, "find://a.b+c(d)[e]|f$^*\\?q=x")).toEqual({ q: "x" });
    expect(matchUri(search, "find://axb+c(d)[e]|f$^*\\?q=x")).toBeUndefined();
    expect(matchUri(at("find://{a}.{b}"), "find://one-two")).toBeUndefined();
  });

  it("takes characters of regular expressions in a value as they are", () => {
    expect(matchUri(at("notes://{title}"), "notes://a.*$&(b)")).toEqual({ title: "a.*$&(b)" });
  });

  it("gives a variable called __proto__ as a value and nothing more", () => {
    const found = matchUri(at("notes://{__proto__}"), "notes://x");

    expect(Object.entries(found ?? {})).toEqual([["__proto__", "x"]]);
  });
});
