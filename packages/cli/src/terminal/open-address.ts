import { spawn } from "node:child_process";

/** What opens a web address here. None of them goes through a shell: an address is not a command. */
function openerFor(platform: NodeJS.Platform): readonly [command: string, ...args: string[]] {
  if (platform === "darwin") return ["open"];
  if (platform === "win32") return ["rundll32", "url.dll,FileProtocolHandler"];
  return ["xdg-open"];
}

/** Hands an http or https address to the platform's browser; whether there was something that took it. */
export function openAddress(url: string): Promise<boolean> {
  const { protocol, href } = new URL(url);
  if (protocol !== "http:" && protocol !== "https:") return Promise.resolve(false);
  const [command, ...args] = openerFor(process.platform);
  return new Promise((resolve) => {
    const opener = spawn(command, [...args, href], { detached: true, stdio: "ignore" });
    opener.once("error", () => resolve(false));
    opener.once("spawn", () => {
      // It may outlive this run, which does not wait for it.
      opener.unref();
      resolve(true);
    });
  });
}
