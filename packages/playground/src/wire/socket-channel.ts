/** MCP over WebSocket: one text frame is one message. */
import type { Channel, Ear } from "./channel.ts";
import type { Surroundings } from "./surroundings.ts";

export function openSocketChannel(
  address: URL,
  ear: Ear,
  { openSocket, fetch }: Pick<Surroundings, "openSocket" | "fetch">,
): Channel {
  let isOpen = false;
  let isOver = false;
  const end = (): boolean => {
    const wasOver = isOver;
    isOver = true;
    return !wasOver;
  };
  const socket = openSocket(address.href.replace(/^http/, "ws"), "mcp");
  socket.addEventListener("open", () => {
    isOpen = true;
    if (!isOver) ear.opened();
  });
  socket.addEventListener("message", ({ data }) => {
    if (!isOver && typeof data === "string") ear.heard(data, "frame");
  });
  // What went wrong is not told to pages; that it is closed follows.
  socket.addEventListener("error", () => {});
  socket.addEventListener("close", ({ reason }) => {
    if (!end()) return;
    if (isOpen) ear.lost(reason === "" ? "The server has gone." : `The server hung up: ${reason}`);
    else void tellWhy(address, ear, fetch);
  });
  return {
    by: "frame",
    send(message) {
      if (!isOver) socket.send(JSON.stringify(message));
    },
    hangUp: () => false,
    close() {
      end();
      socket.close();
    },
  };
}

/** A page is not told why a WebSocket was refused. Asking for the same by HTTP tells. */
async function tellWhy(address: URL, ear: Ear, fetch: Surroundings["fetch"]): Promise<void> {
  try {
    const { status } = await fetch(address.href, { headers: { accept: "text/event-stream" } });
    if (status === 401)
      return ear.refused("This server wants a token, which a page can only send over HTTP: switch to that.");
    // What it says to a request that names no session: it takes requests.
    const isReached = status === 400;
    const other = isReached ? " Over HTTP it can be reached: choose that in the settings." : "";
    ear.lost(`The server takes no WebSocket just now.${other}`);
  } catch {
    ear.lost("There is no server at this address.");
  }
}
