import { expect, it } from "vitest";
import { accept, acceptValue, cancel, decline, delayed, inTurn, leaveOpen } from "../clients/answers.ts";
import type { CallResult } from "../clients/sdk-client.ts";
import type { SdkV1Client } from "../clients/sdk-v1-client.ts";
import { SdkV2Client } from "../clients/sdk-v2-client.ts";
import { verifies } from "../requirements.ts";
import type { ServerFixture } from "./fixture.ts";

export function declinedAndCancelled(fixture: ServerFixture): void {
  it(verifies(["B1", "C1"], "a declined question is ASK_DECLINED"), async () => {
    const client = await fixture.connect(decline);

    await expect(client.call("text")).resolves.toMatchObject({
      isError: true,
      text: expect.stringContaining('The person declined to answer "What is your name?" (ask-1).'),
    });
    await expect(client.call("text-code")).resolves.toMatchObject({ text: "ASK_DECLINED ask-1" });
  });

  it(verifies(["B1", "C1"], "a cancelled question is ASK_CANCELLED"), async () => {
    const client = await fixture.connect(cancel);

    await expect(client.call("text")).resolves.toMatchObject({
      isError: true,
      text: expect.stringContaining('The question "What is your name?" (ask-1) was cancelled.'),
    });
    await expect(client.call("confirm-code")).resolves.toMatchObject({ text: "ASK_CANCELLED ask-1" });
    fixture.record("decline, cancel");
  });
}

/** Questions that time out, and answers that come afterwards. */
export function lateAnswers(fixture: ServerFixture): void {
  it(
    verifies(
      ["B2", "B1", "C1"],
      "a question without an answer in time is cancelled at the client; without a session, the late answer is told so",
    ),
    async () => {
      const question = leaveOpen();
      const client = await fixture.connect(
        fixture.isStateless ? delayed(100, acceptValue("Ada")) : question.answer,
      );

      await expect(client.call("hurried")).resolves.toMatchObject({
        isError: true,
        text: expect.stringContaining('No answer to "Quick, what is your name?" (ask-1) arrived in time.'),
      });
      if (!fixture.isStateless) await question.cancelled;
      await expect(client.call("hurried-code")).resolves.toMatchObject({ text: "ASK_TIMED_OUT ask-1" });
      fixture.record("no answer in time", fixture.isStateless ? "said to the late answer" : "cancelled");
    },
  );

  it(verifies(["B2", "C1"], "a late answer and an answer to no question are ignored"), async () => {
    const client = await fixture.connect();

    if (client instanceof SdkV2Client) await expectLateIgnored(client);
    else await answerLate(client);

    client.answer = acceptValue(3);
    await expect(client.call("number")).resolves.toMatchObject({ text: '{"answer":3}' });
  });
}

export function invalidAnswers(fixture: ServerFixture): void {
  it(verifies("B1", "a declined confirm is false"), async () => {
    const client = await fixture.connect(decline);

    await expect(client.call("confirm")).resolves.toMatchObject({ text: '{"answer":false}' });
  });

  it(verifies("B1", "a confirm that is accepted without a value is an invalid answer"), async () => {
    const client = await fixture.connect(accept({}));

    await expect(client.call("confirm-code")).resolves.toMatchObject({ text: "INVALID_ANSWER ask-1" });
  });

  it(verifies(["B3", "B1", "C1"], "an answer outside the limits is an invalid answer"), async () => {
    const client = await fixture.connect(acceptValue(40));

    await expect(client.call("number")).resolves.toMatchObject({
      isError: true,
      text: 'The answer to "How many nights?" (ask-1) must be at most 30.',
    });
    await expect(client.call("number-code")).resolves.toMatchObject({ text: "INVALID_ANSWER ask-1" });
  });

  it(verifies(["B3", "C1"], "a question with retries is asked again with a hint"), async () => {
    const client = await fixture.connect(inTurn(acceptValue(40), acceptValue(3)));

    const { text } = await client.call("patient");

    expect(client.questions.map(({ message }) => message)).toEqual([
      "How many nights?",
      "How many nights? (The last answer must be at most 30.)",
    ]);
    expect(text).toBe('{"answer":3}');
    fixture.record("`retries`");
  });

  it(verifies(["B3", "C1"], "after the last retry the answer is invalid"), async () => {
    const client = await fixture.connect(inTurn(acceptValue(40), acceptValue(41)));

    await expect(client.call("patient-code")).resolves.toMatchObject({ text: "INVALID_ANSWER ask-1" });
  });
}

export function malformedReplies(fixture: ServerFixture): void {
  it(
    verifies(
      ["B3", "C1"],
      "a malformed reply is no answer: on a session it ends the question, else it is refused",
    ),
    async () => {
      const client = await fixture.connect();

      const isStateless = client instanceof SdkV2Client;
      const { text } = await (isStateless ? continueMalformed(client) : replyMalformed(client));

      expect(text).toContain(isStateless ? '{"answer":3}' : "cannot be asked here: the client");
    },
  );
}

const late = { action: "accept", content: { value: "Ada" } };
const three = { action: "accept", content: { value: 3 } } as const;

/** Answers a question that was cancelled, and one that was not asked. */
async function answerLate(client: SdkV1Client): Promise<void> {
  const question = leaveOpen();
  client.answer = question.answer;
  await client.call("hurried");
  const { id } = await question.asked;
  const { transport } = client.connection;
  await transport.send({ jsonrpc: "2.0", id, result: late });
  await transport.send({ jsonrpc: "2.0", id: "not-asked", result: late });
}

/** Answers again when the call has continued, and a question that was not asked. */
async function expectLateIgnored(client: SdkV2Client): Promise<void> {
  const state = await client.startCall("number");
  await expect(
    client.continueCall("number", state, { "ask-1": three, "not-asked": late }),
  ).resolves.toMatchObject({ text: '{"answer":3}' });
  await expect(client.continueCall("number", state, { "ask-1": late })).rejects.toMatchObject({
    code: -32602,
  });
}

async function replyMalformed(client: SdkV1Client): Promise<CallResult> {
  client.answer = async ({ id }) => {
    await client.connection.transport.send({ jsonrpc: "2.0", id, result: { action: "perhaps" } });
    return three;
  };
  return client.call("number");
}

async function continueMalformed(client: SdkV2Client): Promise<CallResult> {
  const state = await client.startCall("number");
  const malformed = { "ask-1": { action: "perhaps" } };
  await expect(client.continueCall("number", state, malformed)).rejects.toMatchObject({ code: -32602 });
  return client.continueCall("number", state, { "ask-1": three });
}
