/** The middle, above: what is chosen, its form, and Run. */
import type { JSX } from "preact";
import { useMemo, useState } from "preact/hooks";
import { nameOf, type Offer } from "../../desk/offer.ts";
import { linkTo } from "../address.ts";
import { clip } from "../parts/clip.ts";
import { CopyButton } from "../parts/copy-button.tsx";
import { Icon } from "../parts/icons.tsx";
import { LongText } from "../parts/long-text.tsx";
import { callIt, chosenOffer, setInput, useStage } from "../stage.ts";
import { GuardedForm } from "./guarded-form.tsx";
import { inputSchemaOf, takesNothing } from "./input-schema.ts";
import { RawInput } from "./raw-input.tsx";
import { Welcome } from "./welcome.tsx";

export function CallPane(): JSX.Element {
  const offer = chosenOffer(useStage());
  if (offer === undefined) return <Welcome />;
  return (
    <section class="call" aria-labelledby="call-title">
      <OfferHead offer={offer} />
      <Input key={nameOf(offer)} offer={offer} />
    </section>
  );
}

const HINTS: { readonly [hint: string]: string } = {
  readOnlyHint: "only reads",
  destructiveHint: "may destroy",
  idempotentHint: "may be repeated",
  openWorldHint: "reaches outside",
};

function OfferHead({ offer }: { readonly offer: Offer }): JSX.Element {
  const annotations = offer.kind === "tool" ? offer.annotations : {};
  const hints = Object.entries(HINTS).filter(([hint]) => annotations[hint] === true);
  const address =
    offer.kind === "resource" ? offer.uri : offer.kind === "template" ? offer.uriTemplate : undefined;
  return (
    <header class="call-head">
      <h1 id="call-title" tabIndex={-1}>
        <Icon name={offer.kind} /> {clip(offer.title ?? offer.name, 120)}
      </h1>
      <p class="call-facts">
        {offer.title !== undefined && <code>{clip(offer.name, 120)}</code>}
        {address !== undefined && <code>{clip(address, 300)}</code>}
        {hints.map(([hint, words]) => (
          <span key={hint} class={hint === "destructiveHint" ? "tag danger" : "tag"}>
            {words}
          </span>
        ))}
      </p>
      {offer.description !== undefined && <LongText text={offer.description} first={600} />}
    </header>
  );
}

function Input({ offer }: { readonly offer: Offer }): JSX.Element {
  const stage = useStage();
  const [manner, setManner] = useState<"form" | "json">("form");
  const [unfit, setUnfit] = useState(false);
  const schema = useMemo(() => inputSchemaOf(offer), [offer]);
  const given = stage.inputs.value.get(nameOf(offer)) ?? {};
  const isEmpty = takesNothing(schema);
  const shared = {
    schema,
    given,
    onChange: (changed: typeof given) => setInput(stage, nameOf(offer), changed),
    onSubmit: (filled: typeof given) => callIt(stage, offer, filled),
    children: (
      <div class="call-actions">
        <RunButton offer={offer} />
        {!isEmpty && !unfit && <Manner manner={manner} onChange={setManner} />}
        <CopyButton label="Copy link" icon="link" text={() => linkTo(offer, given)} />
      </div>
    ),
  };
  if (manner === "json" || unfit)
    return (
      <>
        {unfit && (
          <p class="note">No form can be made from this tool's schema. Its input can be given as JSON.</p>
        )}
        <RawInput {...shared} />
      </>
    );
  return (
    <>
      {isEmpty && <p class="nothing">It takes no input.</p>}
      <GuardedForm {...shared} onFailure={() => setUnfit(true)} />
    </>
  );
}

function RunButton({ offer }: { readonly offer: Offer }): JSX.Element {
  const { state } = useStage().desk.connection.value;
  const verb = offer.kind === "tool" ? "Run" : offer.kind === "prompt" ? "Get" : "Read";
  return (
    <button type="submit" class="primary" disabled={state === "refused"}>
      <Icon name="run" /> {verb}
    </button>
  );
}

function Manner({
  manner,
  onChange,
}: {
  readonly manner: "form" | "json";
  readonly onChange: (manner: "form" | "json") => void;
}): JSX.Element {
  return (
    <div class="segments" role="group" aria-label="How the input is given">
      {(["form", "json"] as const).map((one) => (
        <button key={one} type="button" aria-pressed={manner === one} onClick={() => onChange(one)}>
          {one === "form" ? "Form" : "JSON"}
        </button>
      ))}
    </div>
  );
}
