import { expect, it } from "vitest";
import { verifies } from "../requirements.ts";
import { accept, cancel, decline, inTurn, thinker } from "./answers.ts";
import type { Scene } from "./scene.ts";

/** Questions that are not answered, or not with an answer that fits. */
export function notAnswering(scene: Scene): void {
  it(verifies(["B1", "C1"], "takes a decline for no answer"), async () => {
    const guest = await scene.seat(decline);

    await expect(guest.call("text")).resolves.toMatchObject({
      isError: true,
      text: 'The person declined to answer "What is your name?" (ask-1).',
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
      text: 'The question "What is your name?" (ask-1) was cancelled.',
    });
    await expect(guest.call("confirm-code")).resolves.toMatchObject({ text: "ASK_CANCELLED ask-1" });
  });

  it(verifies(["B2", "B1", "C1"], "takes back a question that nobody answers in time"), async () => {
    const person = thinker();
    const guest = await scene.seat(person.answer);

    await expect(guest.call("hurried")).resolves.toMatchObject({
      isError: true,
      text: 'Nobody answered "Quick, what is your name?" (ask-1) in time.',
    });
    await person.dropped;
    await expect(guest.call("hurried-code")).resolves.toMatchObject({ text: "ASK_TIMED_OUT ask-1" });
  });

  it(verifies(["B2", "C1"], "drops an answer that comes too late, and one to no question"), async () => {
    const person = thinker();
    const guest = await scene.seat(person.answer);
    await guest.call("hurried");
    const { id } = await person.asked;

    const late = { action: "accept", content: { value: "Ada" } };
    await guest.line.transport.send({ jsonrpc: "2.0", id, result: late });
    await guest.line.transport.send({ jsonrpc: "2.0", id: "nobody-asked", result: late });

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
  });

  it(verifies(["B3", "C1"], "gives up when the retries are used up"), async () => {
    const guest = await scene.seat(inTurn(accept({ value: 40 }), accept({ value: 41 })));

    await expect(guest.call("patient-code")).resolves.toMatchObject({ text: "INVALID_ANSWER ask-1" });
  });
}

/** Answers that are none by their shape, and what comes after them. */
export function answeringAgain(scene: Scene): void {
  it(verifies(["B3", "C1"], "still waits after an answer that is none at all"), async () => {
    const guest = await scene.seat();
    guest.answer = async ({ id }) => {
      const none = guest.line.transport.send({ jsonrpc: "2.0", id, result: { action: "perhaps" } });
      // Over HTTP it is refused in the response; elsewhere the client is sent an error.
      await none.catch(() => {});
      return { action: "accept", content: { value: 3 } };
    };

    await expect(guest.call("number")).resolves.toMatchObject({ text: '{"answer":3}' });
  });
}
