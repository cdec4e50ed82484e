/** A piece of a result, by its kind. Nothing in it is read as HTML, and nothing is fetched for it. */
import type { JSX } from "preact";
import type { Content } from "../../desk/run.ts";
import { clip, pretty, sizeOf } from "../parts/clip.ts";
import { LongText } from "../parts/long-text.tsx";
import { SafeLink } from "../parts/safe-link.tsx";
import { SaveButton } from "../parts/save-button.tsx";
import { choose, callIt, useStage } from "../stage.ts";
import { blobOf, bytesIn, fileNameFor } from "./blobs.ts";

export function ContentView({ piece }: { readonly piece: Content }): JSX.Element {
  switch (piece.type) {
    case "text":
      return (
        <LongText text={piece.text} name={fileNameFor("text", "text/plain")} mono={isJson(piece.text)} />
      );
    case "image":
    case "audio":
      return <Media {...piece} />;
    case "link":
      return <ResourceLink {...piece} />;
    case "resource":
      return <Resource piece={piece} />;
    case "other":
      return <LongText text={pretty(piece.value)} name="content.json" mono />;
    default:
      return piece satisfies never;
  }
}

const isJson = (text: string): boolean => /^\s*[[{]/u.test(text) && /[\]}]\s*$/u.test(text);

function Media({ type, data, mimeType }: Extract<Content, { type: "image" | "audio" }>): JSX.Element {
  const source = `data:${mimeType};base64,${data}`;
  const words = `${mimeType}, ${sizeOf(bytesIn(data))}`;
  const isKnown = new RegExp(`^${type}/[\\w.+-]+$`, "u").test(mimeType);
  return (
    <figure class="media">
      {isKnown && type === "image" && <img src={source} alt={`Picture: ${words}`} />}
      {isKnown && type === "audio" && (
        <audio controls src={source} aria-label={`Sound: ${words}`}>
          <track kind="captions" />
        </audio>
      )}
      <figcaption>
        {clip(words, 80)}{" "}
        <SaveButton name={fileNameFor(type, mimeType)} label="Save" make={() => blobOf(data, mimeType)} />
      </figcaption>
    </figure>
  );
}

function ResourceLink({ uri, name, description }: Extract<Content, { type: "link" }>): JSX.Element {
  const stage = useStage();
  const offer = stage.desk.offers.value.find((one) => one.kind === "resource" && one.uri === uri);
  const read = (): void => {
    if (offer === undefined) return;
    choose(stage, offer);
    callIt(stage, offer, {});
  };
  return (
    <div class="resource-link">
      <strong>{clip(name, 120)}</strong> <SafeLink uri={uri} />
      {offer !== undefined && (
        <button type="button" class="quiet" onClick={read}>
          Read it
        </button>
      )}
      {description !== undefined && <LongText text={description} first={600} />}
    </div>
  );
}

function Resource({ piece }: { readonly piece: Extract<Content, { type: "resource" }> }): JSX.Element {
  const { uri, mimeType = "", text, blob } = piece;
  const name = fileNameFor(uri.split(/[?#]/u, 1).join("").split("/").at(-1) ?? "", mimeType);
  const kind = /^(image|audio)\//u.exec(mimeType)?.[1];
  return (
    <div class="resource">
      <p class="resource-head">
        <span class="mono">{clip(uri, 300)}</span>{" "}
        {mimeType !== "" && <span class="tag">{clip(mimeType, 80)}</span>}
      </p>
      {text !== undefined && <LongText text={text} name={name} mono={mimeType !== "text/plain"} />}
      {blob !== undefined && (kind === "image" || kind === "audio") ? (
        <Media type={kind} data={blob} mimeType={mimeType} />
      ) : (
        blob !== undefined && (
          <SaveButton
            name={name}
            label={`Save ${clip(name, 60)}, ${sizeOf(bytesIn(blob))}`}
            make={() => blobOf(blob, mimeType)}
          />
        )
      )}
      {text !== undefined && (
        <SaveButton
          name={name}
          label="Save"
          make={() => new Blob([text], { type: mimeType || "text/plain" })}
        />
      )}
    </div>
  );
}
