import { createServer as createHttpServer, type Server } from "node:http";
import express from "express";
import { createServer } from "@photon/server";
import { greet } from "./greet.photon.ts";

/** An express app that had routes of its own before there were tools: those are at `/tools/mcp`. */
export async function makeApp(): Promise<Server> {
  const photon = createServer({ name: "app", tools: [greet] });
  const { router, attach } = await photon.router();

  const app = express();
  app.get("/", (_, response) => void response.send("An app of your own."));
  app.use("/tools", router);

  const server = createHttpServer(app);
  // Upgrades to WebSocket do not pass through express.
  attach(server, "/tools/mcp");
  server.on("close", () => void photon.close());
  return server;
}
