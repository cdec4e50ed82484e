import type { JSX } from "preact";
import { Announcer } from "./announcer.tsx";
import { Banners } from "./banners.tsx";
import { CallPane } from "./call/call-pane.tsx";
import { Header } from "./header.tsx";
import { OfferList } from "./offers/offer-list.tsx";
import { QuestionDialog } from "./questions/question-dialog.tsx";
import { RunsPane } from "./runs/runs-pane.tsx";
import { SettingsDialog } from "./settings-dialog.tsx";
import { StageContext, useStage, type Pane, type Stage } from "./stage.ts";
import { WirePane } from "./wire/wire-pane.tsx";

export function Page({ stage }: { readonly stage: Stage }): JSX.Element {
  const wireOpen = stage.wireOpen.value;
  return (
    <StageContext.Provider value={stage}>
      <div class={`page showing-${stage.pane.value}${wireOpen ? " with-wire" : ""}`}>
        <Header />
        <Banners />
        <PaneTabs />
        <nav class="pane pane-offers" aria-label="What can be called">
          <OfferList />
        </nav>
        <main class="pane pane-call">
          <CallPane />
          <RunsPane />
        </main>
        {(wireOpen || stage.pane.value === "wire") && (
          <aside class="pane pane-wire" aria-label="Wire">
            <WirePane />
          </aside>
        )}
        <Announcer />
      </div>
      <SettingsDialog />
      <QuestionDialog />
    </StageContext.Provider>
  );
}

const PANES: readonly { readonly pane: Pane; readonly title: string }[] = [
  { pane: "offers", title: "List" },
  { pane: "call", title: "Call" },
  { pane: "wire", title: "Wire" },
];

/** On a narrow screen there is room for one pane. */
function PaneTabs(): JSX.Element {
  const { pane } = useStage();
  return (
    <nav class="pane-tabs segments" aria-label="What is shown">
      {PANES.map((one) => (
        <button
          key={one.pane}
          type="button"
          aria-pressed={pane.value === one.pane}
          onClick={() => (pane.value = one.pane)}
        >
          {one.title}
        </button>
      ))}
    </nav>
  );
}
