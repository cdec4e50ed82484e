/** What a question says beyond itself: that there are others, what was wrong, and how long there is. */
import { ask, tool } from "@photon/core";
import { describe, expect, it } from "vitest";
import { verifies } from "../requirements.ts";
import { usePlayground } from "./browser.ts";
import { Person } from "./person.ts";
import { kitchenSink, stage } from "./stage.ts";

const playground = usePlayground();

describe("the questions of a round", () => {
  it(verifies(["D3", "A6"], "are asked one after the other, and their answers go out together"), async () => {
    const { url } = await kitchenSink();
    const person = new Person(await playground.visit(url));
    await person.choose("Release the song");
    await person.runIt();

    const title = await person.asked("What is it called?");
    expect(await title.innerText()).toContain("(1 of 4)");
    expect(await title.getByRole("button", { name: "Release the song, date", exact: true }).count()).toBe(1);
    await title.getByLabel("What is it called?").fill("Opener");
    await person.press("Accept");
    const date = await person.asked("When does it come out?");
    await date.getByLabel("When does it come out?").fill("2026-09-01");
    await person.press("Accept");
    const shops = await person.asked("Which shops should sell it?");
    await shops.getByRole("checkbox", { name: "Bandstand" }).check();
    await person.press("Accept");
    await person.asked("In one word, how does it sound?");
    await person.press("Decline");
    await person.asked('Release "Opener" on 2026-09-01, at Bandstand?');
    await person.press("Yes");
    await person.asked("Bandstand is offline. Try again?");
    await person.press("Yes");

    const { state, says } = await person.ending();
    expect([state, says]).toEqual(["done", expect.stringContaining("Bandstand has Opener")]);
    expect(await person.run.innerText()).toMatch(/Step deliver to bandstand\S* done/);
  });

  it(
    verifies("D3", "are set aside together, come back together, and leave the page where it was"),
    async () => {
      const { url } = await kitchenSink();
      const person = new Person(await playground.visit(url));
      await person.choose("Release the song");
      await person.runIt();
      await person.asked("What is it called?");
      expect(await person.tab.evaluate("document.scrollingElement.scrollHeight - innerHeight")).toBe(0);

      await person.press("Later");
      await person.question.waitFor({ state: "hidden" });
      await person.tab.getByRole("button", { name: "4 questions wait" }).click();

      expect(await (await person.asked("What is it called?")).innerText()).toContain("(1 of 4)");
    },
  );
});

describe("an answer that does not fit", () => {
  it(verifies("D3", "is asked for again, with the server's hint and what was typed"), async () => {
    const dozens = tool({
      name: "dozens",
      async *run() {
        const schema = {
          type: "object" as const,
          properties: { eggs: { type: "integer", title: "Eggs", multipleOf: 12 } },
          required: ["eggs"],
        };
        const { eggs } = yield* ask.form("How many?", schema, { retries: 1 });
        return `${String(eggs)} eggs`;
      },
    });
    const { url } = await stage({ tools: [dozens] });
    const person = new Person(await playground.visit(url, { place: "#tool/dozens" }));
    await person.runIt();
    await (await person.asked("How many?")).getByLabel("Eggs").fill("13");
    await person.press("Accept");

    const again = person.question.filter({ hasText: "The last answer" });
    expect(await again.getByRole("alert").first().innerText()).toMatch(/^The last answer/);
    expect(await again.getByLabel("Eggs").inputValue()).toBe("13");
    await again.getByLabel("Eggs").fill("24");
    await person.press("Accept");

    expect((await person.ending()).says).toContain("24 eggs");
  });

  it("is complained of where it was typed, also where only the details of the question say what fits", async () => {
    const trip = tool({
      name: "trip",
      async *run() {
        const { day, start, code } = yield* ask.all({
          day: ask.date("Which day?", { min: "2027-01-10", max: "2027-01-20" }),
          start: ask.date("When?", { time: true, min: "2027-01-10T08:00:00Z", max: "2027-01-10T20:00:00Z" }),
          code: ask.text("Which code?", { pattern: "^[A-Z]{2}[0-9]+$" }),
        });
        return `${day}, ${start}, ${code}`;
      },
    });
    const { url } = await stage({ tools: [trip] });
    const berlin = { timezoneId: "Europe/Berlin", place: "#tool/trip" };
    const person = new Person(await playground.visit(url, berlin));
    await person.runIt();

    for (const [message, unfit, fitting] of [
      ["Which day?", ["2027-01-09", "2027-01-21"], "2027-01-10"],
      ["When?", ["2027-01-10T08:59", "2027-01-10T21:01"], "2027-01-10T09:00"],
      ["Which code?", ["ab1", "AB"], "AB12"],
    ] as const) {
      const question = await person.asked(message);
      const box = question.getByLabel(message);
      for (const value of unfit) {
        await box.fill(value);
        await person.press("Accept");
        expect(await person.problemOf(box)).not.toBe("");
        expect(await box.inputValue()).toBe(value);
      }
      await box.fill(fitting);
      await person.press("Accept");
    }

    expect((await person.ending()).says).toContain("2027-01-10, 2027-01-10T08:00:00.000Z, AB12");
  });

  it("is complained of where a browser shows it, and gives no value for it: 30 February, half a date, a number with a letter", async () => {
    const visit = tool({
      name: "visit",
      async *run() {
        const properties = { day: { type: "string", format: "date" }, guests: { type: "number" } } as const;
        const given = yield* ask.form("Who comes when?", { type: "object", properties });
        return JSON.stringify(given);
      },
    });
    const { url } = await stage({ tools: [visit] });
    const person = new Person(await playground.visit(url, { place: "#tool/visit" }));
    await person.runIt();
    const question = await person.asked("Who comes when?");
    const [day, guests] = [question.getByLabel(/^day/), question.getByLabel(/^guests/)];

    await day.pressSequentially("02302019");
    await day.press("Enter");
    expect(await person.problemOf(day)).toContain("Must be a date that exists");
    await day.fill("2019-02-28");
    await day.press("Backspace");
    await guests.pressSequentially("1e");
    await person.press("Accept");
    expect(await person.problemOf(day)).toContain("Must be a date that exists");
    expect(await person.problemOf(guests)).toContain("Must be a number");

    await day.fill("2019-02-28");
    await guests.fill("");
    await person.press("Accept");
    expect((await person.ending()).says).toContain('{"day":"2019-02-28"}');
  });

  it(verifies("D3", "is complained of beside its field, and goes nowhere"), async () => {
    const { url } = await kitchenSink();
    const person = new Person(await playground.visit(url));
    await person.choose("Sign up");
    await person.runIt();
    const form = await person.asked("Become a member");
    await form.getByLabel("Name", { exact: true }).fill("Ada");
    await form.getByLabel("Email").fill("nowhere");
    await form.getByLabel("Hours a week", { exact: true }).fill("61");
    await person.press("Accept");

    const problems = {
      Email: "Must be an email address.",
      "Date of birth": "Fill this in.",
      "Hours a week": "Must be at most 60.",
    };
    for (const [label, problem] of Object.entries(problems)) {
      const box = form.getByLabel(label, { exact: true });
      expect(await person.problemOf(box)).toContain(problem);
    }
    expect(await form.getByRole("group", { name: "How well?" }).innerText()).toContain("Choose one.");
    expect(await person.descriptionOf(form.getByLabel("Name", { exact: true }))).toBe("");
    expect(await form.getByLabel("Email").and(person.tab.locator(":focus")).count()).toBe(1);
  });
});

