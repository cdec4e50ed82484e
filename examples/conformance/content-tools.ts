/** Tools that return each type of content, and one that fails. */
import { tool } from "@photon/core";
import { redPixel, silence } from "./media.ts";

const simpleText = tool({
  name: "test_simple_text",
  description: "Returns a text",
  async *run() {
    return "This is a simple text response for testing.";
  },
});

const image = tool({
  name: "test_image_content",
  description: "Returns an image",
  async *run() {
    return { type: "image", data: redPixel, mimeType: "image/png" };
  },
});

const audio = tool({
  name: "test_audio_content",
  description: "Returns audio",
  async *run() {
    return { type: "audio", data: silence, mimeType: "audio/wav" };
  },
});

const embeddedResource = tool({
  name: "test_embedded_resource",
  description: "Returns an embedded resource",
  async *run() {
    return {
      type: "resource",
      uri: "test://embedded-resource",
      mimeType: "text/plain",
      text: "This is an embedded resource content.",
    };
  },
});

const severalKinds = tool({
  name: "test_multiple_content_types",
  description: "Returns a text, an image and a resource",
  async *run() {
    return [
      { type: "text", text: "Multiple content types test:" },
      { type: "image", data: redPixel, mimeType: "image/png" },
      {
        type: "resource",
        uri: "test://mixed-content-resource",
        mimeType: "application/json",
        text: JSON.stringify({ test: "data", value: 123 }),
      },
    ];
  },
});

const failing = tool({
  name: "test_error_handling",
  description: "Always fails",
  async *run() {
    throw new Error("This tool intentionally returns an error for testing");
  },
});

export const contentTools = [simpleText, image, audio, embeddedResource, severalKinds, failing];
