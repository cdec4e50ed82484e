import { readFile } from "node:fs/promises";
import { multipart, multipartType } from "../../packages/server/test/pages/multipart.ts";
import { Visitor } from "../../packages/server/test/pages/visitor.ts";

/** Answers on the page of a question: a text is typed in, a file is uploaded. */
export async function fillInPage(url: string, answer: unknown): Promise<void> {
  const visitor = new Visitor();
  await visitor.open(url);
  const { status } = isFile(answer)
    ? await visitor.send(
        url,
        multipart(["proof", visitor.proof], ["do", "accept"], {
          name: answer.name,
          type: answer.type,
          bytes: await readFile(answer.path),
        }),
        multipartType,
      )
    : await visitor.answer(url, { f0: String(answer) });
  if (status !== 200) throw new Error(`The page took no answer: ${status}.`);
}

function isFile(
  answer: unknown,
): answer is { readonly name: string; readonly type: string; readonly path: string } {
  return typeof answer === "object" && answer !== null && "path" in answer;
}
