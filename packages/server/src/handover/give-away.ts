/** A run that a store keeps is handed over: from then on it waits there, and whoever goes on with it does so from its log. */
import type { Round, Vault } from "@photon/core";
import type { Account } from "../accounts.ts";
import type { Front } from "../calls/client-port.ts";
import { asksIn } from "../pages/page.ts";
import type { RunPages } from "../pages/run-pages.ts";
import type { RunLog } from "../durable/run-log.ts";
import type { Custody, InCustody } from "./custody.ts";
import type { FromLog } from "./from-log.ts";
import { inWords } from "./in-words.ts";
import { nameAt } from "./words.ts";

/** Where what is known to this process only is kept meanwhile. */
export interface KeptKeeper {
  /** The secrets of a run, as far as they are known here. */
  secretsOf(run: string): Vault | undefined;
  /** Throws where there is no place for it. */
  refuseWhenFull(run: string, account: Account): void;
  /** What a call is counted for. */
  accountOf(front: Pick<Front, "account" | "principal">): Account;
  lastMoment(round: Round): number;
  /** It waits from now on, until then. */
  entrust(given: InCustody, until: number): Custody;
  /** The run is over. */
  over(run: string): void;
  /** Hands a run over. What the model is told then; nothing, where whoever called has gone. */
  giveAway(given: Given, round: Round): Promise<string | undefined>;
}

/** What is given away, and who gives it. */
export interface Given {
  readonly tool: string;
  readonly way: "page" | "relay";
  readonly log: RunLog;
  /** Whether what is asked is in the log. */
  readonly isLogged: boolean;
  readonly secrets: Vault;
  readonly pages: RunPages;
  readonly front: Front;
  readonly fronts: ReadonlySet<Front>;
  /** Where it goes on with a run that was given away before. */
  readonly fromLog: FromLog | undefined;
  /** What was wrong with what was answered last. */
  readonly problem: string | undefined;
}

export async function giveAway(
  given: Given,
  round: Round,
  kept: Omit<KeptKeeper, "giveAway">,
): Promise<string | undefined> {
  const { tool, way, log, isLogged, secrets, pages, front, fronts, fromLog, problem } = given;
  const { run } = log;
  const { principal, isAbsent = false } = front;
  const account = kept.accountOf(front);
  const until = kept.lastMoment(round);
  // Before any page is opened for it, and before it is written that somebody waits for them: there may be no place.
  if (!isAbsent && fromLog === undefined) kept.refuseWhenFull(run, account);
  if (!isAbsent && way === "page") await Promise.all(asksIn(round).map((question) => pages.of(question)));
  // A run that waits for a model or a page is any process's.
  fromLog?.durable.unclaim();
  const write = (): Promise<void> => log.openRound(round, until, { isApart: !isLogged, way });
  await (front.giveAway?.(write) ?? write());
  if (front.isClosed) return undefined;
  if (isAbsent) return "";
  const custody = kept.entrust({ run, principal, account, secrets, pages, fronts }, until);
  const asked = { way, tool, round, name: nameAt(run, log.length) };
  return inWords(asked, (question) => custody.urlOf(question), problem);
}
