import type { JSX, TargetedSubmitEvent } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import type { Settings } from "../desk/connection.ts";
import { useStage } from "./stage.ts";

const REVISIONS = [
  {
    value: "2026-07-28",
    title: "2026-07-28",
    words:
      "A question ends the request, and its answer is a new one: it outlives a reload and a lost connection.",
  },
  {
    value: "2025-11-25",
    title: "2025-11-25",
    words: "A session: the server asks while the call goes on. A reload cancels its runs.",
  },
] as const;

const WAYS = [
  {
    value: "websocket",
    title: "WebSocket",
    words: "One connection for everything. A page cannot send a token over it.",
  },
  {
    value: "http",
    title: "Streamable HTTP",
    words: "A request for each call, with the token where there is one.",
  },
] as const;

export function SettingsDialog(): JSX.Element {
  const { desk, settingsOpen } = useStage();
  const dialog = useRef<HTMLDialogElement>(null);
  const isOpen = settingsOpen.value;
  const settings = desk.settings.value;
  useLayoutEffect(() => {
    if (isOpen) dialog.current?.showModal();
    else dialog.current?.close();
  }, [isOpen]);
  const submit = (event: TargetedSubmitEvent<HTMLFormElement>): void => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    settingsOpen.value = false;
    const changes = changesIn(form, settings);
    if (Object.keys(changes).length > 0) desk.change(changes);
  };
  return (
    <dialog
      ref={dialog}
      class="settings"
      aria-labelledby="settings-title"
      onClose={() => (settingsOpen.value = false)}
    >
      {isOpen && (
        <form onSubmit={submit}>
          <h2 id="settings-title">Settings</h2>
          <Choices name="revision" title="Revision of MCP" options={REVISIONS} value={settings.revision} />
          <Choices name="way" title="Transport" options={WAYS} value={settings.way} />
          <div class="field">
            <label for="settings-token">Token</label>
            <p class="description" id="settings-token-words">
              For a server that wants one. It is kept as long as this tab.
            </p>
            <input
              id="settings-token"
              name="token"
              type="password"
              autocomplete="off"
              aria-describedby="settings-token-words"
              defaultValue={settings.token}
            />
          </div>
          <div class="answer-buttons">
            <button type="submit" class="primary">
              Save
            </button>
            <button type="button" onClick={() => (settingsOpen.value = false)}>
              Cancel
            </button>
          </div>
          <p class="explains">
            Another revision or transport ends the runs that are under way in the old one.
          </p>
        </form>
      )}
    </dialog>
  );
}

function Choices({
  name,
  title,
  options,
  value,
}: {
  readonly name: string;
  readonly title: string;
  readonly options: readonly { readonly value: string; readonly title: string; readonly words: string }[];
  readonly value: string;
}): JSX.Element {
  return (
    <fieldset class="bare field">
      <legend>{title}</legend>
      {options.map((option) => (
        <label class="choice" key={option.value}>
          <input type="radio" name={name} value={option.value} defaultChecked={option.value === value} />
          <span>
            {option.title}
            <span class="choice-description">{option.words}</span>
          </span>
        </label>
      ))}
    </fieldset>
  );
}

/** Only what is another than before: each change may cost a connection. */
function changesIn(form: FormData, settings: Settings): Partial<Settings> {
  const revision = REVISIONS.find(({ value }) => value === form.get("revision"))?.value ?? settings.revision;
  const way = WAYS.find(({ value }) => value === form.get("way"))?.value ?? settings.way;
  const token = form.get("token");
  return {
    ...(revision === settings.revision ? {} : { revision }),
    ...(way === settings.way ? {} : { way }),
    ...(typeof token !== "string" || token === settings.token ? {} : { token }),
  };
}
