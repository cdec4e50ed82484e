import { expect, it } from "vitest";
import { verifies } from "../requirements.ts";
import { accept, cancel, decline, inTurn, slow, thinker } from "./answers.ts";
import type { Called } from "./guest.ts";
import { ModernGuest } from "./modern-guest.ts";
import type { Scene } from "./scene.ts";
import type { SessionGuest } from "./session-guest.ts";

/** Questions that are not answered, or not with an answer that fits. */
export function notAnswering(scene: Scene): void {
  it(verifies(["B1", "C1"], "takes a decline for no answer"), async () => {
    const guest = await scene.seat(decline);

    await expect(guest.call("text")).resolves.toMatchObject({
      isError: true,
      text: expect.stringContaining('The person declined to answer "What is your name?" (ask-1).'),
    });
    await expect(guest.call("text-code")).resolves.toMatchObject({ text: "ASK_DECLINED ask-1" });
  });

  it(verifies("B1", "takes a declined confirm for a no"), async () => {
    const guest = await scene.seat(decline);

    await expect(guest.call("confirm")).resolves.toMatchObject({ text: '{"answer":false}' });
  });

  it(verifies("B1", "takes a confirm that was accepted without a value for no yes"), async () => {
    const guest = await scene.seat(accept({}));

    await expect(guest.call("confirm-code")).resolves.toMatchObject({ text: "INVALID_ANSWER ask-1" });
  });

  it(verifies(["B1", "C1"], "takes a cancel for no answer"), async () => {
    const guest = await scene.seat(cancel);

    await expect(guest.call("text")).resolves.toMatchObject({
      isError: true,
      text: expect.stringContaining('The question "What is your name?" (ask-1) was cancelled.'),
    });
    await expect(guest.call("confirm-code")).resolves.toMatchObject({ text: "ASK_CANCELLED ask-1" });
    scene.shows("decline, cancel");
  });

  it(
    verifies(
      ["B2", "B1", "C1"],
      "takes back a question that nobody answers in time; where it cannot, whoever answers is told that it was too late",
    ),
    async () => {
      const person = thinker();
      const guest = await scene.seat(scene.isModern ? slow(100, accept({ value: "Ada" })) : person.answer);

      await expect(guest.call("hurried")).resolves.toMatchObject({
        isError: true,
        text: expect.stringContaining('No answer to "Quick, what is your name?" (ask-1) arrived in time.'),
      });
      if (!scene.isModern) await person.dropped;
      await expect(guest.call("hurried-code")).resolves.toMatchObject({ text: "ASK_TIMED_OUT ask-1" });
      scene.shows("no answer in time", scene.isModern ? "said to whoever answers too late" : "taken back");
    },
  );

  it(verifies(["B2", "C1"], "drops an answer that comes too late, and one to no question"), async () => {
    const guest = await scene.seat();

    if (guest instanceof ModernGuest) await expectLateDroppedByHand(guest);
    else await answerLate(guest);

    guest.answer = accept({ value: 3 });
    await expect(guest.call("number")).resolves.toMatchObject({ text: '{"answer":3}' });
  });

  it(verifies(["B3", "B1", "C1"], "refuses an answer that does not fit"), async () => {
    const guest = await scene.seat(accept({ value: 40 }));

    await expect(guest.call("number")).resolves.toMatchObject({
      isError: true,
      text: 'The answer to "How many nights?" (ask-1) must be at most 30.',
    });
    await expect(guest.call("number-code")).resolves.toMatchObject({ text: "INVALID_ANSWER ask-1" });
  });

  it(verifies(["B3", "C1"], "asks again with a hint where the question has retries"), async () => {
    const guest = await scene.seat(inTurn(accept({ value: 40 }), accept({ value: 3 })));

    const { text } = await guest.call("patient");

    expect(guest.questions.map(({ message }) => message)).toEqual([
      "How many nights?",
      "How many nights? (The last answer must be at most 30.)",
    ]);
    expect(text).toBe('{"answer":3}');
    scene.shows("`retries`");
  });

  it(verifies(["B3", "C1"], "gives up when the retries are used up"), async () => {
    const guest = await scene.seat(inTurn(accept({ value: 40 }), accept({ value: 41 })));

    await expect(guest.call("patient-code")).resolves.toMatchObject({ text: "INVALID_ANSWER ask-1" });
  });
}

/** Answers that are none by their shape, and what comes after them. */
export function answeringAgain(scene: Scene): void {
  it(
    verifies(
      ["B3", "C1"],
      "takes a reply that is no answer for no answer: on a session it ends the question",
    ),
    async () => {
      const guest = await scene.seat();

      const isModern = guest instanceof ModernGuest;
      const { text } = await (isModern ? sayPerhapsByHand(guest) : sayPerhaps(guest));

      expect(text).toContain(isModern ? '{"answer":3}' : "cannot be asked here: the client");
    },
  );
}

const late = { action: "accept", content: { value: "Ada" } };

/** Answers when the question was taken back, and something that nobody asked. */
async function answerLate(guest: SessionGuest): Promise<void> {
  const person = thinker();
  guest.answer = person.answer;
  await guest.call("hurried");
  const { id } = await person.asked;
  await guest.line.transport.send({ jsonrpc: "2.0", id, result: late });
  await guest.line.transport.send({ jsonrpc: "2.0", id: "nobody-asked", result: late });
}

/** Answers again when the call has gone on, and something that nobody asked. */
async function expectLateDroppedByHand(guest: ModernGuest): Promise<void> {
  const state = await guest.begin("number");
  const three = { action: "accept", content: { value: 3 } };
  await expect(guest.goOn("number", state, { "ask-1": three, "nobody-asked": late })).resolves.toMatchObject({
    text: '{"answer":3}',
  });
  await expect(guest.goOn("number", state, { "ask-1": late })).rejects.toMatchObject({ code: -32602 });
}

async function sayPerhaps(guest: SessionGuest): Promise<Called> {
  guest.answer = async ({ id }) => {
    await guest.line.transport.send({ jsonrpc: "2.0", id, result: { action: "perhaps" } });
    return { action: "accept", content: { value: 3 } };
  };
  return guest.call("number");
}

async function sayPerhapsByHand(guest: ModernGuest): Promise<Called> {
  const state = await guest.begin("number");
  const perhaps = { "ask-1": { action: "perhaps" } };
  await expect(guest.goOn("number", state, perhaps)).rejects.toMatchObject({ code: -32602 });
  return guest.goOn("number", state, { "ask-1": { action: "accept", content: { value: 3 } } });
}
