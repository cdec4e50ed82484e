/** The first request that stands alone: what answers it is loaded with it, and whatever happens meanwhile happens to it. */
import { emit, tool } from "@photon/core";
import { expect, it, onTestFinished } from "vitest";
import { createServer, type PhotonServer } from "../../src/index.ts";
import type { Fields, Message } from "../../../../test/clients/messages.ts";
import { META, MODERN } from "../../../../test/clients/raw-client.ts";
import { Witness } from "../wire/tools.ts";

const request = (id: number, method: string, params: Fields = {}): object => ({
  jsonrpc: "2.0",
  id,
  method,
  params: { ...params, _meta: { [META.version]: MODERN, [META.capabilities]: {} } },
});

/** Waits until it is ended. */
const waiting = (witness: Witness) =>
  tool({
    name: "waiting",
    async *run(_, { signal }) {
      witness.begun += 1;
      try {
        yield emit.status("Here");
        await new Promise((resolve) => {
          signal.addEventListener("abort", resolve);
          if (signal.aborted) resolve(undefined);
        });
        return "over";
      } finally {
        witness.end("waiting");
      }
    },
  });

/** A line to a server that nobody has sent anything to, and what is said on it. */
function fresh(witness = new Witness()): {
  readonly server: PhotonServer;
  readonly line: ReturnType<PhotonServer["open"]>;
  readonly said: Message[];
} {
  const server = createServer({ tools: [waiting(witness)] });
  onTestFinished(() => server.close());
  const said: Message[] = [];
  // One message at a time is said here.
  const line = server.open({
    send: (message) => void said.push(message as Message),
    close() {},
    mayMergeReads: false,
  });
  return { server, line, said };
}

it("is not answered where it was cancelled meanwhile, and no body of it is left", async () => {
  const witness = new Witness();
  const { server, line, said } = fresh(witness);

  line.receive(request(1, "tools/call", { name: "waiting", arguments: {} }));
  line.receive({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 1 } });
  await line.close();
  await server.close();

  expect(said).toEqual([]);
  expect(witness.ended).toHaveLength(witness.begun);
});

it("is answered where the server is closed meanwhile, and no body of it is left", async () => {
  const witness = new Witness();
  const { server, line, said } = fresh(witness);

  line.receive(request(1, "tools/call", { name: "waiting", arguments: {} }));
  await server.close();

  expect(said.filter(({ id }) => id === 1)).toHaveLength(1);
  expect(witness.ended).toHaveLength(witness.begun);
});

it("is answered before those that came after it", async () => {
  const { server, line, said } = fresh();

  for (const id of [1, 2, 3]) line.receive(request(id, "tools/list"));
  await server.close();

  expect(said.map(({ id }) => id)).toEqual([1, 2, 3]);
});

it("has its id until it is answered: another with the same is refused", async () => {
  const { server, line, said } = fresh();

  line.receive(request(1, "tools/list"));
  line.receive(request(1, "tools/list"));
  await server.close();

  expect(said.map(({ error }) => error?.code)).toEqual([-32600, undefined]);
});

it("is answered by a server that was closed before it came, and by one that is closed again", async () => {
  const { server, said } = fresh();
  await server.close();
  const line = server.open({
    send: (message) => void said.push(message as Message),
    close() {},
    mayMergeReads: false,
  });

  line.receive(request(1, "tools/list"));
  await server.close();

  expect(said).toMatchObject([{ id: 1, result: {} }]);
});