describe("a question", () => {
  it("takes what its slider is drawn to, up to its very end", async () => {
    const exact = tool({
      name: "exact",
      async *run() {
        const whole = yield* ask.number("Whole?", { id: "whole", min: 0, max: 12_345, integer: true });
        const part = yield* ask.number("Part?", { id: "part", min: 0, max: 0.123456 });
        return `${whole} and ${part}`;
      },
    });
    const { url } = await stage({ tools: [exact] });
    const person = new Person(await playground.visit(url, { place: "#tool/exact" }));
    await person.runIt();
    for (const [message, end] of [
      ["Whole?", "12345"],
      ["Part?", "0.123456"],
    ] as const) {
      await (await person.asked(message)).getByRole("slider").fill(end);
      await person.press("Accept");
    }

    expect((await person.ending()).says).toContain("12345 and 0.123456");
  });

  it("has the focus go to the first tick where too few are ticked, and says so there", async () => {
    const picky = tool({
      name: "picky",
      async *run() {
        yield* ask.multiselect("Which?", ["a", "b"], { id: "which", min: 1 });
      },
    });
    const { url } = await stage({ tools: [picky] });
    const person = new Person(await playground.visit(url, { place: "#tool/picky" }));
    await person.runIt();
    const question = await person.asked("Which?");
    await person.press("Accept");

    const group = question.getByRole("group");
    await group.getByText("Choose at least 1.").waitFor();
    expect(await person.descriptionOf(group)).toContain("Choose at least 1.");
    expect(await question.getByLabel("a", { exact: true }).and(person.tab.locator(":focus")).count()).toBe(1);
  });
});

describe("the time for a question", () => {
  const patient = (timeout: "90s" | "2s") =>
    tool({
      name: "patient",
      async *run() {
        return yield* ask.text("Your name?", { id: "name", timeout });
      },
    });

  it(verifies("D3", "is shown, and grows less"), async () => {
    const { url } = await stage({ tools: [patient("90s")] });
    const person = new Person(await playground.visit(url));
    await person.choose("patient");
    await person.runIt();

    const question = await person.asked("Your name?");
    const first = await question.getByText(/^1:\d\d left$/).innerText();
    await question.getByText(first, { exact: true }).waitFor({ state: "detached" });

    expect((await question.getByText(/^1:\d\d left$/).innerText()) < first).toBe(true);
  });

  it(verifies("D3", "can be over: the question goes, and the page says why"), async () => {
    const { url } = await stage({ tools: [patient("2s")] });
    const person = new Person(await playground.visit(url));
    await person.choose("patient");
    await person.runIt();

    expect(await person.ending()).toEqual({
      state: "failed",
      says: expect.stringContaining('No answer to "Your name?"'),
    });
    expect(await person.question.isVisible()).toBe(false);
    expect(await person.run.innerText()).toMatch(/Taken back name\s+Its time was over\./);
  });
});
