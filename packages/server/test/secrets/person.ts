/** Somebody with a browser who was given the address of a page. */
import { expect } from "vitest";
import { multipart, multipartType } from "../pages/multipart.ts";
import { Visitor, type Seen } from "../pages/visitor.ts";

/** Opens a page, and sends an answer. Gives back what the page says to it. */
export async function answerPage(url: string, value: string): Promise<Seen> {
  const visitor = new Visitor();
  await visitor.open(url);
  return visitor.answer(url, { f0: value });
}

export async function declinePage(url: string): Promise<void> {
  const visitor = new Visitor();
  await visitor.open(url);
  const { status } = await visitor.post(url, { proof: visitor.proof, do: "decline" });
  expect(status).toBe(200);
}

export async function uploadTo(url: string, name: string, bytes: string): Promise<void> {
  const visitor = new Visitor();
  await visitor.open(url);
  const form = multipart(["proof", visitor.proof], ["do", "accept"], { name, bytes });
  const { status } = await visitor.send(url, form, multipartType);
  expect(status).toBe(200);
}

/** What somebody sees who looks at a page. */
export async function statusAt(url: string): Promise<number> {
  return (await new Visitor().get(url)).status;
}
