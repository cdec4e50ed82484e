/** The inbox of a server over HTTP: `GET /inbox`, `GET /inbox/<run>`, `POST /inbox/<run>`. */

/** An open question of a run. */
export interface InboxQuestion {
  readonly run: string;
  readonly key: string;
  readonly message: string;
}

/** What the inbox says of one run: its questions, or what it has ended with. */
export interface InboxRun {
  readonly questions?: readonly Omit<InboxQuestion, "run">[];
  readonly result?: { readonly structuredContent?: unknown; readonly isError?: boolean };
  readonly error?: { readonly code: number | string; readonly message: string };
}

/** The open questions of every run. */
export async function openQuestions(url: string): Promise<readonly InboxQuestion[]> {
  const response = await fetch(`${url}/inbox`);
  const { runs } = (await response.json()) as { readonly runs: readonly (InboxRun & { run: string })[] };
  return runs.flatMap(({ run, questions = [] }) =>
    questions.map(({ key, message }) => ({ run, key, message })),
  );
}

/** The messages of the open questions. */
export async function openMessages(url: string): Promise<readonly string[]> {
  return (await openQuestions(url)).map(({ message }) => message);
}

/** What the inbox says of a run; nothing, where no run of that name is kept. */
export async function runIn(url: string, run: string): Promise<InboxRun | undefined> {
  const response = await fetch(`${url}/inbox/${run}`);
  return response.status === 404 ? undefined : ((await response.json()) as InboxRun);
}

/** Accepts a question with a value. Throws unless the inbox takes the answer. */
export async function answerInInbox(
  url: string,
  { run, key }: Pick<InboxQuestion, "run" | "key">,
  value: unknown,
): Promise<void> {
  const response = await postAnswer(url, { run, key }, value);
  if (!response.ok) throw new Error(`The inbox refuses the answer to ${key}: ${await response.text()}`);
}

/** The same; the caller looks at the status. */
export function postAnswer(
  url: string,
  { run, key }: Pick<InboxQuestion, "run" | "key">,
  value: unknown,
): Promise<Response> {
  return fetch(`${url}/inbox/${run}`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ key, action: "accept", value }),
  });
}
